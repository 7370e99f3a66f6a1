import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { environmentNumber } from '../../environment.ts'
import { MediaprocError } from '../../errors.ts'
import { type Engine, type EngineStatus, engineUnavailable } from '../engine.ts'
import { canTakeNetwork, withoutNetwork } from '../process/no-network.ts'
import { runProgram } from '../process/process.ts'
import { findProgram } from '../process/programs.ts'
import { withTemporaryFolder } from '../process/temporary.ts'
import { lacksMath, MATH_INSTALL } from './math.ts'
import { writeProfile } from './profile.ts'

/** Input types and their import filters: LibreOffice must not guess, as a guess can select any of its 200 filters. */
const READERS = {
  docx: 'MS Word 2007 XML',
  doc: 'MS Word 97',
  odt: 'writer8',
  rtf: 'Rich Text Format',
  txt: 'Text (encoded):UTF8,LF,,,',
  xlsx: 'Calc MS Excel 2007 XML',
  xls: 'MS Excel 97',
  ods: 'calc8',
  pptx: 'Impress MS PowerPoint 2007 XML',
  ppt: 'MS PowerPoint 97',
  odp: 'impress8',
} as const

export type OfficeInput = keyof typeof READERS

/** Tags and bookmarks, for navigation in the PDF. */
const PRINTING = {
  UseTaggedPDF: { type: 'boolean', value: 'true' },
  ExportBookmarks: { type: 'boolean', value: 'true' },
}

const printer = (module: 'writer' | 'calc' | 'impress'): string =>
  `pdf:${module}_pdf_Export:${JSON.stringify(PRINTING)}`

/** Output formats, as passed to `--convert-to`. */
const WRITERS = {
  docx: 'docx:MS Word 2007 XML',
  odt: 'odt:writer8',
  rtf: 'rtf:Rich Text Format',
  txt: 'txt:Text (encoded):UTF8,LF',
  pptx: 'pptx:Impress MS PowerPoint 2007 XML',
  odp: 'odp:impress8',
} as const

export type OfficeOutput = keyof typeof WRITERS | 'pdf'

const MODULES: readonly [types: readonly string[], module: 'writer' | 'calc' | 'impress'][] = [
  [['docx', 'doc', 'odt', 'rtf', 'txt'], 'writer'],
  [['xlsx', 'xls', 'ods'], 'calc'],
  [['pptx', 'ppt', 'odp'], 'impress'],
]

const writerFor = (from: OfficeInput, to: OfficeOutput): string =>
  to === 'pdf' ? printer(MODULES.find(([types]) => types.includes(from))![1]) : WRITERS[to]

export const findLibreOffice = () =>
  findProgram({ environment: 'MEDIAPROC_LIBREOFFICE', names: ['soffice', 'libreoffice', 'loffice'] })

export const libreoffice: Engine = {
  id: 'libreoffice',
  purpose: 'converting text documents, spreadsheets and presentations',
  kind: 'program',
  licence: 'MPL-2.0',
  install:
    'apt-get install libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui libreoffice-math-nogui fonts-liberation',
  environment: 'MEDIAPROC_LIBREOFFICE',
  async probe(): Promise<EngineStatus> {
    const program = await findLibreOffice().catch(() => undefined)
    if (!program) return { available: false }
    const { path, source } = program
    const { stdout } = await runProgram(path, ['--version'], { what: 'LibreOffice', timeoutMs: 10_000 }).catch(() => ({
      stdout: '',
    }))
    const warning = (await lacksMath(path))
      ? `its component Math is not installed, so equations are missing in what it writes: ${MATH_INSTALL}`
      : undefined
    const protection = (await canTakeNetwork())
      ? 'runs without a network, in a namespace of its own'
      : 'runs with the network of this machine: the system gives no namespaces (unshare); what documents name elsewhere is taken out before'
    const version = /\d+(\.\d+)+/.exec(stdout)?.[0]
    return { available: true, path, source, version, protection, ...(warning && { warning }) }
  },
}

/** The install command for LibreOffice's component Math; undefined if it is installed or that cannot be determined. */
export async function missingMath(): Promise<string | undefined> {
  const program = await findLibreOffice()
  return program && (await lacksMath(program.path)) ? MATH_INSTALL : undefined
}

/**
 * Stops a run that takes too long. (The runner's own timeout is for short runs: it does not end a program when this
 * process is killed.)
 */
async function withTimeLimit<T>(signal: AbortSignal, work: (limited: AbortSignal) => Promise<T>): Promise<T> {
  const seconds = environmentNumber('LIBREOFFICE_TIMEOUT_S')
  const limit = new AbortController()
  const stop = (): void =>
    limit.abort(
      new MediaprocError('TIMEOUT', `LibreOffice did not finish within ${seconds} s and was stopped`, {
        hint: 'LIBREOFFICE_TIMEOUT_S is the limit; try a smaller document.',
      }),
    )
  const timer = seconds > 0 ? setTimeout(stop, Math.min(seconds * 1000, 2 ** 31 - 1)) : undefined
  try {
    return await work(AbortSignal.any([signal, limit.signal]))
  } finally {
    clearTimeout(timer)
  }
}

export interface OfficeRequest {
  bytes: Uint8Array
  from: OfficeInput
  to: OfficeOutput
  /** The document's name in messages. */
  name: string
  signal: AbortSignal
}

/**
 * Converts a document in a separate LibreOffice process with a fresh profile, which is always ended afterwards. The
 * document must not contain external references (src/media/office/closed-copy.ts).
 * @throws MediaprocError ENGINE_UNAVAILABLE, TIMEOUT, CANCELED; INVALID_FILE if it cannot be opened; PROCESSING_FAILED
 */
export async function convertOffice({ bytes, from, to, name, signal }: OfficeRequest): Promise<Uint8Array> {
  const program = await findLibreOffice()
  if (!program) throw engineUnavailable(libreoffice, `Reading ${from.toUpperCase()}`)
  return withTemporaryFolder(async (folder) => {
    const { folder: profile, fonts } = await writeProfile(folder, program.path)
    const [input, output] = [join(folder, `in.${from}`), join(folder, 'out')]
    await mkdir(output)
    await writeFile(input, bytes)
    const args = [
      `-env:UserInstallation=${pathToFileURL(profile).href}`,
      ...['--headless', '--norestore', '--nolockcheck', '--nodefault', '--nologo'],
      `--infilter=${READERS[from]}`,
      ...['--convert-to', writerFor(from, to), '--outdir', output, input],
    ]
    const alone = await withoutNetwork(program.path, args)
    const { stderr } = await withTimeLimit(signal, (limited) =>
      runProgram(alone.program, alone.args, {
        what: 'LibreOffice',
        signal: limited,
        cwd: folder,
        stdout: 'ignore',
        environment: {
          HOME: folder,
          TMPDIR: folder,
          TEMP: folder,
          TMP: folder,
          LANG: 'C.UTF-8',
          FONTCONFIG_FILE: fonts,
        },
      }),
    )
    const [made] = await readdir(output)
    // It also exits with success if it could not open or write anything.
    if (made === undefined)
      throw new MediaprocError('INVALID_FILE', `${name} is damaged: LibreOffice cannot open it`, {
        detail: stderr.trim(),
      })
    return readFile(join(output, made))
  })
}
