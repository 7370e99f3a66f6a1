import { createRequire } from 'node:module'
import { basename, dirname } from 'node:path'
import { MediaprocError } from '../errors.ts'
import type { Engine, EngineStatus } from './engine.ts'

/** The part of the Emscripten module that is used; the package's own types leave most of it out. */
interface QpdfModule {
  callMain(argumentsOfMain: string[]): number
  FS: {
    streams: unknown[]
    open(path: string, flags: string): unknown
    close(stream: unknown): void
    writeFile(path: string, bytes: Uint8Array): void
    readFile(path: string): Uint8Array
    readdir(path: string): string[]
    chdir(path: string): void
    mkdir(path: string): void
    mount(type: unknown, options: { root: string }, path: string): void
  }
  /** File system of Emscripten that passes everything to the one of the host. */
  NODEFS: unknown
}
type QpdfFactory = (settings: { locateFile(): string }) => Promise<QpdfModule>

const PACKAGE = '@neslinesli93/qpdf-wasm'
const FOLDER = '/job'

/** Mount point of a host folder whose files are read and written in place. */
const HOST = '/host'

export interface QpdfResult {
  /** 0 done, 2 error, 3 done with warnings: https://qpdf.readthedocs.io/en/stable/cli.html#exit-status */
  exitCode: number
  stdout: string
  stderr: string
  /** Every file that is in the working folder afterwards, the inputs included, by name. */
  files: Map<string, Uint8Array>
}

/**
 * qpdf as WebAssembly in this thread, with a new instance (30 ms). `files` are in its working folder under
 * their plain names. Arguments stay in this process: a password in them does not appear in a process list.
 * This build cannot rebuild a damaged cross-reference table: where the program would continue with a warning, it fails with
 * exit code 2. Only pass undamaged files.
 * @param folder host folder whose files qpdf reads and writes in place as `/host/NAME`, without a copy in memory
 */
export async function runQpdf(args: string[], files: Record<string, Uint8Array>, folder?: string): Promise<QpdfResult> {
  const require = createRequire(import.meta.url)
  const create = require(PACKAGE) as QpdfFactory
  const wasm = require.resolve(`${PACKAGE}/dist/qpdf.wasm`)
  const qpdf = await create({ locateFile: () => wasm })
  // The module always writes to the console; files in place of its descriptors 1 and 2 capture the output.
  for (const [descriptor, path] of [
    [1, '/stdout'],
    [2, '/stderr'],
  ] as const) {
    qpdf.FS.close(qpdf.FS.streams[descriptor])
    qpdf.FS.open(path, 'w')
  }
  qpdf.FS.mkdir(FOLDER)
  if (folder !== undefined) {
    qpdf.FS.mkdir(HOST)
    qpdf.FS.mount(qpdf.NODEFS, { root: folder }, HOST)
  }
  qpdf.FS.chdir(FOLDER)
  for (const [name, bytes] of Object.entries(files)) qpdf.FS.writeFile(name, bytes)
  const exitCode = callMain(qpdf, args)
  const results = new Map<string, Uint8Array>()
  for (const name of qpdf.FS.readdir('.')) if (name !== '.' && name !== '..') results.set(name, qpdf.FS.readFile(name))
  const text = (path: string) => new TextDecoder().decode(qpdf.FS.readFile(path))
  return { exitCode, stdout: text('/stdout'), stderr: text('/stderr'), files: results }
}

function callMain(qpdf: QpdfModule, args: string[]): number {
  const before = process.exitCode
  try {
    return qpdf.callMain(args)
  } catch (error) {
    throw new MediaprocError('PROCESSING_FAILED', 'The PDF could not be processed', {
      cause: error,
      detail: `qpdf: ${error instanceof Error ? error.message : String(error)}`,
    })
  } finally {
    // Emscripten's exit() sets the exit code of our own process.
    process.exitCode = before
  }
}

/** Runs qpdf on `input.pdf` and returns `output.pdf`; warnings are no failure. */
export async function transformWithQpdf(
  args: string[],
  files: Record<string, Uint8Array>,
  what: string,
): Promise<Uint8Array> {
  const result = await runQpdf(args, files)
  const output = result.files.get('output.pdf')
  if ((result.exitCode !== 0 && result.exitCode !== 3) || !output?.length) {
    throw new MediaprocError('PROCESSING_FAILED', `The PDF could not be ${what}`, {
      detail: `qpdf, exit code ${result.exitCode}: ${result.stderr}`,
    })
  }
  return output
}

