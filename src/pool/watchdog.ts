/**
 * A thread in each child process. Twice a second it looks whether the pool's process is still there and how much memory
 * this process and each program that it runs take, even while WebAssembly keeps the main thread busy without end, and ends the process with SIGKILL. For
 * a memory limit it says so in the ledger first, by which the pool tells it from other ends.
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
  /** The folder for temporary files of this process, removed when nobody else can. */
  temporary: string
}

/** Milliseconds. */
const PERIOD_MS = 500

const { parentId, limitBytes, programs, temporary } = workerData as WatchdogData
let wasOrphan = false

/** The resident memory of a program, bytes; 0 where the system does not tell (it is gone, or this is not Linux). */
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
  // The main thread has one period to stop its work and tidy up.
  if (isOrphan && wasOrphan) {
    rmSync(temporary, { recursive: true, force: true })
    end()
  }
  wasOrphan = isOrphan
}, PERIOD_MS)
