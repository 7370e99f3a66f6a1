import { builtFile } from '../root.ts'

/** The address of a worker thread's entry in this folder. A worker cannot run TypeScript on Node 20, so it is the built one. */
export function workerUrl(name: string): URL {
  return builtFile(`src/engines/${name}.js`)
}
