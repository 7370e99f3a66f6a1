/**
 * The body of the worker thread that runs Ghostscript's WebAssembly build, as source text. A worker needs a file that
 * plain Node can run: beside this module there is a `.ts` under vitest and a `.js` in dist, and a test runner compiles
 * modules for the main thread only. Source text started with `{ eval: true }` is the same in both. It gets the address of
 * the library, the arguments and the files as `workerData`, and posts one message.
 */
export const GHOSTSCRIPT_WORKER = `
const { parentPort, workerData } = require('node:worker_threads')

async function main() {
  const { library, args, files } = workerData
  const { default: create } = await import(library)
  const lines = []
  const keep = (line) => {
    lines.push(line)
    if (lines.length > 200) lines.shift()
  }
  const ghostscript = await create({ print: keep, printErr: keep, stdin: () => null })
  ghostscript.FS.mkdir('/job')
  ghostscript.FS.chdir('/job')
  for (const [name, bytes] of files) ghostscript.FS.writeFile(name, bytes)
  const exitCode = ghostscript.callMain(args)
  const given = new Set(files.map(([name]) => name))
  const results = ghostscript.FS.readdir('.')
    .filter((name) => name !== '.' && name !== '..' && !given.has(name))
    .map((name) => [name, ghostscript.FS.readFile(name)])
  parentPort.postMessage({ exitCode, text: lines.join('\\n'), files: results }, results.map(([, bytes]) => bytes.buffer))
}

main().catch((error) => {
  parentPort.postMessage({ exitCode: 1, text: String((error && error.message) || error), files: [] })
})
`

/** What the worker posts. */
export interface GhostscriptAnswer {
  exitCode: number
  /** The end of what it printed. */
  text: string
  files: Array<[name: string, bytes: Uint8Array]>
}
