/** The values of variables: the environment, in the CLI. */
export type Variables = Readonly<Record<string, string | undefined>>

export interface Expanded {
  value: string
  /** The first diagnostic. */
  problem?: { message: string; hint: string }
}

const PATTERN = /\$\$|\$\{([^{}]*)\}|\$\{/g
const NAMED = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s

/**
 * Expands `${NAME}` and `${NAME:-default}`; `$$` is a dollar sign, and any other `$` is literal. As in a shell, the
 * default also replaces an empty value; without a default an empty value is kept, and an unset name is a diagnostic.
 */
export function expandVariables(text: string, variables: Variables): Expanded {
  let problem: Expanded['problem']
  const value = text.replace(PATTERN, (whole, inside: string | undefined) => {
    if (whole === '$$') return '$'
    const [, name, fallback] = NAMED.exec(inside ?? '') ?? []
    if (name === undefined) {
      problem ??= {
        message: `Expected the name of a variable in braces after the dollar sign, got ${whole}`,
        hint: `Such as \${YEAR} or \${YEAR:-2026}; $$ is a dollar sign`,
      }
      return ''
    }
    const given = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (given !== undefined && (given !== '' || fallback === undefined)) return given
    if (fallback !== undefined) return fallback
    problem ??= {
      message: `The environment variable ${name} is not set`,
      hint: `Set it, or give a default: \${${name}:-…}`,
    }
    return ''
  })
  return { value, ...(problem && { problem }) }
}
