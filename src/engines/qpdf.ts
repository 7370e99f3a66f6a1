import { createRequire } from 'node:module'
import { basename, dirname, resolve } from 'node:path'
import { MediaprocError } from '../errors.ts'
import { firstOf } from '../lists.ts'
import type { Engine, EngineStatus } from './engine.ts'

/** The used part of the Emscripten module; the package's own types omit most of it. */
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
    unlink(path: string): void
    mkdir(path: string): void
    mount(type: unknown, options: { root: string }, path: string): void
  }
  /** Its memory; replaced when it grows. */
  HEAPU8: Uint8Array
  /** Emscripten file system that passes everything through to the host's. */
  NODEFS: unknown
}
type QpdfFactory = (settings: { locateFile(): string }) => Promise<QpdfModule>

const PACKAGE = '@neslinesli93/qpdf-wasm'
const FOLDER = '/job'

/** Mount point of a host folder, whose files are read and written in place. */
const HOST = '/host'

export interface QpdfResult {
  /** 0 success, 2 error, 3 success with warnings: https://qpdf.readthedocs.io/en/stable/cli.html#exit-status */
  exitCode: number
  stdout: string
  stderr: string
  /** Every file in the working folder afterwards, including the inputs, by name. */
  files: Map<string, Uint8Array>
}

/** An instance is used again until it has received this many bytes of arguments: it never frees them from its stack. */
const REUSED_ARGUMENTS = 4096

/** Stack used per argument besides its bytes, for alignment and the pointer to it. */
const PER_ARGUMENT = 24

/** An instance whose memory has grown beyond this is not used again, in bytes. */
const REUSED_MEMORY = 32 * 1024 * 1024

/** An instance with the bytes of arguments that it has received. */
type Spare = { qpdf: QpdfModule; received: number }

/** The instance that `describePdf` uses next. */
let spare: Promise<Spare> | undefined

/**
 * Runs qpdf as WebAssembly in this thread, with its own instance (30 ms). `files` are placed in its working folder
 * under their plain names. Arguments stay in this process: a password in them does not appear in process lists. This
 * build cannot rebuild a damaged cross-reference table: where the program would continue with a warning, it stops with
 * exit code 2, so pass it only undamaged files.
 * @param folder of the host, whose files qpdf reads and writes in place as `/host/NAME`, without a copy in memory
 */
export async function runQpdf(args: string[], files: Record<string, Uint8Array>, folder?: string): Promise<QpdfResult> {
  const qpdf = await createInstance()
  if (folder !== undefined) {
    qpdf.FS.mkdir(HOST)
    qpdf.FS.mount(qpdf.NODEFS, { root: folder }, HOST)
  }
  for (const [name, bytes] of Object.entries(files)) qpdf.FS.writeFile(name, bytes)
  const answer = runMain(qpdf, args)
  const results = new Map<string, Uint8Array>()
  for (const name of qpdf.FS.readdir('.')) if (name !== '.' && name !== '..') results.set(name, qpdf.FS.readFile(name))
  return { ...answer, files: results }
}

/** Compiles qpdf in the background, for the next `describePdf`: V8 does so in other threads while this one works. */
export function prepareQpdf(): void {
  spare ??= newInstance()
  // Its next user receives the failure.
  spare.catch(() => {})
}

/** qpdf writes the description to a file: each word on its standard output is a call out of WebAssembly, which doubles the time. */
const DESCRIPTION = 'description.json'
const DESCRIBE = ['--json=2', '--json-key=qpdf', '--json-key=encrypt', '--json-stream-data=none']

/**
 * The objects of a PDF as JSON, without stream data (https://qpdf.readthedocs.io/en/stable/json.html).
 * @param file its bytes, or its path: qpdf then reads it from disk. Calls with bytes share an instance, one after the
 *   other; after an error or a warning, the next call gets a new one.
 * @throws MediaprocError PROCESSING_FAILED when qpdf cannot read it
 */
