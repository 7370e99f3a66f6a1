import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { afterEach, beforeAll, beforeEach } from 'vitest'
import { programEnvironment, type Ran, type RunProgram, runProgramHere } from './program-here.ts'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
export const PROGRAM = join(ROOT, 'bin', 'mediaproc.js')

function newest(folder: string): number {
  return Math.max(
    0,
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs),
  )
}

const isBuilt = (): boolean => {
  const marks = ['src/cli/start.js', 'catalogue.json', 'schemas/record.json'].map((name) => join(ROOT, 'dist', name))
  if (!marks.every((mark) => existsSync(mark))) return false
  return statSync(marks[1]!).mtimeMs > Math.max(newest(join(ROOT, 'src')), newest(join(ROOT, 'tools')))
}

const pause = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/** Builds dist/ if it is missing or older than the sources; concurrent test files build once. */
export function buildProgram(): void {
  if (isBuilt()) return
  const lock = join(tmpdir(), 'mediaproc-test-build.lock')
  const patience = Date.now() + 120_000
  for (;;) {
    try {
      mkdirSync(lock)
      break
    } catch {
      if (Date.now() > patience) throw new Error(`another build holds ${lock}`)
      pause(200)
    }
  }
  try {
    if (isBuilt()) return
    // Type errors are reported by the type check: the compiler emits code nevertheless.
    spawnSync('npx', ['tsc', '-p', '.'], { cwd: ROOT, stdio: 'ignore' })
    for (const step of ['catalogue', 'schemas'])
      execFileSync('node', [`dist/src/generate/docs/${step}.js`], { cwd: ROOT })
  } finally {
    rmdirSync(lock)
  }
}

export type { Ran, RunProgram } from './program-here.ts'

/** Starts the program as a user would; without colours and terminals. */
export function startProgram(args: readonly string[], options: RunProgram): ChildProcess {
  const [cwd, env] = [options.cwd, programEnvironment(options)]
  return spawn(process.execPath, [PROGRAM, ...args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
}

/** How a program ended, as reported by a shell: its exit code, or 128 plus the number of the signal that ended it. */
export function statusOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) =>
    child.on('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal!])),
  )
}

/** Runs the program to its end in its own process: for tests of signals and closed streams. */
export async function runProgram(args: readonly string[], options: RunProgram): Promise<Ran> {
  const child = startProgram(args, options)
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout!.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr!.on('data', (chunk: Buffer) => err.push(chunk))
  const ended = statusOf(child)
  child.stdin!.on('error', () => {})
  child.stdin!.end(options.stdin)
  const code = await ended
  const bytes = Buffer.concat(out)
  return { code, bytes, stdout: bytes.toString('utf8'), stderr: Buffer.concat(err).toString('utf8') }
}

/** A fresh folder, and the function that removes it. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'mediaproc-test-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Sorted names in a folder and below, including hidden ones. */
export function namesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String).sort()
}

export interface Scene {
  /** A fresh folder for each test with a.jpg, a picture of 40 x 20 pixels. */
  readonly path: string
  at(...parts: string[]): string
  /** Writes a picture of 40 x 20 pixels in one colour. */
  picture(name: string, background?: string): Promise<void>
  /** Runs the program in the process of the test. */
  run(args: readonly string[], extra?: Omit<RunProgram, 'cwd'>): Promise<Ran>
  /** Runs it in its own process. */
  start(args: readonly string[], extra?: Omit<RunProgram, 'cwd'>): Promise<Ran>
  /** `mediaproc image resize --width 10` with more options. */
  resize(...args: string[]): Promise<Ran>
  widthOf(name: string): Promise<number>
}

/** A folder per test, and short functions to run the program in it. */
export function useScene(): Scene {
  let folder: ReturnType<typeof temporaryFolder>
  const at = (...parts: string[]): string => join(folder.path, ...parts)
  const run: Scene['run'] = (args, extra) => runProgramHere(args, { cwd: folder.path, ...extra })
  const start: Scene['start'] = (args, extra) => runProgram(args, { cwd: folder.path, ...extra })
  const picture: Scene['picture'] = async (name, background = '#c04020') => {
    const image = sharp({ create: { width: 40, height: 20, channels: 3, background } })
    const format = name.slice(name.lastIndexOf('.') + 1).replace('jpg', 'jpeg') as 'jpeg' | 'png'
    writeFileSync(at(name), await image.toFormat(format).toBuffer())
  }
  beforeEach(async () => {
    folder = temporaryFolder()
    await picture('a.jpg')
  })
  afterEach(() => folder.remove())
  return {
    get path() {
      return folder.path
    },
    at,
    picture,
    run,
    start,
    resize: (...args) => run(['image', 'resize', '--width', '10', ...args]),
    widthOf: async (name) => (await sharp(readFileSync(at(name))).metadata()).width,
  }
}

/** As `useScene`, with a build of the program for runs in their own process. */
export function useBuiltScene(): Scene {
  beforeAll(buildProgram, 180_000)
  return useScene()
}
