#!/usr/bin/env node
// CommonJS on purpose: an ES module is read by the thread pool, whose size could then no longer be set.
const { existsSync } = require('node:fs')
const { availableParallelism } = require('node:os')
const { join } = require('node:path')

const args = process.argv.slice(2)
const compiled = join(__dirname, '..', 'dist', 'src', 'cli', 'start.js')

if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${require('../package.json').version}\n`)
} else if (!existsSync(compiled)) {
  process.stderr.write('mediaproc: this checkout is not built yet\n  Build it with: npm run build\n')
  process.exitCode = 1
} else {
  // File work of many images waits for these threads; four, the default, leave cores idle.
  if (availableParallelism() > 4) process.env.UV_THREADPOOL_SIZE ??= String(availableParallelism())
  import('../dist/src/cli/start.js').then(({ start }) => start(args))
}
