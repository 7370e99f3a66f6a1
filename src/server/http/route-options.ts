/** For routes that check what they get themselves: by a tool's own table, or to answer with a sentence of ours. */
export const UNCHECKED = { validatorCompiler: () => () => true }

/** The rate limit of a route, for each caller. */
export const perMinute = <Max>(max: Max): { max: Max; timeWindow: string } => ({ max, timeWindow: '1 minute' })
