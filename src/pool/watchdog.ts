/**
 * A thread in each child process. Twice a second it checks that the pool's process still exists, and how much memory
 * this process and each of its programs use, even while WebAssembly blocks the main thread. If a check fails, it ends
 * the process with SIGKILL. It logs a memory limit in the crash log first, so that the pool can report it.
 */
import { readFileSync, rmSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { signalGroup } from '../engines/process/group.ts'
import { noteMemory } from './crash-log.ts'
import { runningPrograms, type SharedPrograms } from './shared-programs.ts'

export interface WatchdogData {
  /** The pool's process. */
  parentId: number
  limitBytes: number
  programs: SharedPrograms
  /** The temporary folder of this process, removed if no other process can do it. */
  temporary: string
}

/** In milliseconds. */
const PERIOD_MS = 500

const { parentId, limitBytes, programs, temporary } = workerData as WatchdogData
let wasOrphan = false

/** Resident memory of a program in bytes; 0 if unknown (it has exited, or this is not Linux). */
function residentBytesOf(processId: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

function end(): void {
  for (const processId of runningPrograms(programs)) signalGroup(processId, 'SIGKILL')
  process.kill(process.pid, 'SIGKILL')
}

setInterval(() => {
  const residentBytes = Math.max(process.memoryUsage.rss(), ...runningPrograms(programs).map(residentBytesOf))
  if (residentBytes > limitBytes) {
    noteMemory(residentBytes)
    end()
  }
  const isOrphan = process.ppid !== parentId
  // The main thread has one period to stop its job and clean up.
  if (isOrphan && wasOrphan) {
    rmSync(temporary, { recursive: true, force: true })
    end()
  }
  wasOrphan = isOrphan
}, PERIOD_MS)