/** The same document ordered for fast web view. `password` opens an encrypted one; its encryption is kept. */
export function linearize(bytes: Uint8Array, password = ''): Promise<Uint8Array> {
  // qpdf makes the second half of the ID of the time, so that two runs differ; of the content it cannot where that is
  // encrypted. The trailer, which names the encryption, is never compressed.
  const id = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('/Encrypt')
    ? []
    : ['--deterministic-id']
  const args = [`--password=${password}`, '--allow-weak-crypto', ...id, '--linearize', 'input.pdf', 'output.pdf']
  return transformWithQpdf(args, { 'input.pdf': bytes }, 'ordered for fast web view')
}

/** `bytes`, encrypted with the passwords and restrictions of `encrypted`, which `password` opens. */
export function copyEncryption(bytes: Uint8Array, encrypted: Uint8Array, password = ''): Promise<Uint8Array> {
  const args = [
    '--copy-encryption=encrypted.pdf',
    `--encryption-file-password=${password}`,
    '--allow-weak-crypto',
    'input.pdf',
    'output.pdf',
  ]
  return transformWithQpdf(args, { 'input.pdf': bytes, 'encrypted.pdf': encrypted }, 'encrypted as its source was')
}

/** The changes that `rewriteFile` makes. */
export interface FileChanges {
  /** Encrypt as this document is, which the password opens. */
  encryption?: { bytes: Uint8Array; password: string } | undefined
  /** Order for fast web view. */
  linearize?: boolean | undefined
}

/**
 * Writes the plain PDF `input` to `output`, with its changes. Both are files on disk in one folder, and neither is held in
 * memory as a whole.
 */
export async function rewriteFile(
  input: string,
  output: string,
  { encryption, linearize: ordered }: FileChanges,
): Promise<void> {
  const args = [
    ...(encryption
      ? ['--copy-encryption=encrypted.pdf', `--encryption-file-password=${encryption.password}`, '--allow-weak-crypto']
      : ['--deterministic-id']),
    ...(ordered ? ['--linearize'] : []),
    hostPath(input),
    hostPath(output),
  ]
  const files: Record<string, Uint8Array> = encryption ? { 'encrypted.pdf': encryption.bytes } : {}
  const { exitCode, stderr } = await runQpdf(args, files, dirname(output))
  if (exitCode === 0 || exitCode === 3) return
  throw new MediaprocError('PROCESSING_FAILED', 'The PDF could not be written', {
    detail: `qpdf, exit code ${exitCode}: ${stderr}`,
  })
}

/** The name under which qpdf finds a file of the folder that `runQpdf` was given. */
export function hostPath(path: string): string {
  return `${HOST}/${basename(path)}`
}

export interface PdfCheck {
  /** No errors; warnings are allowed. */
  ok: boolean
  warnings: boolean
  messages: string[]
}

/** `qpdf --check`: structure, linearization, every stream's filters. See `runQpdf` on damaged files. */
export async function checkPdf(bytes: Uint8Array, password = ''): Promise<PdfCheck> {
  const { exitCode, stderr } = await runQpdf([`--password=${password}`, '--check', 'input.pdf'], { 'input.pdf': bytes })
  return {
    ok: exitCode === 0 || exitCode === 3,
    warnings: exitCode === 3,
    messages: stderr.split('\n').filter((line) => line.trim() !== ''),
  }
}

export const qpdf: Engine = {
  id: 'qpdf',
  purpose: 'ordering PDFs for fast web view, keeping encryption, checking',
  kind: 'library',
  licence: 'Apache-2.0',
  install: `npm install ${PACKAGE}`,
  blocking: true,
  async probe(): Promise<EngineStatus> {
    try {
      const { stdout } = await runQpdf(['--version'], {})
      const version = /version (\S+)/.exec(stdout)?.[1]
      return { available: true, path: PACKAGE, source: 'package', ...(version ? { version } : {}) }
    } catch (error) {
      return { available: false, warning: String((error as Error).message).split('\n')[0]! }
    }
  },
}
