/** Running programs of a child process, in shared memory that its watchdog can read while the main thread is busy. */

/** Maximum number of entries; the pool knows further programs from the crash log. */
const MAX_PROGRAMS = 64

export type SharedPrograms = Int32Array<SharedArrayBuffer>

export function makeSharedPrograms(): SharedPrograms {
  return new Int32Array(new SharedArrayBuffer(MAX_PROGRAMS * Int32Array.BYTES_PER_ELEMENT))
}

/** Records the start or end of a program. */
export function shareProgram(programs: SharedPrograms, processId: number, isAlive: boolean): void {
  const [before, after] = isAlive ? [0, processId] : [processId, 0]
  const place = programs.indexOf(before)
  if (place >= 0) Atomics.store(programs, place, after)
}

export function runningPrograms(programs: SharedPrograms): number[] {
  return [...programs].filter((processId) => processId > 0)
}
