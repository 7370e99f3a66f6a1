/**
 * Builds dist/. `--if-changed` skips it when dist/ was built from the present sources: tests run it, and on a fresh clone
 * `npm ci` has just built.
 */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { argv } from 'node:process'
import { isCurrent, ROOT, STAMP, sum, writeStamp } from './sources.mjs'

/** Before the build: what changes meanwhile makes the next build necessary. */
const sources = sum()
if (!argv.includes('--if-changed') || !isCurrent(sources)) {
  rmSync(STAMP, { force: true })
  execFileSync('npm', ['run', 'build:all'], { cwd: ROOT, stdio: 'inherit', shell: process.platform === 'win32' })
  writeStamp(sources)
}
