import { FILE_TYPES, typeOfName } from '../../media/type.ts'
import { inspectSettings, nearest } from '../../tool/validate.ts'
import type { DataDiagnostic, DataPath } from '../read/diagnostics.ts'
import type { Clause, WhenCondition } from './condition.ts'
import { BOUND_NAMES, type BoundName, FACT_NAMES, FACT_ROWS, FACTS, type FactName } from './facts.ts'

type Value = string | number | boolean

const GROUPS: ReadonlySet<string> = new Set(FILE_TYPES.map(({ group }) => group))

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isFact = (name: string): name is FactName => Object.hasOwn(FACTS, name)
const isBound = (name: string): name is BoundName => (BOUND_NAMES as readonly string[]).includes(name)

interface Checking {
  diagnostics: DataDiagnostic[]
  path: DataPath
}

function unknown({ diagnostics, path }: Checking, name: string, message: string, known: readonly string[]): void {
  const near = nearest(name, known)
  const hint = near ? `Did you mean ${near}?` : `Known are ${known.join(', ')}.`
  diagnostics.push({ path: [...path, name], isName: true, message, hint })
}

/** A value for a fact, converted as a setting would be; undefined if it is recorded as a mistake. */
function checkedValue({ diagnostics, path }: Checking, fact: FactName, given: unknown): Value | undefined {
  const { values, issues } = inspectSettings(FACT_ROWS, { [fact]: given ?? {} })
  const [issue] = issues
  if (issue) {
    diagnostics.push({ path, message: issue.message, ...(issue.hint && { hint: issue.hint }) })
    return undefined
  }
  const value = values[fact] as Value
  if (fact === 'ext') return String(value).replace(/^\./, '').toLowerCase()
  if (fact !== 'type') return value
  const word = String(value).toLowerCase()
  if (typeOfName(`x.${word}`) || GROUPS.has(word)) return word
  const near = nearest(word, [...GROUPS, ...FILE_TYPES.flatMap(({ extensions }) => extensions)])
  const hint = near ? `Did you mean ${near}?` : 'Such as jpg, mp4, pdf, or image, video, audio.'
  diagnostics.push({ path, message: `There is no type ${word}`, hint })
  return undefined
}

function valuesOf(checking: Checking, fact: FactName, given: unknown): Value[] {
  if (!Array.isArray(given)) return [checkedValue(checking, fact, given) ?? []].flat()
  if (given.length === 0)
    checking.diagnostics.push({ path: checking.path, message: `Expected values for ${fact}, got an empty list` })
  return given.flatMap((one, index) => checkedValue({ ...checking, path: [...checking.path, index] }, fact, one) ?? [])
}

function boundsOf(checking: Checking, fact: FactName, given: Record<string, unknown>): Clause {
  const bounds: Partial<Record<BoundName, number>> = {}
  for (const [name, value] of Object.entries(given)) {
    if (!isBound(name)) unknown(checking, name, `There is no bound ${name} for ${fact}`, BOUND_NAMES)
    else {
      const bound = checkedValue({ ...checking, path: [...checking.path, name] }, fact, value)
      if (typeof bound === 'number') bounds[name] = bound
    }
  }
  if (Object.keys(given).length === 0)
    checking.diagnostics.push({
      path: checking.path,
      message: `Expected ${BOUND_NAMES.join(', ')} for ${fact}, got none`,
    })
  return { fact, bounds }
}

function clauseOf(checking: Checking, fact: FactName, given: unknown): Clause {
  if (!isRecord(given)) return { fact, among: valuesOf(checking, fact, given) }
  if (FACTS[fact].compares) return boundsOf(checking, fact, given)
  for (const name of Object.keys(given))
    if (name !== 'not') unknown(checking, name, `There is no ${name} for ${fact}`, ['not'])
  const isThere = Object.hasOwn(given, 'not')
  if (Object.keys(given).length === 0)
    checking.diagnostics.push({ path: checking.path, message: `Expected not with values for ${fact}, got none` })
  const among = isThere ? valuesOf({ ...checking, path: [...checking.path, 'not'] }, fact, given.not) : []
  return { fact, among, isNot: true }
}

/**
 * Checks a condition given as data: `{ width: { over: 1600 }, alpha: true, type: [jpeg, png], ext: { not: svg } }`.
 * Every mistake is recorded.
 */
export function checkWhen(diagnostics: DataDiagnostic[], given: unknown, path: DataPath): WhenCondition {
  if (!isRecord(given) || Object.keys(given).length === 0) {
    const hint = 'Such as when: { width: { over: 1600 }, type: [jpeg, png] }'
    diagnostics.push({ path, message: 'Expected facts of the input with their values', hint })
    return []
  }
  return Object.entries(given).flatMap(([name, value]) => {
    if (isFact(name)) return clauseOf({ diagnostics, path: [...path, name] }, name, value)
    unknown({ diagnostics, path }, name, `There is no fact ${name} of an input`, FACT_NAMES)
    return []
  })
}
