import { isMap } from 'yaml'
import { MediaprocError } from '../../errors.ts'
import { printableName } from '../../media/file.ts'
import { nearest } from '../../tool/validate.ts'
import { truthOf } from '../../tool/values/values.ts'
import { valueInWords } from '../plan/check-step.ts'
import { type DeclaredParameter, isScalarValue, type Scalar } from './parameter.ts'
import type { PipelineSource, Placed, SourcePair } from './source.ts'

/** Values given for parameters by name: `--set` in the CLI, `params` in the library. Text is read as the default's type. */
export type GivenParameters = Readonly<Record<string, unknown>>

/** Valid in `${NAME}`. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Checks the name of a parameter, a matrix or a table. */
export function checkParameterName(source: PipelineSource, name: string, where: Placed): boolean {
  if (NAME.test(name)) return true
  source.note(where, `Expected letters, digits and underscores for the name of a parameter, got ${name}`)
  return false
}

function declarationOf(source: PipelineSource, { key, keyNode, value }: SourcePair): DeclaredParameter | undefined {
  if (!checkParameterName(source, key, keyNode)) return undefined
  const declared: DeclaredParameter = { name: key }
  const setDefault = (node: unknown): void => {
    const fallback = source.value(node)
    if (isScalarValue(fallback)) declared.default = fallback
    else if (fallback !== null && fallback !== undefined)
      source.note(
        (node as Placed) ?? keyNode,
        `Expected a text, number or boolean for ${key}, got ${valueInWords(fallback)}`,
      )
  }
  if (!isMap(value)) {
    setDefault(value)
    return declared
  }
  for (const pair of source.pairs(value)) {
    if (pair.key === 'default') setDefault(pair.value)
    else if (pair.key === 'description') declared.description = String(source.value(pair.value))
    else {
      const near = nearest(pair.key, ['default', 'description'])
      const hint = near ? `Did you mean ${near}?` : 'Known are default and description.'
      source.note(pair.keyNode, `There is no key ${pair.key} here`, hint)
    }
  }
  return declared
}

/** A given value with the type of the default. @throws MediaprocError INVALID_SETTINGS */
function converted({ name, default: fallback }: DeclaredParameter, given: unknown): Scalar {
  if (isScalarValue(given)) {
    if (fallback === undefined || typeof given === typeof fallback) return given
    if (typeof fallback === 'string') return String(given)
    const text = String(given).trim()
    if (typeof fallback === 'number' && text !== '' && Number.isFinite(Number(text))) return Number(text)
    const truth = typeof fallback === 'boolean' ? truthOf(text) : undefined
    if (truth !== undefined) return truth
  }
  const kind = typeof fallback === 'number' ? 'a number' : typeof fallback === 'boolean' ? 'true or false' : 'a text'
  const shown = isScalarValue(given) ? printableName(String(given)) : valueInWords(given)
  throw new MediaprocError('INVALID_SETTINGS', `Expected ${kind} for the parameter ${name}, got ${shown}`, { hint: '' })
}

/** @throws MediaprocError INVALID_SETTINGS for a name that the pipeline does not declare */
export function refuseUnknownParameters(names: readonly string[], given: GivenParameters): void {
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue
    const near = nearest(name, names)
    const known = names.length === 0 ? 'It has none; declare them with params.' : `It has ${names.join(', ')}.`
    throw new MediaprocError('INVALID_SETTINGS', `The pipeline has no parameter ${printableName(name)}`, {
      hint: near ? `Did you mean ${near}?` : known,
    })
  }
}

/** Where the values of declared parameters come from, and who reports mistakes with them. */
export interface ParameterValues {
  /** The given value; undefined for the default. */
  get(name: string): unknown
  /** A parameter has neither a value nor a default. */
  missing(declared: DeclaredParameter, keyNode: Placed): void
  /** A given value has another type than the default. */
  wrong(declared: DeclaredParameter, error: unknown, keyNode: Placed): void
}

/**
 * Values from `--set` or the library, whose mistakes are exceptions, otherwise from the row, in which an empty cell is no
 * value.
 */
export function givenValues(source: PipelineSource, given: GivenParameters): ParameterValues {
  const { row } = source
  /** The value of the row; an empty cell is none. */
  const cell = (name: string): Scalar | undefined => {
    const value = row?.values.get(name)
    return value === '' ? undefined : value
  }
  const isGiven = (name: string): boolean => Object.hasOwn(given, name) && given[name] !== undefined
  return {
    get: (name) => (isGiven(name) ? given[name] : cell(name)),
    missing: ({ name }, keyNode) =>
      row?.values.has(name)
        ? source.note(keyNode, `The parameter ${name} has no value in this row`)
        : source.note(
            keyNode,
            `The parameter ${name} has no value`,
            `Give it with --set ${name}=…, or a default here.`,
          ),
    wrong: ({ name }, error, keyNode) => {
      if (!(error instanceof MediaprocError) || isGiven(name)) throw error
      source.note(keyNode, error.message)
    },
  }
}

/**
 * Reads `params` and adds their values to the source. A default can use variables and earlier parameters. A parameter
 * without a value sets `lacksParameters`.
 */
export function parseParameters(
  source: PipelineSource,
  node: unknown,
  where: Placed,
  values: ParameterValues,
): DeclaredParameter[] {
  if (!isMap(node)) {
    const hint = 'Such as params: { width: 800 }'
    source.note(
      (node as Placed) ?? where,
      `Expected parameters with their defaults, got ${valueInWords(source.value(node))}`,
      hint,
    )
    return []
  }
  return source.pairs(node).flatMap((pair) => {
    const before = source.diagnostics.length
    const declared = declarationOf(source, pair)
    const isSound = source.diagnostics.length === before
    if (!declared) return []
    const value = valueFor(declared, values, pair.keyNode)
    if (value === undefined) {
      source.lacksParameters = true
      if (isSound) values.missing(declared, pair.keyNode)
    }
    source.parameters.set(declared.name, value ?? '')
    return declared
  })
}

function valueFor(declared: DeclaredParameter, values: ParameterValues, keyNode: Placed): Scalar | undefined {
  const given = values.get(declared.name)
  if (given === undefined) return declared.default
  try {
    return converted(declared, given)
  } catch (error) {
    values.wrong(declared, error, keyNode)
    return declared.default
  }
}
