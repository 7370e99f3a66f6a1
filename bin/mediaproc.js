#!/usr/bin/env node
// CommonJS on purpose: an ES module is read by the thread pool, whose size cannot be set afterwards.
const { existsSync, mkdirSync, statSync } = require('node:fs')
const { enableCompileCache } = require('node:module')
const { availableParallelism, homedir } = require('node:os')
const { join } = require('node:path')

const args = process.argv.slice(2)
const compiled = join(__dirname, '..', 'dist', 'src', 'cli', 'start.js')

/**
 * Node 22.8 and later can cache compiled code, which saves up to a sixth of a run. Cached code is executed unchecked: the cache is in the
 * user's cache folder (like `src/local/records`), and is not used if that belongs to another user, as HOME may under sudo.
 */
function keepCompiledCode() {
  const { MEDIAPROC_CACHE_DIR, XDG_CACHE_HOME, NODE_COMPILE_CACHE } = process.env
  if (!enableCompileCache || NODE_COMPILE_CACHE) return
  const caches =
    XDG_CACHE_HOME || join(homedir(), ...(process.platform === 'darwin' ? ['Library', 'Caches'] : ['.cache']))
  const own = MEDIAPROC_CACHE_DIR || join(caches, 'mediaproc')
  const folder = join(own, 'compiled')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const user = process.getuid?.()
    if (user === undefined || [own, folder].every((path) => statSync(path).uid === user)) enableCompileCache(folder)
  } catch {
    // Without such a folder code is compiled again.
  }
}

if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${require('../package.json').version}\n`)
} else if (!existsSync(compiled)) {
  process.stderr.write('mediaproc: this checkout is not built yet\n  Build it with: npm run build\n')
  process.exitCode = 1
} else {
  keepCompiledCode()
  // File operations of many images use these threads; the default of four leaves cores idle.
  if (availableParallelism() > 4) process.env.UV_THREADPOOL_SIZE ??= String(availableParallelism())
  import('../dist/src/cli/start.js').then(({ start }) => start(args))
}
