import type { EnvironmentName } from './environment.ts'
import { type Hint, MediaprocError } from './errors.ts'

/** What a person can do about a limit: raise it by its variable, where it has one, or what `hint` says. */
export type LimitAdvice = { variable: EnvironmentName; hint?: Hint | string } | { hint: Hint | string }

/**
 * The error for what is beyond a limit. Every limit that is thrown comes from here, so that none can be raised without its
 * variable being named.
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
