import { nearest } from '../../tool/validate.ts'
import type { Parameters, Scalar } from './parameter.ts'

/** The values of variables: the environment, in the CLI. */
export type Variables = Readonly<Record<string, string | undefined>>

export interface Expanded {
  /** Text, except for a text that is exactly one parameter, which keeps the type of its value. */
  value: Scalar
  /** The first diagnostic. */
  problem?: { message: string; hint: string }
}

const PATTERN = /\$\$|\$\{([^{}]*)\}|\$\{/g
const NAMED = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s
const NONE: Parameters = new Map()

/** The columns of a table can have names with spaces and other letters. */
const COLUMN = /^(.+?)(?::-(.*))?$/s

/** The name in braces and its default. */
function named(inside: string, parameters: Parameters): { name?: string; fallback?: string | undefined } {
  const [, name, fallback] = NAMED.exec(inside) ?? []
  if (name !== undefined) return { name, fallback }
  const [, column = '', other] = COLUMN.exec(inside) ?? []
  return parameters.has(column) ? { name: column, fallback: other } : {}
}

/** The value of a parameter, if the whole text names one. */
function onlyParameter(text: string, parameters: Parameters): Scalar | undefined {
  if (!text.startsWith('${') || !text.endsWith('}')) return undefined
  const { name = '', fallback } = named(text.slice(2, -1), parameters)
  const value = parameters.get(name)
  return value === '' ? fallback : value
}

function unset(name: string, parameters: Parameters, table: string | undefined): { message: string; hint: string } {
  const near = nearest(name, [...parameters.keys()])
  if (table !== undefined) {
    const known = `Known are ${[...parameters.keys()].join(', ')}.`
    const message = `There is no parameter ${name}, and no such column in ${table}`
    return { message, hint: near ? `Did you mean \${${near}}?` : known }
  }
  if (near) return { message: `There is no parameter or variable ${name}`, hint: `Did you mean \${${near}}?` }
  return {
    message: `The environment variable ${name} is not set`,
    hint: `Set it, or give a default: \${${name}:-…}`,
  }
}

/**
 * Expands `${NAME}` and `${NAME:-default}`, where NAME is a parameter or, if there is none, a variable; `$$` is a dollar sign, and any
 * other `$` is literal. As in a shell, the default also replaces an empty value; without a default an empty value is
 * kept, and an unset name is a diagnostic.
 * @param table the file whose columns are parameters, for messages
 */
export function expandVariables(
  text: string,
  variables: Variables,
  parameters: Parameters = NONE,
  table?: string,
): Expanded {
  const only = onlyParameter(text, parameters)
  if (only !== undefined) return { value: only }
  let problem: Expanded['problem']
  const value = text.replace(PATTERN, (whole, inside: string | undefined) => {
    if (whole === '$$') return '$'
    const { name, fallback } = named(inside ?? '', parameters)
    if (name === undefined) {
      problem ??= {
        message: `Expected the name of a variable in braces after the dollar sign, got ${whole}`,
        hint: `Such as \${YEAR} or \${YEAR:-2026}; $$ is a dollar sign`,
      }
      return ''
    }
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined
    const given = parameters.has(name) ? String(parameters.get(name)) : variable
    if (given !== undefined && (given !== '' || fallback === undefined)) return given
    if (fallback !== undefined) return fallback
    problem ??= unset(name, parameters, table)
    return ''
  })
  return { value, ...(problem && { problem }) }
}
