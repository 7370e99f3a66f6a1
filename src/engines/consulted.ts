/**
 * The programs and models that jobs of this process looked up, found or not. A later run compares them, since another
 * build or other weights at the same path give a different result. Worker threads report theirs to their parent.
 */
export type Consulted = `program ${string}` | `model ${string}`

const seen = new Set<Consulted>()
let watcher: ((what: Consulted) => void) | undefined

/** Records that a job looked up a program (by its environment variable) or a model (by its id). */
export function noteConsulted(what: Consulted): void {
  if (seen.has(what)) return
  seen.add(what)
  watcher?.(what)
}

/** Calls `onConsulted` for each new name, and immediately for the known ones. */
export function watchConsulted(onConsulted: (what: Consulted) => void): void {
  watcher = onConsulted
  for (const what of seen) onConsulted(what)
}

/** All names of this process so far, in a stable order: at least those that the last job used. */
export const consulted = (): Consulted[] => [...seen].sort()
