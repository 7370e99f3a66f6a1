import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { environmentText } from '../../environment.ts'
import type { FinishedOutput } from '../../local/output-paths.ts'
import type { JobOutcome } from '../../local/planned-run.ts'
import { printableName } from '../../media/file.ts'
import { readableSize } from '../../wording.ts'
import type { CommandOptions } from '../input/effective-options.ts'
import type { Io } from './io.ts'
import { shortTime } from './pace.ts'
import { percentChange } from './text.ts'

/** A column of facts. Names come last, so that their width never moves a column. */
interface Column {
  /** For several lines: as wide as usual values. */
  width: number
  /** Terminals with fewer columns omit it. */
  minTerminal: number
}

const COLUMNS = {
  dimensions: { width: 11, minTerminal: 72 },
  size: { width: 8, minTerminal: 0 },
  change: { width: 6, minTerminal: 50 },
  time: { width: 6, minTerminal: 60 },
} as const satisfies Record<string, Column>

type Facts = Readonly<Record<keyof typeof COLUMNS, string>>

const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]

type Done = Extract<JobOutcome, { ok: true }>

/** Each variant is the whole input; the parts of a set are not. */
function changeOf({ outputs, inputBytes }: Done, { bytes, variant }: FinishedOutput): string {
  return inputBytes && (outputs.length === 1 || variant !== undefined) ? percentChange(inputBytes, bytes) : ''
}

/** The URL of a file for a terminal, which may be on another machine. */
function fileUrl(path: string): string {
  const url = pathToFileURL(resolve(path))
  // A drive letter of Windows excludes a host.
  if (process.platform !== 'win32') url.host = hostname()
  return url.href
}

/** Results on a terminal: `480 × 320  41.8 kB  −66 %  31 ms  photo_resize.jpg`, with aligned columns for several. */
export class ResultLines {
  readonly #io: Io
  readonly #isAligned: boolean
  readonly #hasLinks: boolean
  /** Columns that the first result had: the others are empty, such as dimensions of audio. */
  #used: readonly (keyof typeof COLUMNS)[] | undefined

  /** @param jobs the number of jobs */
  constructor(io: Io, jobs: number, hasLinks: boolean) {
    this.#io = io
    this.#isAligned = jobs > 1
    this.#hasLinks = hasLinks
  }

  /** Prints the files of a job. @param dimensions by path */
  print(outcome: Done, dimensions: ReadonlyMap<string, string>): void {
    const files = outcome.outputs.filter(({ path }) => path !== '-')
    const rows = files.map(
      (output, index): Facts => ({
        dimensions: dimensions.get(output.path) ?? '',
        size: readableSize(output.bytes),
        change: changeOf(outcome, output),
        // The time of the job, once.
        time: index === 0 ? shortTime(outcome.ms) : '',
      }),
    )
    this.#used ??= NAMES.filter(
      (name) => this.#io.width >= COLUMNS[name].minTerminal && rows.some((row) => row[name] !== ''),
    )
    for (const [index, row] of rows.entries())
      this.#io.out(`${this.#facts(row, files.length)}${this.#name(files[index])}\n`)
  }

  #facts(row: Facts, lines: number): string {
    const { dim, green, yellow } = this.#io.outColours
    return (this.#used ?? [])
      .map((name) => {
        const text = this.#isAligned || lines > 1 ? row[name].padStart(COLUMNS[name].width) : row[name]
        if (name !== 'change') return `${dim(text)}  `
        return `${row.change.startsWith('−') ? green(text) : row.change.startsWith('+') ? yellow(text) : dim(text)}  `
      })
      .join('')
  }

  #name(output: FinishedOutput | undefined): string {
    if (!output) return ''
    const shown = printableName(output.path)
    return this.#hasLinks ? `\u001b]8;;${fileUrl(output.path)}\u001b\\${shown}\u001b]8;;\u001b\\` : shown
  }
}

async function supportsLinks(io: Io): Promise<boolean> {
  if (environmentText('NO_COLOR') !== '' || !io.movesCursor) return false
  const forced = environmentText('FORCE_HYPERLINK')
  if (forced !== '') return forced !== '0' && forced !== 'false'
  const { createSupportsHyperlinks } = await import('supports-hyperlinks')
  return createSupportsHyperlinks(io.stdout as NodeJS.WriteStream)
}

/** The display of results on a terminal; undefined for pipes, --quiet and --json, which print paths, nothing or records. */
export async function resultLines(
  io: Io,
  { quiet, json }: Pick<CommandOptions, 'quiet' | 'json'>,
  jobs: number,
): Promise<ResultLines | undefined> {
  if (!io.stdoutIsTerminal || quiet || json) return undefined
  return new ResultLines(io, jobs, await supportsLinks(io))
}
