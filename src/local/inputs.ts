import { existsSync, readFileSync, type Stats, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { limitExceeded } from '../limit-exceeded.ts'
import { printableName } from '../media/file.ts'
import type { InputSpec } from '../tool/contract.ts'
import { withoutDerived } from './derived-inputs.ts'
import { globFiles, hasGlobMagic, walkFolder } from './listing.ts'

/** Standard input and output, for `-`. A front door that has none leaves them out. */
export interface Streams {
  /** Standard input, opened by the first call. */
  stdin(): Readable
  stdinIsTerminal: boolean
  stdout: Writable
  stdoutIsTerminal: boolean
}

/** One input as a person names it; it is opened (or fetched) only by its job. */
export interface InputItem {
  /** What the person wrote or a listing found; shown in messages and records. */
  given: string
  kind: 'file' | 'stdin' | 'url'
  /** Files: absolute. */
  path?: string
  /** Standard input: opens it. */
  stream?(): Readable
  /** Files from a folder given with -r: their folder inside it, '' otherwise. */
  subfolder: string
  /** A pattern or -r found it; nobody named it. */
  isListed?: true
  /** What is wrong with it already; its job fails with this. */
  error?: MediaprocError
}

/** How a person's words for inputs are read. */
export interface ExpandOptions {
  streams: Streams
  /** Take the files in folders. */
  recursive?: boolean
  /** Names in @lists end with a NUL byte instead of a line end. */
  nullSeparated?: boolean
  /** The folder that outputs go to: listings of a folder above it leave it out. */
  outputDir?: string
  /** Is told how many files of listings are no inputs, as earlier runs made them of other inputs. */
  onLeftOut?(count: number): void
}

interface Listing extends Omit<ExpandOptions, 'outputDir' | 'onLeftOut'> {
  accept: readonly string[]
  /** The folder to leave out, absolute. */
  exclude?: string
}

const isUrl = (text: string): boolean => /^https?:\/\//i.test(text)

/** A path or an address as it is; nothing in it has a further meaning. */
export function namedInput(given: string): InputItem {
  return isUrl(given) ? { given, kind: 'url', subfolder: '' } : file(given)
}

const file = (given: string, subfolder = ''): InputItem => ({ given, kind: 'file', path: resolve(given), subfolder })
const listed = (given: string, subfolder = ''): InputItem => ({ ...file(given, subfolder), isListed: true })
const failed = (given: string, error: MediaprocError): InputItem => ({ ...file(given), error })

/** A name as it is: an address, standard input, a folder or a file. */
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

/** What stands under a name; undefined where nothing does, or a link leads in a circle, which its own job then says. */
function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** A list of names longer than this is a mistake. */
const MAX_LIST_BYTES = 64 * 1024 * 1024

/** All of a stream, for lists of names. @throws MediaprocError LIMIT_EXCEEDED beyond 64 MiB */
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
  // Editors on Windows begin a text with a byte order mark.
  const lines = (nullSeparated ? content.split('\0') : content.split(/\r?\n/)).map((line, index) =>
    index === 0 ? line.replace(/^\ufeff/, '') : line,
  )
  return lines.filter((line) => line !== '')
}

/** One operand: a name that is there wins over every other meaning. */
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
 * The inputs that a person's words mean, in the order given (listings: in natural order): names, addresses, patterns,
 * folders, @lists and `-`. A missing file is not an error here but of its own job, so that the others are done.
 * @param input what the tool takes: listings keep to it, and a tool of several files may be given one of them twice
 * @throws MediaprocError USAGE, or what is wrong with an @list
 */
export async function expandInputs(
  operands: readonly string[],
  { accept, files }: Pick<InputSpec, 'accept' | 'files'>,
  { outputDir, onLeftOut, ...options }: ExpandOptions,
): Promise<InputItem[]> {
  const exclude = outputDir === undefined ? undefined : resolve(outputDir)
  const listing: Listing = { ...options, accept, exclude }
  const items: InputItem[] = []
  for (const operand of operands) items.push(...(await expandOperand(operand, listing)))
  const kept = await withoutDerived(items)
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
