import { open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { cacheFolder } from '../../cache-folder.ts'
import { makeFolder } from '../../make-folder.ts'
import { runProgram } from '../process/process.ts'

/** Asking for the version or a list answers at once; a program that does not is broken. */
const QUESTION_TIMEOUT_MS = 30_000
/** Changed whenever libraries are installed: a build gets encoders and filters from its libraries, too. */
const LOADER_CACHE = '/etc/ld.so.cache'

/** Capabilities of the installed build, by ffmpeg's own names. */
export interface Abilities {
  version: string
  /** Year of the build by its copyright line; undefined when it has none. */
  year: number | undefined
  encoders: ReadonlySet<string>
  filters: ReadonlySet<string>
  muxers: ReadonlySet<string>
}

/** Asks a program for its capabilities: four starts. */
async function ask(path: string): Promise<Abilities> {
  const answerTo = async (question: string) => {
    const options = { what: 'ffmpeg', timeoutMs: QUESTION_TIMEOUT_MS }
    return (await runProgram(path, ['-hide_banner', question], options)).stdout
  }
  const [banner, encoders, filters, muxers] = await Promise.all(
    ['-version', '-encoders', '-filters', '-muxers'].map(answerTo),
  )
  const year = /Copyright \(c\) (?:\d{4}-)?(\d{4})/.exec(banner!)?.[1]
  return {
    version: /^ffmpeg version (\S+)/.exec(banner!)?.[1] ?? 'unknown',
    year: year === undefined ? undefined : Number(year),
    encoders: names(encoders!, /^ [VAS][A-Z.]{5} (\S+)/),
    filters: names(filters!, /^ [TSC.|]{2,3} (\S+) +\S+->\S+/),
    muxers: names(muxers!, /^ .E (\S+)/),
  }
}

/** The names in one of ffmpeg's lists; `mov,mp4` counts as both. */
function names(list: string, row: RegExp): Set<string> {
  return new Set(
    list.split('\n').flatMap((line) => {
      const name = row.exec(line)?.[1]
      return name && name !== '=' ? name.split(',') : []
    }),
  )
}

/** When a file or folder was changed; undefined if it does not exist. */
const changed = async (path: string): Promise<number | undefined> => (await stat(path).catch(() => undefined))?.mtimeMs

/**
 * What changes with a build: its file, the folder of the file, and the libraries of the system. Undefined for scripts and
 * programs that start another one, such as those of snaps: nothing shows when that one changes.
 */
async function stateOf(path: string): Promise<string | undefined> {
  const program = await realpath(path)
  if (!basename(program).startsWith('ffmpeg')) return undefined
  const file = await open(program)
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0)
    if (buffer.toString('latin1') === '#!') return undefined
    const { size, mtimeMs, ino } = await file.stat()
    return JSON.stringify([program, size, mtimeMs, ino, await changed(dirname(program)), await changed(LOADER_CACHE)])
  } finally {
    await file.close()
  }
}

const LISTS = ['encoders', 'filters', 'muxers'] as const

/** The stored answer of the build in this state; undefined if there is none. */
async function stored(file: string, state: string): Promise<Abilities | undefined> {
  try {
    const found = JSON.parse(await readFile(file, 'utf8'))
    if (found.state !== state || !LISTS.every((list) => Array.isArray(found[list]))) return undefined
    const { version, year, encoders, filters, muxers } = found
    return {
      ...{ version: String(version), year: typeof year === 'number' ? year : undefined },
      ...{ encoders: new Set(encoders), filters: new Set(filters), muxers: new Set(muxers) },
    }
  } catch {
    return undefined
  }
}

/** Without a cache folder, each process asks. */
async function store(file: string, state: string, found: Abilities): Promise<void> {
  const own = `${file}.${process.pid}`
  try {
    await makeFolder(dirname(file), 0o700)
    const lists = Object.fromEntries(LISTS.map((list) => [list, [...found[list]]]))
    await writeFile(own, JSON.stringify({ state, ...found, ...lists }), { mode: 0o600, flag: 'wx' })
    await rename(own, file)
  } catch {
    await rm(own, { force: true }).catch(() => undefined)
  }
}

interface Known {
  found: Abilities
  /** Whether this process asked; otherwise another one did. */
  isAsked: boolean
}

async function determine(path: string, isAsked: boolean): Promise<Known> {
  const file = join(cacheFolder(), 'ffmpeg.json')
  const state = await stateOf(path).catch(() => undefined)
  const before = state !== undefined && !isAsked ? await stored(file, state) : undefined
  if (before) return { found: before, isAsked: false }
  const found = await ask(path)
  if (state !== undefined) await store(file, state, found)
  return { found, isAsked: true }
}

const known = new Map<string, Promise<Known>>()

/**
 * The capabilities of a program, determined once per process. They come from the cache folder if the build there is the
 * same; it holds one build, as nearly every machine has one.
 * @param options.isAsked whether the program itself must have answered, in this process
 */
export async function abilitiesOf(path: string, { isAsked = false } = {}): Promise<Abilities> {
  let answer = known.get(path)
  if (!answer || (isAsked && !(await answer).isAsked)) {
    answer = determine(path, isAsked)
    known.set(path, answer)
    // A failure is not remembered: the next call may find the program in order.
    answer.catch(() => known.delete(path))
  }
  return (await answer).found
}
