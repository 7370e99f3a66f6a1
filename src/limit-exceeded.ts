import type { EnvironmentName } from './environment.ts'
import { type Hint, MediaprocError } from './errors.ts'

/** How to raise a limit: by its variable, if it has one, or as `hint` says. */
export type LimitAdvice = { variable: EnvironmentName; hint?: Hint | string } | { hint: Hint | string }

/**
 * The error for an exceeded limit. Every limit error is created here, so that its variable is always named.
 */
export function limitExceeded(
  sentence: string,
  advice: LimitAdvice,
  code: 'LIMIT_EXCEEDED' | 'FILE_TOO_LARGE' | 'TOO_MANY_FRAMES' = 'LIMIT_EXCEEDED',
): MediaprocError {
  const raise = 'variable' in advice ? [`Raise the limit with ${advice.variable}.`] : []
  const { shell, http = '' } = typeof advice.hint === 'object' ? advice.hint : { shell: advice.hint, http: advice.hint }
  const joined = (hint = ''): string => [...raise, ...(hint ? [hint] : [])].join(' ')
  return new MediaprocError(code, sentence, { hint: { shell: joined(shell), http: joined(http) } })
}
