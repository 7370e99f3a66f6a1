/** For routes that validate their input themselves: with a tool's table, or for their own error messages. */
export const UNCHECKED = { validatorCompiler: () => () => true }

/** Rate limit of a route, per caller. */
export const perMinute = <Max>(max: Max): { max: Max; timeWindow: string } => ({ max, timeWindow: '1 minute' })
