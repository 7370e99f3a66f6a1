import type { Stats } from 'node:fs'
import { statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { limiter } from '../../concurrency.ts'
import { MACHINE } from '../../engines/process/owned-folder.ts'
import { look } from '../../look.ts'
import { fingerprintOf } from '../../models/store/file-hash.ts'
import { keyOf, physicalPath, readStored, writeStored } from './record-store.ts'

/** The state of a file at the time of a run. */
export interface FileState {
  /** Absolute; a URL or `-` as given. */
  path: string
  /** Absent for inputs without a modification time (URLs, standard input) and for unreadable files. */
  bytes?: number
  mtimeMs?: number
  /** Unlike mtimeMs, programs cannot set it; together with the inode it reveals a replaced file. */
  ctimeMs?: number
  inode?: number
  /** It had changed so recently that another change could have the same times: the content decides. */
  isYoung?: true
  /**
   * SHA-256, for recently changed files and in runs with --newer or records next to outputs; other runs do not read
   * files twice.
   */
  hash?: string
}

/** How files are compared with their recorded states. */
export interface Comparison {
  /** The record was written on this machine: its time stamps and inodes are valid. */
  isLocal: boolean
  /** The content decides, regardless of size and times (--newer=hash). */
  alwaysHash: boolean
}

/** Whether a record was written on this machine, and on Linux in this container. */
export const isThisMachine = (machine: string): boolean => machine === MACHINE

/** Times of whole seconds: FAT has a resolution of 2 s, some network and older file systems of 1 s. */
const COARSE_STEP_MS = 2000
/** The kernel's file clock has a resolution of 1 to 10 ms. */
const FINE_STEP_MS = 10

type Times = Pick<Stats, 'mtimeMs' | 'ctimeMs'>

const isCoarse = ({ mtimeMs, ctimeMs }: Times): boolean => mtimeMs % 1000 === 0 && ctimeMs % 1000 === 0

/**
 * Whether a file was changed so recently that another change could have the same times.
 * @param now time of the check, in milliseconds
 */
export function isAmbiguous(times: Times, now: number): boolean {
  return Math.abs(now - times.ctimeMs) <= (isCoarse(times) ? COARSE_STEP_MS : FINE_STEP_MS)
}

const timesOf = ({ size, mtimeMs, ctimeMs, ino }: Stats) => ({ bytes: size, mtimeMs, ctimeMs, inode: ino })

const sameTimes = (before: FileState, about: Stats): boolean =>
  before.mtimeMs === about.mtimeMs && before.ctimeMs === about.ctimeMs && before.inode === about.ino

/** A script only starts another program, so its own content does not identify that program. */
async function isScript(path: string): Promise<boolean> {
  const file = await open(path, 'r')
  try {
    return (await file.read(Buffer.alloc(2), 0, 2, 0)).buffer.toString('latin1') === '#!'
  } finally {
    await file.close()
  }
}

/** Number of files read concurrently, each in chunks of 1 MiB; a set may have thousands. */
const READS = 4

/** The file states of one run; files shared by many jobs are read once. */
export class FileStates {
  readonly #read = limiter(READS)
  readonly #hashes = new Map<string, Promise<string>>()
  readonly #keepsHashes: boolean
  readonly #now: () => number

  /** @param keepsHashes whether the states include content hashes */
  constructor(keepsHashes: boolean, now = Date.now) {
    this.#keepsHashes = keepsHashes
    this.#now = now
  }

  /** SHA-256 of a file with this stat; read as a stream, once. */
  #hash(path: string, about: Stats): Promise<string> {
    const key = JSON.stringify([path, timesOf(about)])
    const known = this.#hashes.get(key) ?? this.#read(async () => (await fingerprintOf(path)).sha256)
    this.#hashes.set(key, known)
    known.catch(() => this.#hashes.delete(key))
    return known
  }

  /**
   * Reads the state of a file. The hash follows later, so that it can be computed in parallel with the job; a file that
   * changes in the meantime gets none.
   */
  async look(path: string): Promise<{ state: FileState; hashed: Promise<FileState> }> {
    const shown = physicalPath(path)
    const about = look(path)
    // An unreadable file fails its job, not this check.
    if (!about) return { state: { path: shown }, hashed: Promise.resolve({ path: shown }) }
    const isYoung = isAmbiguous(about, this.#now())
    const state: FileState = { path: shown, ...timesOf(about), ...(isYoung && { isYoung }) }
    if (!this.#keepsHashes && !isYoung) return { state, hashed: Promise.resolve(state) }
    const hashed = this.#hash(path, about).then(
      (hash) => (sameTimes(state, statSync(path)) ? { ...state, hash } : state),
      () => state,
    )
    return { state, hashed: hashed.catch(() => state) }
  }

  /**
   * The state of a placed output, whose ctime differs from the staged file's.
   * @param staged its known state: size, mtime, and the hash if the run keeps one
   */
  async ofOutput(staged: FileState): Promise<FileState> {
    const { path, hash } = staged
    const about = statSync(path)
    // Another process has already replaced it: the record must not describe that file. A copy to another file system
    // keeps whole milliseconds.
    if (about.size !== staged.bytes || Math.abs(about.mtimeMs - staged.mtimeMs!) >= 1) return staged
    // A change within milliseconds is unlikely, but not within the 2 s of a coarse clock.
    const isYoung = isCoarse(about) && isAmbiguous(about, this.#now())
    const known = hash ?? (isYoung ? await this.#hash(path, about) : undefined)
    return { path, ...timesOf(about), ...(isYoung && { isYoung }), ...(known !== undefined && { hash: known }) }
  }

  /** The hash of a staged output; undefined if this run keeps none. */
  async hashOf(path: string): Promise<string | undefined> {
    return this.#keepsHashes ? this.#hash(path, statSync(path)) : undefined
  }

  /** The state of another file that affects the result; @param hash if it is known without reading the file */
  async ofSideFile(path: string, hash?: string): Promise<FileState> {
    return hash === undefined ? (await this.look(path)).hashed : { path, ...timesOf(statSync(path)), hash }
  }

  /** The state of a program. Its hash is cached across processes, as builds of ffmpeg have up to 100 MB. */
  async ofProgram(path: string): Promise<FileState> {
    const about = statSync(path)
    const state: FileState = { path, ...timesOf(about) }
    return this.#keepsHashes ? { ...state, hash: await this.#programHash(path, about) } : state
  }

  async #programHash(path: string, about: Stats): Promise<string> {
    const key = keyOf(path, timesOf(about))
    const stored = readStored('programs', key)
    if (typeof stored === 'string') return stored
    const hash = await this.#hash(path, about)
    const identity = (await isScript(path)) ? `${hash} ${about.mtimeMs}` : hash
    await writeStored('programs', key, identity)
    return identity
  }

  /**
   * How a file differs, as the rest of a sentence that starts with its name; undefined if it is unchanged.
   * @param isProgram compare with the result of `ofProgram`
   */
  async difference(
    before: FileState,
    { isLocal, alwaysHash }: Comparison,
    { path = before.path, isProgram = false } = {},
  ): Promise<string | undefined> {
    const about = look(path)
    if (!about) return 'is missing'
    if (!about.isFile() || before.bytes !== about.size) return 'has changed'
    if (isLocal && !alwaysHash && !before.isYoung && sameTimes(before, about)) return undefined
    if (before.hash === undefined)
      return before.mtimeMs === about.mtimeMs
        ? 'may have changed: the previous run kept no checksum of it'
        : 'has changed'
    const hash = await (isProgram ? this.#programHash(path, about) : this.#hash(path, about)).catch(() => '')
    return hash === before.hash ? undefined : 'has changed'
  }
}
