import { nearest } from '../../tool/validate.ts'
import { listed } from '../../wording.ts'
import type { DataDiagnostic, DataPath } from '../read/diagnostics.ts'
import type { Reference } from './reference.ts'

/** How references name a variant. */
export interface NamedVariant {
  name: string
  /** The name before the values of matrices. */
  family?: string
  /** The values of the matrix of the whole pipeline. */
  combination?: string
}

/** What the checks of references need. */
export interface ReferenceScope {
  diagnostics: DataDiagnostic[]
  variants: readonly NamedVariant[]
  /** The variant with the reference; undefined for the common steps. */
  from: NamedVariant | undefined
  placeOf?: ((path: DataPath) => string) | undefined
}

const FORM = '{ result: NAME }, { result: NAME, file: 2 } or { input: true }'

/** The variants that a name means: the one with this name, or those of a matrix by the name before its values. */
function variantsCalled(name: string, { variants, from }: ReferenceScope): number[] {
  const exact = variants.findIndex((one) => one.name === name)
  if (exact >= 0) return [exact]
  return variants.flatMap(({ family, combination }, index) =>
    family === name && (combination === undefined || combination === from?.combination) ? [index] : [],
  )
}

function fileNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= 1 ? number : undefined
}

/** Reads `{ result: badge, file: 2 }` or `{ input: true }`. Every mistake is recorded. */
export function readReference(
  scope: ReferenceScope,
  given: Readonly<Record<string, unknown>>,
  path: DataPath,
): Reference | undefined {
  const { diagnostics, variants, placeOf } = scope
  const before = diagnostics.length
  const note = (where: DataPath, message: string, hint?: string, isName?: true): void =>
    void diagnostics.push({ path: where, message, ...(hint && { hint }), ...(isName && { isName }) })
  for (const key of Object.keys(given))
    if (!['result', 'input', 'file'].includes(key)) {
      const near = nearest(key, ['result', 'input', 'file'])
      note([...path, key], `There is no key ${key} here`, near ? `Did you mean ${near}?` : `Expected ${FORM}.`, true)
    }
  const { result, input, file } = given
  if (diagnostics.length === before && (result === undefined) === (input === undefined))
    note(path, `Expected ${FORM}, got ${result === undefined ? 'neither result nor input' : 'both result and input'}`)
  if (input !== undefined && input !== true) note([...path, 'input'], 'Expected true for input', `Such as ${FORM}`)
  const number = file === undefined ? undefined : fileNumber(file)
  if (file !== undefined && number === undefined)
    note([...path, 'file'], `Expected the number of a file from 1, got ${JSON.stringify(file)}`)
  const name = typeof result === 'string' || typeof result === 'number' ? String(result) : undefined
  if (result !== undefined && !name) note([...path, 'result'], 'Expected the name of a variant for result')
  const of = name ? variantsCalled(name, scope) : []
  if (name && of.length === 0) {
    const names = [...new Set(variants.flatMap((one) => [one.family ?? one.name, one.name]))].filter(
      (one) => one !== '',
    )
    const near = nearest(name, names)
    const known = names.length === 0 ? 'The pipeline has no variants.' : `It has ${listed(names, 8)}.`
    note([...path, 'result'], `There is no variant ${name}`, near ? `Did you mean ${near}?` : known)
  }
  if (diagnostics.length > before) return undefined
  return {
    of: name ? of : 'input',
    ...(number !== undefined && { file: number }),
    label: name ? `the result of ${name}` : 'the input',
    path,
    ...(placeOf && { place: placeOf(path) }),
  }
}
