/** Lint step: the number of non-null assertions does not grow. */
import { execa } from '../../engines/process/execa.ts'
import { ROOT } from '../../root.ts'

/**
 * The number of non-null assertions (`value!`) in src, tools and plugins. It must not grow: use a tuple, a non-empty list or a
 * helper of src/lists.ts. More than half of them index typed arrays in pixel loops, where a check would cost time.
 * Lower it when a change removes some.
 */
const MOST_ASSERTIONS = 1588

/** Counts the non-null assertions with Biome's own rule. */
async function countAssertions(): Promise<number> {
  const options = ['--only=style/noNonNullAssertion', '--reporter=json', '--max-diagnostics=1']
  const { stdout } = await execa('biome', ['lint', ...options, 'src', 'tools', 'plugins'], {
    cwd: ROOT,
    preferLocal: true,
    reject: false,
  })
  const { summary } = JSON.parse(stdout) as { summary: { warnings: number } }
  return summary.warnings
}

const count = await countAssertions()
if (count > MOST_ASSERTIONS) {
  console.error(`src/generate/lint/assertions.ts: ${count} non-null assertions, the limit is ${MOST_ASSERTIONS}`)
  process.exitCode = 1
}
