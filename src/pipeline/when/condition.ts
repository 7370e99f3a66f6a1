import { typeOfName } from '../../media/type.ts'
import { either } from '../../wording.ts'
import { BOUND_NAMES, BOUNDS, type BoundName, type FactName, type Facts } from './facts.ts'

type Value = string | number | boolean

/** One fact and the values for which it holds. */
export type Clause = { fact: FactName } & (
  | { among: readonly Value[]; isNot?: true }
  | { bounds: Readonly<Partial<Record<BoundName, number>>> }
)

/** A condition of a step or variant: all clauses must hold. Plain data, so that it can be stored. */
export type WhenCondition = readonly Clause[]

/** Whether a file with this type, and of this group, is meant by a word: `jpeg`, `image`. */
function meansType(type: Value, word: Value): boolean {
  const own = typeOfName(`x.${type}`)
  const meant = typeOfName(`x.${word}`)
  return word === type || (meant ? meant.id === own?.id : own?.group === word)
}

function holds(clause: Clause, facts: Facts): boolean {
  const value = facts[clause.fact]
  // A fact that the file does not have has no value that a condition could mean.
  if (value === undefined) return false
  if ('bounds' in clause)
    return BOUND_NAMES.every((name) => {
      const bound = clause.bounds[name]
      return bound === undefined || (typeof value === 'number' && BOUNDS[name].holds(value, bound))
    })
  const isAmong = clause.among.some((one) => (clause.fact === 'type' ? meansType(value, one) : one === value))
  return clause.isNot ? !isAmong : isAmong
}

/** Whether a file meets a condition; an absent condition is always met. */
export const meetsWhen = (condition: WhenCondition | undefined, facts: Facts): boolean =>
  condition === undefined || condition.every((clause) => holds(clause, facts))

function clauseText(clause: Clause): string {
  const { fact } = clause
  if ('bounds' in clause) {
    const bounds = BOUND_NAMES.filter((name) => clause.bounds[name] !== undefined)
    return `${fact} ${bounds.map((name) => `${name} ${clause.bounds[name]}`).join(' and ')}`
  }
  const [only] = clause.among
  if (typeof only === 'boolean') return `${only ? '' : 'no '}${fact}`
  return `${fact} ${clause.isNot ? 'not ' : ''}${either(clause.among.map(String))}`
}

/** `width over 1600, type jpg or png` */
export const whenText = (condition: WhenCondition): string => condition.map(clauseText).join(', ')
