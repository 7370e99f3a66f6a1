/**
 * `npm run lint`: runs every check and shows the findings of all of them. The exit code is 1 when any check fails.
 * A clean clone has what it runs after `npm ci`, which builds.
 */
import { fileURLToPath } from 'node:url'
import { mapConcurrently } from '../../concurrency.ts'
import { execa } from '../../engines/process/execa.ts'
import { builtFile, ROOT } from '../../root.ts'

const built = (name: string): string => fileURLToPath(builtFile(`src/generate/lint/${name}.js`))

/** The longest first. The compiler uses one core. */
const CHECKS: readonly (readonly [command: string, ...args: string[]])[] = [
  ['tsc', '-p', 'test'],
  ['biome', 'check', '.'],
  ['tsc', '-p', 'web'],
  ['tsc', '-p', 'test/web'],
  [process.execPath, built('floors')],
  [process.execPath, built('check-references')],
  [process.execPath, built('assertions')],
]
const AT_ONCE = 2

/** The output of a check is printed when it ends: that of two would be mixed. */
await mapConcurrently(CHECKS, AT_ONCE, async ([command, ...args]) => {
  const { all, failed } = await execa(command, args, {
    ...{ cwd: ROOT, preferLocal: true, all: true, reject: false },
    stdin: 'ignore',
  })
  if (all) process.stdout.write(`${all}\n`)
  if (failed) process.exitCode = 1
})
