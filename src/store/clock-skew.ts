/** Largest supported difference between the clocks of the servers of a cluster, in milliseconds. */
export const MOST_SKEW_MS = 60_000
