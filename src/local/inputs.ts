import { existsSync, readFileSync, type Stats, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { globFiles, hasGlobMagic } from '../engines/glob-files.ts'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { flatText } from '../flat-text.ts'
import { limitExceeded } from '../limit-exceeded.ts'
import { printableName } from '../media/file.ts'
import type { InputSpec } from '../tool/contract.ts'
import { withoutDerived } from './derived-inputs.ts'
import { walkFolder } from './listing.ts'

/** Standard input and output, for `-`. Absent in interfaces without them. */
export interface Streams {
  /** Standard input, opened on the first call. */
  stdin(): Readable
  stdinIsTerminal: boolean
  stdout: Writable
  stdoutIsTerminal: boolean
}

/** An input as the user named it; opened (or downloaded) only by its job. */
export interface InputItem {
  /** The user's text or the listed path; shown in messages and records. */
  given: string
  kind: 'file' | 'stdin' | 'url'
  /** For files: absolute. */
  path?: string
  /** For standard input: opens it. */
  stream?(): Readable
  /** For files from a folder given with -r: their subfolder; otherwise ''. */
  subfolder: string
  /** Found by a pattern or -r, not named by the user. */
  isListed?: true
  /** An error that is already known; its job fails with it. */
  error?: MediaprocError
}

/** How input arguments are interpreted. */
export interface ExpandOptions {
  streams: Streams
  /** Include the files in folders. */
  recursive?: boolean
  /** Names in @lists end with a NUL byte instead of a line break. */
  nullSeparated?: boolean
  /** The output folder: listings of a parent folder exclude it. */
  outputDir?: string
  /** Listings include files that earlier runs made from other inputs. */
  keepDerived?: boolean
  /** Called with the number of listed files that are skipped because earlier runs made them from other inputs. */
  onLeftOut?(count: number): void
}

interface Listing extends Omit<ExpandOptions, 'outputDir' | 'onLeftOut' | 'keepDerived'> {
  accept: readonly string[]
  /** The folder to exclude, absolute. */
  exclude?: string
}

const isUrl = (text: string): boolean => /^https?:\/\//i.test(text)

/** A literal path or URL; nothing in it is expanded. */
export function namedInput(given: string): InputItem {
  return isUrl(given) ? { given, kind: 'url', subfolder: '' } : file(given)
}

const file = (given: string, subfolder = ''): InputItem => ({ given, kind: 'file', path: resolve(given), subfolder })

/**
 * A listing may have a hundred thousand files: each has few texts in memory, and no spread of `file`, for which V8 makes
 * a hidden class of 250 bytes for each object.
 */
function listed(found: string, subfolder = ''): InputItem {
  const given = flatText(found)
  const path = flatText(resolve(given))
  return { given, kind: 'file', path: path === given ? given : path, subfolder, isListed: true }
}
const failed = (given: string, error: MediaprocError): InputItem => ({ ...file(given), error })

/** A literal name: a URL, standard input, a folder or a file. */
async function expandName(given: string, { accept, recursive, exclude, streams }: Listing): Promise<InputItem[]> {
  if (isUrl(given)) return [namedInput(given)]
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(given)?.[1]
  if (scheme !== undefined && !existsSync(given)) return [failed(given, otherAddress(given, scheme))]
  if (given === '-') {
    if (streams.stdinIsTerminal)
      throw new MediaprocError('USAGE', 'Expected data on standard input for -, got a terminal', {
        hint: 'Pipe a file into it: … < FILE',
      })
    return [{ given, kind: 'stdin', stream: () => streams.stdin(), subfolder: '' }]
  }
  if (given === '') throw new MediaprocError('USAGE', 'Expected the name of a file, got an empty text', { hint: '' })
  const about = look(given)
  if (!about?.isDirectory()) return [file(given)]
  const shown = printableName(given)
  if (!recursive) return [failed(given, new MediaprocError('IS_A_FOLDER', `${shown} is a folder, not a file`))]
  try {
    const found = await walkFolder(given, accept, exclude)
    if (found.length > 0) return found.map(({ path, subfolder }) => listed(path, subfolder))
    return [
      failed(
        given,
        new MediaprocError('NO_FILE', `${shown} has no file that the tool takes`, {
          hint: 'The --help of the tool lists the types it takes.',
        }),
      ),
    ]
  } catch (error) {
    return [failed(given, toMediaprocError(error))]
  }
}

const otherAddress = (given: string, scheme: string): MediaprocError =>
  new MediaprocError('URL_REFUSED', `${printableName(given)} cannot be fetched: only http and https addresses are`, {
    hint: `Fetch it with a program that knows ${scheme}, and name the file.`,
  })

/** The stat of a name; undefined if it does not exist or is a link loop, which its own job then reports. */
function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Maximum size of a list of names. */
const MAX_LIST_BYTES = 64 * 1024 * 1024

/** Reads a stream to its end, for lists of names. @throws MediaprocError LIMIT_EXCEEDED beyond 64 MiB */
async function readStream(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  let total = 0
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Uint8Array)
    total += bytes.length
    if (total > MAX_LIST_BYTES)
      throw limitExceeded('The list of files is longer than 64 MiB', { hint: 'Split the list.' })
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

async function readList(given: string, { nullSeparated, streams }: Listing): Promise<string[]> {
  const name = given.slice(1)
  let content: string
  try {
    content = name === '-' ? (await readStream(streams.stdin())).toString('utf8') : readFileSync(name, 'utf8')
  } catch (error) {
    throw new MediaprocError(toMediaprocError(error).code, `The list ${printableName(name)} cannot be read`, {
      cause: error,
    })
  }
  // Windows editors start a text with a byte order mark.
  const lines = (nullSeparated ? content.split('\0') : content.split(/\r?\n/)).map((line, index) =>
    index === 0 ? line.replace(/^\ufeff/, '') : line,
  )
  return lines.filter((line) => line !== '')
}

/** One operand: an existing name takes precedence over any other interpretation. */
async function expandOperand(given: string, listing: Listing): Promise<InputItem[]> {
  const isThere = given !== '-' && !isUrl(given) && existsSync(given)
  if (!isThere && given.startsWith('@') && given.length > 1) {
    const names = await readList(given, listing)
    return (await Promise.all(names.map((name) => expandName(name, listing)))).flat()
  }
  if (!isThere && !isUrl(given) && hasGlobMagic(given)) {
    const found = await globFiles(given, listing.exclude)
    if (found.length > 0) return found.map((path) => listed(path))
    return [
      failed(
        given,
        new MediaprocError(
          'FILE_NOT_FOUND',
          `${printableName(given)} does not exist, nor does a file match it as a pattern`,
        ),
      ),
    ]
  }
  return expandName(given, listing)
}

/**
 * Resolves the input arguments, in the order given (listings: in natural order): names, URLs, patterns, folders, @lists
 * and `-`. A missing file is an error of its own job, so that the other jobs run.
 * @param input what the tool accepts: listings are filtered by it, and a tool of several files accepts duplicates
 * @throws MediaprocError USAGE, or a problem with an @list
 */
export async function expandInputs(
  operands: readonly string[],
  { accept, files }: Pick<InputSpec, 'accept' | 'files'>,
  { outputDir, onLeftOut, keepDerived = false, ...options }: ExpandOptions,
): Promise<InputItem[]> {
  const exclude = outputDir === undefined ? undefined : resolve(outputDir)
  const listing: Listing = { ...options, accept, exclude }
  const items: InputItem[] = []
  for (const operand of operands) items.push(...(await expandOperand(operand, listing)))
  const kept = keepDerived ? items : await withoutDerived(items)
  if (kept.length < items.length) onLeftOut?.(items.length - kept.length)
  const seen = new Set<string>()
  return kept.filter((item) => {
    const key = item.path ?? item.given
    if (!seen.has(key)) return seen.add(key)
    if (files === 'many' && item.kind === 'stdin')
      throw new MediaprocError('USAGE', 'Standard input (-) can be read only once', { hint: 'Name it once.' })
    return files === 'many'
  })
}
