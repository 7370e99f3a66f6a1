import { guardProgram } from './guard.ts'

/** Signals that end this process by default; a child group must not outlive it. */
const DEADLY_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

const livingGroups = new Set<number>()

/** Called when a program starts and when it has ended. */
type GroupWatcher = (processId: number, isAlive: boolean) => void

let watcher: GroupWatcher | undefined

/** Registers an observer of all programs, which can end them when this process no longer can. */
export function watchGroups(groupWatcher: GroupWatcher): void {
  watcher = groupWatcher
}

/** Sends a signal to a program and everything it started; a group that is gone, or not ours to end, is no error. */
export function signalGroup(processId: number, signal: NodeJS.Signals): void {
  try {
    // Windows has no process groups: there only the program itself is ended.
    process.kill(process.platform === 'win32' ? processId : -processId, signal)
  } catch (error) {
    // macOS answers EPERM for a group whose members have all ended and are not yet collected.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

function killAllGroups(): void {
  for (const processId of livingGroups) signalGroup(processId, 'SIGKILL')
}

/**
 * Children run in groups of their own, so a Ctrl-C at the terminal does not reach them. Other listeners for the
 * signal decides what happens (a front door aborts its jobs, which ends the children); without one, this process dies as
 * it would have without children, and takes them along.
 */
function dieWithChildren(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  killAllGroups()
  process.removeListener(signal, dieWithChildren)
  process.kill(process.pid, signal)
}

/**
 * Ties the life of a program's group to this process; returns the function that unties it once the program is gone.
 * @param isLong it may work for long, so it must not outlive even a process that is killed outright
 */
export function bindToThisProcess(processId: number, isLong: boolean): () => void {
  if (livingGroups.size === 0) {
    process.on('exit', killAllGroups)
    for (const signal of DEADLY_SIGNALS) process.on(signal, dieWithChildren)
  }
  livingGroups.add(processId)
  watcher?.(processId, true)
  // The observer ends the programs.
  const unguard = isLong && !watcher ? guardProgram(processId) : undefined
  return () => {
    if (!livingGroups.delete(processId)) return
    unguard?.()
    watcher?.(processId, false)
    if (livingGroups.size > 0) return
    process.removeListener('exit', killAllGroups)
    for (const signal of DEADLY_SIGNALS) process.removeListener(signal, dieWithChildren)
  }
}
