import type { Readable, Writable } from 'node:stream'
import { isatty } from 'node:tty'
import picocolors from 'picocolors'
import { environmentText } from '../../environment.ts'
import { EXIT } from '../../errors.ts'
import type { Streams } from '../../local/inputs.ts'

type Colours = ReturnType<typeof picocolors.createColors>

/** The terminal as commands see it, so that tests can substitute buffers. */
export interface Io extends Streams {
  stderr: Writable
  stderrIsTerminal: boolean
  /** Terminals can move their cursor, so that progress can be drawn. */
  movesCursor: boolean
  /** Columns of the terminal, 80 if there is none. */
  width: number
  /** Colours for standard output and for standard error; no-ops if the stream is not a terminal. */
  outColours: Colours
  errColours: Colours
  /** Writes results. */
  out(text: string): void
  /** Writes messages. */
  err(text: string): void
}

export interface IoParts {
  stdin: () => Readable
  stdout: Writable
  stderr: Writable
  stdinIsTerminal?: boolean
  stdoutIsTerminal?: boolean
  stderrIsTerminal?: boolean
  width?: number
}

/** In columns: text narrower than `min` cannot be laid out, wider than `max` is hard to read. */
const WIDTHS = { min: 40, usual: 80, max: 110 }

/**
 * A terminal of unknown size reports 0 columns, and code that draws lines on it (a spinner, a bar, a prompt) would fill
 * the screen endlessly. From here on its streams report the usual width until the size is known.
 */
function withColumns<Stream extends Writable & { columns?: number }>(stream: Stream): Stream {
  if (!('columns' in stream)) return stream
  let known = stream.columns
  return Object.defineProperty(stream, 'columns', {
    configurable: true,
    enumerable: true,
    get: () => known || WIDTHS.usual,
    set: (columns: number) => {
      known = columns
    },
  })
}

/** An Io from streams. NO_COLOR and TERM=dumb disable colours, FORCE_COLOR enables them. */
export function makeIo(parts: IoParts): Io {
  const { stdout, stderr, stdinIsTerminal = false, stdoutIsTerminal = false, stderrIsTerminal = false } = parts
  const isDumb = environmentText('TERM') === 'dumb'
  const forced = environmentText('FORCE_COLOR')
  const isForced = forced !== '' && forced !== '0' && forced !== 'false'
  // 0 and false disable colours, as is usual for this variable.
  const mayColour = environmentText('NO_COLOR') === '' && (isForced || (forced === '' && !isDumb))
  return {
    stdin: parts.stdin,
    stdout: withColumns(stdout),
    stderr: withColumns(stderr),
    stdinIsTerminal,
    stdoutIsTerminal,
    stderrIsTerminal,
    movesCursor: !isDumb,
    width: Math.min(WIDTHS.max, Math.max(WIDTHS.min, parts.width || WIDTHS.usual)),
    outColours: picocolors.createColors(mayColour && (isForced || stdoutIsTerminal)),
    errColours: picocolors.createColors(mayColour && (isForced || stderrIsTerminal)),
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
  }
}

/** The Io of this process. A closed pipe (`mediaproc … | head -1`) ends the program quietly. */
export function processIo(): Io {
  const { stdout, stderr } = process
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok)
    const reason = error.code === 'ENOSPC' ? 'no space is left on the device' : error.message
    stderr.write(`mediaproc: Standard output cannot be written: ${reason}\n`)
    process.exit(EXIT.failed)
  })
  // A closed standard error cannot be reported anywhere; the work itself can continue.
  stderr.on('error', () => {})
  return makeIo({
    stdin: () => process.stdin,
    stdout,
    stderr,
    stdinIsTerminal: isatty(0),
    stdoutIsTerminal: stdout.isTTY === true,
    stderrIsTerminal: stderr.isTTY === true,
    width: stdout.columns || stderr.columns,
  })
}
