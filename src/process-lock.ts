import { randomUUID } from 'node:crypto'
import { constants, readFileSync } from 'node:fs'
import { copyFile, link, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { toMediaprocError } from './errors.ts'

interface Holder {
  pid: number
  /** Distinguishes the process from a later one with the same PID; '' if the system does not provide it. */
  mark: string
}

/** Folders locked by this process. */
const held = new Set<string>()

/**
 * Identifies the process that has a PID: boot and start time from /proc (proc(5): field 22 of stat), so that a reused
 * PID (always the same few in a container) is not mistaken for the old process. undefined: there is none.
 */
function markOf(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Field 2 is the program's name in parentheses and may contain spaces.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' ? undefined : `${boot}:${fields[18]}`
  } catch {
    try {
      process.kill(pid, 0)
      return ''
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM' ? '' : undefined
    }
  }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    const { pid, mark } = JSON.parse(await readFile(path, 'utf8')) as Partial<Holder>
    return typeof pid === 'number' && pid > 0 && typeof mark === 'string' ? { pid, mark } : undefined
  } catch {
    return undefined
  }
}

function lives({ pid, mark }: Holder): boolean {
  const now = markOf(pid)
  // Our own PID without a mark: left by an earlier process, as this one does not hold the lock.
  if (pid === process.pid && mark === '') return false
  return now !== undefined && (now === '' || mark === '' || now === mark)
}

/** Publishes the finished file under its name, unless another process was faster. */
async function publish(prepared: string, path: string): Promise<boolean> {
  try {
    await link(prepared, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw error
      // Some file systems have no hard links.
      return copyFile(prepared, path, constants.COPYFILE_EXCL)
    })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/**
 * Locks a folder for this process, until the returned function is called or the process ends. Does not work between
 * processes that cannot see each other (two containers with one volume).
 *
 * @param inUse creates the error for a folder that a running process holds
 * @throws the error of `inUse`
 */
export async function takeLock(folder: string, inUse: (pid: number) => Error): Promise<() => Promise<void>> {
  const real = await realpath(folder)
  const path = join(real, 'lock')
  const prepared = `${path}.${randomUUID()}`
  if (held.has(real)) throw inUse(process.pid)
  held.add(real)
  try {
    await writeFile(prepared, JSON.stringify({ pid: process.pid, mark: markOf(process.pid) ?? '' }), { mode: 0o600 })
    while (!(await publish(prepared, path))) {
      const holder = await readHolder(path)
      if (holder && lives(holder)) throw inUse(holder.pid)
      await putAside(path, holder)
    }
  } catch (error) {
    held.delete(real)
    throw error
  } finally {
    await rm(prepared, { force: true })
  }
  return async () => {
    held.delete(real)
    await rm(path, { force: true })
  }
}

/** Interval in milliseconds for checking whether another process is done. */
const LOOK_MS = 250

class InUse extends Error {}

/** Options for waiting for a lock. */
export interface Turn {
  signal: AbortSignal
  /** Another process holds the lock; this one waits. */
  onWait?(process: number): void
}

/** Waits until no other process has locked a folder, and locks it. @throws MediaprocError CANCELED, TIMEOUT */
export async function waitForLock(folder: string, { signal, onWait }: Turn): Promise<() => Promise<void>> {
  for (let reported = 0; ; ) {
    let holder = 0
    try {
      return await takeLock(folder, (pid) => {
        holder = pid
        return new InUse()
      })
    } catch (error) {
      if (!(error instanceof InUse)) throw error
    }
    if (holder !== reported) onWait?.(holder)
    reported = holder
    await wait(LOOK_MS, undefined, { signal }).catch((error: unknown) => {
      throw toMediaprocError(error)
    })
  }
}

/** Removes the lock of a process that has ended; if another process has just replaced it, that lock is restored. */
async function putAside(path: string, gone: Holder | undefined): Promise<void> {
  const aside = `${path}.${randomUUID()}`
  try {
    await rename(path, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  const found = await readHolder(aside)
  if (found && (found.pid !== gone?.pid || found.mark !== gone.mark)) await publish(aside, path)
  await rm(aside, { force: true })
}
