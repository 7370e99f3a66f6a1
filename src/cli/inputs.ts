import { existsSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { printableName } from '../media/file.ts'
import type { Io } from './io.ts'
import { globFiles, hasGlobMagic, walkFolder } from './listing.ts'
import { readAll } from './standard-input.ts'

/** One primary input as the command line names it; it is opened (or fetched) only by its job. */
export interface InputItem {
  /** What the person wrote or a listing found; shown in messages and records. */
  given: string
  kind: 'file' | 'stdin' | 'url'
  /** Files: absolute. */
  path?: string
  /** Files from a folder given with -r: their folder inside it, '' otherwise. */
  subfolder: string
  /** What is wrong with it already; its job fails with this. */
  error?: MediaprocError
}

export interface ExpandOptions {
  recursive: boolean
  nullSeparated: boolean
  /** Groups and extensions that the tool takes, for choosing among the files of a folder. */
  accept: readonly string[]
  /** A folder that listings leave out, because outputs go there. */
  exclude?: string
  /** Tools that take several files may be given one of them twice. */
  keepDuplicates: boolean
}

const isUrl = (text: string): boolean => /^https?:\/\//i.test(text)

/** A path or an address as it is; nothing in it has a further meaning. */
export function namedInput(given: string): InputItem {
  return isUrl(given) ? { given, kind: 'url', subfolder: '' } : file(given)
}

const file = (given: string, subfolder = ''): InputItem => ({ given, kind: 'file', path: resolve(given), subfolder })
const failed = (given: string, error: MediaprocError): InputItem => ({ ...file(given), error })

/** A name as it is: an address, standard input, a folder or a file. */
async function expandName(given: string, options: ExpandOptions, io: Io): Promise<InputItem[]> {
  if (isUrl(given)) return [namedInput(given)]
  if (given === '-') {
    if (io.stdinIsTerminal)
      throw new MediaprocError('USAGE', 'Expected data on standard input for -, got a terminal', {
        hint: 'Pipe a file into it: … < FILE',
      })
    return [{ given, kind: 'stdin', subfolder: '' }]
  }
  if (given === '') throw new MediaprocError('USAGE', 'Expected the name of a file, got an empty text', { hint: '' })
  const about = statSync(given, { throwIfNoEntry: false })
  if (!about?.isDirectory()) return [file(given)]
  const shown = printableName(given)
  if (!options.recursive) return [failed(given, new MediaprocError('IS_A_FOLDER', `${shown} is a folder, not a file`))]
  try {
    const found = await walkFolder(given, options.accept, options.exclude)
    if (found.length > 0) return found.map(({ path, subfolder }) => file(path, subfolder))
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

async function readList(given: string, nullSeparated: boolean, io: Io): Promise<string[]> {
  const name = given.slice(1)
  let content: string
  try {
    content = name === '-' ? (await readAll(io.stdin())).toString('utf8') : readFileSync(name, 'utf8')
  } catch (error) {
    throw new MediaprocError(toMediaprocError(error).code, `The list ${printableName(name)} cannot be read`, {
      cause: error,
    })
  }
  const lines = nullSeparated ? content.split('\0') : content.split(/\r?\n/)
  return lines.filter((line) => line !== '')
}

/** One operand: a name that is there wins over every other meaning. */
async function expandOperand(given: string, options: ExpandOptions, io: Io): Promise<InputItem[]> {
  const isThere = given !== '-' && !isUrl(given) && existsSync(given)
  if (!isThere && given.startsWith('@') && given.length > 1) {
    const names = await readList(given, options.nullSeparated, io)
    return (await Promise.all(names.map((name) => expandName(name, options, io)))).flat()
  }
  if (!isThere && !isUrl(given) && hasGlobMagic(given)) {
    const found = await globFiles(given, options.exclude)
    if (found.length > 0) return found.map((path) => file(path))
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
  return expandName(given, options, io)
}

/**
 * The inputs that the operands of a command line mean, in the order given (listings: in natural order).
 * A missing file is not an error here but of its own job, so that the others are done.
 */
export async function expandInputs(operands: readonly string[], options: ExpandOptions, io: Io): Promise<InputItem[]> {
  const items: InputItem[] = []
  for (const operand of operands) items.push(...(await expandOperand(operand, options, io)))
  const seen = new Set<string>()
  return items.filter((item) => {
    const key = item.path ?? item.given
    if (!seen.has(key)) return seen.add(key)
    if (options.keepDuplicates && item.kind === 'stdin')
      throw new MediaprocError('USAGE', 'Standard input (-) can be read only once', { hint: 'Name it once.' })
    return options.keepDuplicates
  })
}