export async function describePdf(file: Uint8Array | string, password: string): Promise<string> {
  const args = [`--password=${password}`, ...DESCRIBE]
  if (typeof file === 'string') {
    const onDisk = [...args, hostPath(file), DESCRIPTION]
    const answer = await runQpdf(onDisk, {}, dirname(resolve(file)))
    return descriptionOf(answer, () => answer.files.get(DESCRIPTION))
  }
  const taking = spare ?? newInstance()
  spare = undefined
  const taken = await taking
  const { qpdf } = taken
  qpdf.FS.writeFile('input.pdf', file)
  const all = [...args, 'input.pdf', DESCRIPTION]
  const received = taken.received + all.reduce((sum, one) => sum + Buffer.byteLength(one) + PER_ARGUMENT, 0)
  const answer = runMain(qpdf, all)
  qpdf.FS.unlink('input.pdf')
  if (answer.exitCode === 0 && received < REUSED_ARGUMENTS && qpdf.HEAPU8.length <= REUSED_MEMORY)
    spare = Promise.resolve({ qpdf, received })
  return descriptionOf(answer, () => qpdf.FS.readFile(DESCRIPTION))
}

function descriptionOf({ exitCode, stderr }: Omit<QpdfResult, 'files'>, written: () => Uint8Array | undefined): string {
  if (exitCode !== 0 && exitCode !== 3)
    throw new MediaprocError('PROCESSING_FAILED', 'qpdf cannot read the PDF', { detail: stderr })
  return new TextDecoder().decode(written())
}

const newInstance = async (): Promise<Spare> => ({ qpdf: await createInstance(), received: 0 })

async function createInstance(): Promise<QpdfModule> {
  const require = createRequire(import.meta.url)
  const create = require(PACKAGE) as QpdfFactory
  const wasm = require.resolve(`${PACKAGE}/dist/qpdf.wasm`)
  const qpdf = await create({ locateFile: () => wasm })
  qpdf.FS.mkdir(FOLDER)
  qpdf.FS.chdir(FOLDER)
  return qpdf
}

/** Runs the program once. The module always writes to the console; files in place of its descriptors capture the output. */
function runMain(qpdf: QpdfModule, args: string[]): Omit<QpdfResult, 'files'> {
  for (const [descriptor, path] of [
    [1, '/stdout'],
    [2, '/stderr'],
  ] as const) {
    qpdf.FS.close(qpdf.FS.streams[descriptor])
    qpdf.FS.open(path, 'w')
  }
  const exitCode = callMain(qpdf, args)
  const text = (path: string) => new TextDecoder().decode(qpdf.FS.readFile(path))
  return { exitCode, stdout: text('/stdout'), stderr: text('/stderr') }
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

/** Runs qpdf on `input.pdf` and returns `output.pdf`; warnings are not failures. */
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

/** Linearizes the document for fast web view. `password` opens an encrypted one; keeps its encryption. */
export function linearize(bytes: Uint8Array, password = ''): Promise<Uint8Array> {
  // By default qpdf derives the second half of the ID from the time, so that two runs differ; it cannot derive it from
  // the content of an encrypted file. The trailer, which references the encryption, is never compressed.
  const id = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('/Encrypt')
    ? []
    : ['--deterministic-id']
  const args = [`--password=${password}`, '--allow-weak-crypto', ...id, '--linearize', 'input.pdf', 'output.pdf']
  return transformWithQpdf(args, { 'input.pdf': bytes }, 'ordered for fast web view')
}

/** Encrypts `bytes` with the passwords and restrictions of `encrypted`, which `password` opens. */
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

/** Changes that `rewriteFile` can make. */
export interface FileChanges {
  /** Encrypt like this document, which the password opens. */
  encryption?: { bytes: Uint8Array; password: string } | undefined
  /** Linearize for fast web view. */
  linearize?: boolean | undefined
}

/**
 * Writes the unencrypted PDF `input` to `output`, with the changes. Both are files in one folder on disk, and neither
 * is held completely in memory.
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

/** The name under which qpdf finds a file of the folder passed to `runQpdf`. */
export function hostPath(path: string): string {
  return `${HOST}/${basename(path)}`
}

export interface PdfCheck {
  /** No errors; warnings are allowed. */
  ok: boolean
  warnings: boolean
  messages: string[]
}

/** `qpdf --check`: structure, linearization, every stream's filters. See `runQpdf` for damaged files. */
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
  purpose: 'linearizing PDFs for fast web view, keeping encryption, checking',
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
      return { available: false, warning: firstOf(String((error as Error).message).split('\n')) }
    }
  },
}
