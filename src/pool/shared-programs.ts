/** Programs that a child process runs, in memory that its watchdog sees while the main thread computes. */

/** More at a time are not kept; the pool knows them from the ledger. */
const MAX_PROGRAMS = 64

export type SharedPrograms = Int32Array<SharedArrayBuffer>

export function makeSharedPrograms(): SharedPrograms {
  return new Int32Array(new SharedArrayBuffer(MAX_PROGRAMS * Int32Array.BYTES_PER_ELEMENT))
}

/** Notes that a program has started, or is gone. */
export function shareProgram(programs: SharedPrograms, processId: number, isAlive: boolean): void {
  const [before, after] = isAlive ? [0, processId] : [processId, 0]
  const place = programs.indexOf(before)
  if (place >= 0) Atomics.store(programs, place, after)
}

export function runningPrograms(programs: SharedPrograms): number[] {
  return [...programs].filter((processId) => processId > 0)
}
