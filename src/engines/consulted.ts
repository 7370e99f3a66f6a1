/**
 * The programs and models that jobs of this process looked for, found or not: a later run compares them, since another
 * build or other weights at the same place give another result. Threads report theirs to the thread that started them.
 */
export type Consulted = `program ${string}` | `model ${string}`

const seen = new Set<Consulted>()
let watcher: ((what: Consulted) => void) | undefined

/** Notes that a job looked for a program (by its environment variable) or a model (by its id). */
export function noteConsulted(what: Consulted): void {
  if (seen.has(what)) return
  seen.add(what)
  watcher?.(what)
}

/** Calls `onConsulted` for each new name, and at once for those that are known. */
export function watchConsulted(onConsulted: (what: Consulted) => void): void {
  watcher = onConsulted
  for (const what of seen) onConsulted(what)
}

/** All of this process so far, in a stable order: at least what the last job used. */
export const consulted = (): Consulted[] => [...seen].sort()
