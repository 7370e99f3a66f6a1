import { MediaprocError } from '../errors.ts'
import { LIMITS } from './definitions.ts'

export type Arguments = Readonly<Record<string, unknown>>

const invalid = (name: string, expected: string): MediaprocError =>
  new MediaprocError('VALIDATION_ERROR', `${name}: Expected ${expected}`, {
    hint: 'The input schema of the tool lists its arguments.',
  })

/** @throws MediaprocError VALIDATION_ERROR for an argument that the tool does not have */
export function refuseUnknown(given: Arguments, known: readonly string[]): void {
  const wrong = Object.keys(given).find((name) => !known.includes(name))
  if (wrong !== undefined) throw invalid(wrong.slice(0, 50), `only ${known.join(', ')}`)
}

/** A text of at most `most` characters; undefined if absent. */
export function optionalText(given: Arguments, name: string, most: number): string | undefined {
  const value = given[name]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && value !== '' && value.length <= most && !value.includes('\0')) return value
  throw invalid(name, `a text of 1 to ${most} characters`)
}

/** A text that the tool needs. */
export function requiredText(given: Arguments, name: string, most: number): string {
  const value = optionalText(given, name, most)
  if (value === undefined) throw invalid(name, `a text of 1 to ${most} characters`)
  return value
}

/** A boolean; false if absent. */
export function flag(given: Arguments, name: string): boolean {
  const { [name]: value = false } = given
  if (typeof value === 'boolean') return value
  throw invalid(name, 'true or false')
}

/** One of a list of words; undefined if absent. */
export function word<const Words extends readonly string[]>(
  given: Arguments,
  name: string,
  words: Words,
): Words[number] | undefined {
  const value = optionalText(given, name, LIMITS.id)
  if (value === undefined || words.includes(value)) return value
  throw invalid(name, words.join(', '))
}

/** A whole number within a range. */
export function count(given: Arguments, name: string, most: number, fallback: number): number {
  const { [name]: value = fallback } = given
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) return value
  throw invalid(name, `a whole number from 1 to ${most}`)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object; {} if absent. */
export function object(given: Arguments, name: string): Record<string, unknown> {
  const { [name]: value = {} } = given
  if (isObject(value)) return value
  throw invalid(name, 'an object')
}

/** A list; [] if absent. */
export function list(given: Arguments, name: string, most: number): readonly unknown[] {
  const { [name]: value = [] } = given
  if (Array.isArray(value) && value.length <= most) return value
  throw invalid(name, `a list of at most ${most} entries`)
}

/** A step of a pipeline. */
export interface Step {
  tool: string
  settings: Record<string, unknown>
}

/** The steps of a pipeline; [] if absent. */
export function steps(given: Arguments): Step[] {
  return list(given, 'steps', LIMITS.steps).map((step, index) => {
    const where = `steps.${index}`
    if (!isObject(step)) throw invalid(where, 'an object with tool and settings')
    refuseUnknown(step, ['tool', 'settings'])
    if (typeof step.tool !== 'string') throw invalid(`${where}.tool`, 'the id of a tool')
    return { tool: requiredText(step, 'tool', LIMITS.id), settings: object(step, 'settings') }
  })
}
