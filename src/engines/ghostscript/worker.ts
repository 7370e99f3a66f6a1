/** The thread that runs Ghostscript's WebAssembly build. */
import { answerRequests } from '../workers/worker-answers.ts'

export interface GhostscriptRequest {
  /** The URL of the library. */
  library: string
  args: readonly string[]
  files: readonly (readonly [name: string, bytes: Uint8Array])[]
}

export interface GhostscriptAnswer {
  exitCode: number
  /** The end of its output. */
  text: string
  files: [name: string, bytes: Uint8Array][]
}

/** The used part of the library's API. */
interface Library {
  callMain(args: readonly string[]): number
  FS: {
    mkdir(path: string): void
    chdir(path: string): void
    readdir(path: string): string[]
    readFile(path: string): Uint8Array
    writeFile(path: string, bytes: Uint8Array): void
  }
}

interface LibraryOptions {
  print(line: string): void
  printErr(line: string): void
  stdin(): null
}

/** How much of the end of the output is kept. */
const MAX_LINES = 200

answerRequests<GhostscriptRequest, GhostscriptAnswer>(async ({ library, args, files }) => {
  const { default: create } = (await import(library)) as { default: (options: LibraryOptions) => Promise<Library> }
  const lines: string[] = []
  const keep = (line: string): void => {
    lines.push(line)
    if (lines.length > MAX_LINES) lines.shift()
  }
  const { FS, callMain } = await create({ print: keep, printErr: keep, stdin: () => null })
  FS.mkdir('/job')
  FS.chdir('/job')
  for (const [name, bytes] of files) FS.writeFile(name, bytes)
  const exitCode = callMain(args)
  const given = new Set(files.map(([name]) => name))
  const written = FS.readdir('.').filter((name) => name !== '.' && name !== '..' && !given.has(name))
  const results = written.map((name): [string, Uint8Array] => [name, FS.readFile(name)])
  return {
    answer: { exitCode, text: lines.join('\n'), files: results },
    transfer: results.map(([, bytes]) => bytes.buffer),
  }
})
