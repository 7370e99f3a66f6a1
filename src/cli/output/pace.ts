/** Below this share, the remaining time cannot be estimated. */
const MIN_PART = 0.02
const MIN_ELAPSED_MS = 1000

/** A readable duration: `8 s`, `1 min 20 s`, `2 h 5 min`. */
export function spokenTime(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return `${minutes} min${whole % 60 > 0 ? ` ${whole % 60} s` : ''}`
  return `${Math.floor(minutes / 60)} h${minutes % 60 > 0 ? ` ${minutes % 60} min` : ''}`
}

/** `320 ms`, `1.5 s`, `2 min 5 s` */
export function shortTime(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}

/**
 * The estimated remaining time, as `8 s left`; empty while unknown.
 * @param part the completed share, 0 to 1
 */
export function timeLeft(elapsedMs: number, part: number): string {
  if (part < MIN_PART || part >= 1 || elapsedMs < MIN_ELAPSED_MS) return ''
  return `${spokenTime(((elapsedMs / part) * (1 - part)) / 1000)} left`
}

/** Files per second or minute, as `3.1 files/s`; empty before the first is done. */
export function rateOf(elapsedMs: number, done: number): string {
  if (done === 0 || elapsedMs < MIN_ELAPSED_MS) return ''
  const perSecond = done / (elapsedMs / 1000)
  return perSecond >= 1 ? `${perSecond.toFixed(1)} files/s` : `${(perSecond * 60).toFixed(1)} files/min`
}

/** Joins the non-empty parts with vertical bars. */
export const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(' | ')
