/**
 * Loaded into the program with --import: kills it with SIGKILL just before file change number KILL_AT,
 * so that a test can try a kill at every step.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module'

const promises = createRequire(import.meta.url)('node:fs/promises')
let left = Number(process.env.KILL_AT)
for (const name of ['rename', 'link', 'unlink', 'rmdir', 'rm']) {
  const original = promises[name]
  promises[name] = (...args) => {
    left -= 1
    if (left === 0) process.kill(process.pid, 'SIGKILL')
    return original(...args)
  }
}
syncBuiltinESMExports()
