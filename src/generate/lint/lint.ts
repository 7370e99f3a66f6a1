/**
 * `npm run lint`: runs every check and shows the findings of all of them. The exit code is 1 when any check fails.
 * A clean clone has what it runs after `npm ci`, which builds.
 */
import { fileURLToPath } from 'node:url'
import { execa } from '../../engines/process/execa.ts'
import { builtFile, ROOT } from '../../root.ts'

const built = (name: string): string => fileURLToPath(builtFile(`src/generate/lint/${name}.js`))

const CHECKS: readonly (readonly [command: string, ...args: string[]])[] = [
  ['biome', 'check', '.'],
  ['tsc', '-p', 'test'],
  ['tsc', '-p', 'web'],
  ['tsc', '-p', 'test/web'],
  [process.execPath, built('floors')],
  [process.execPath, built('check-references')],
  [process.execPath, built('assertions')],
]

for (const [command, ...args] of CHECKS) {
  const { failed } = await execa(command, args, { cwd: ROOT, preferLocal: true, stdio: 'inherit', reject: false })
  if (failed) process.exitCode = 1
}
