const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Pauses after failed attempts, in milliseconds: 8 attempts within a day. */
export const PAUSES = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 7 * HOUR, 14 * HOUR] as const
/** A pause is up to this part longer, so that messages that failed together are not all sent together. */
export const JITTER = 0.1
/** How long an attempt may take, in milliseconds. */
export const ATTEMPT_MS = 10 * SECOND
/** A server that takes a delivery has this long before others take it, in milliseconds. */
export const LOCK_MS = MINUTE
/** How often each server looks for deliveries that are due, in milliseconds. */
export const TICK_MS = 2 * SECOND
/** Concurrent attempts of a server, and those of one account. */
export const MOST_AT_ONCE = 16
export const MOST_OF_ACCOUNT = 4
/** Attempts that a record lists. */
export const MOST_LISTED = 16
/** A webhook is switched off after this many deliveries in a row that were given up. */
export const MOST_FAILURES = 5
/** Deliveries of an account that are kept, and for how long, in milliseconds. */
export const MOST_DELIVERIES = 1000
export const KEPT_MS = 30 * DAY
/** A delivery that is prepared before its job has ended waits this long, in milliseconds. */
export const EARLY_MS = SECOND

/** Longest address of a webhook, and of the field `callbackUrl`, in characters. */
export const MAX_ADDRESS = 1000
