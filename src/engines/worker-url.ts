import { extname } from 'node:path'

/**
 * The address of a worker thread's entry in this folder. A worker cannot run TypeScript on Node 20, so code that runs
 * uncompiled (the tests) uses the built entry.
 */
export function workerUrl(name: string): URL {
  const built = extname(import.meta.url) === '.js'
  return new URL(built ? `./${name}.js` : `../../dist/src/engines/${name}.js`, import.meta.url)
}
