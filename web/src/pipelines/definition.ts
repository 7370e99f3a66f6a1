/** A pipeline as it is edited, and what of it other places keep: the server, the browser, a link. */
import type { Values } from '../forms/values.ts'

export interface Step {
  /** Identity on the page: the same tool can be used twice. */
  key: number
  toolId: string
  /** What a request sends: effective values that are not defaults. */
  settings: Values
  /** What the form shows, if it was changed. It can have values that no request sends, such as a field that is empty. */
  values?: Values
}

export interface Draft {
  name: string
  description: string
  steps: readonly Step[]
}

/** What is sent and kept. */
export interface Definition {
  name: string
  description: string
  steps: readonly SentStep[]
}

export interface SentStep {
  toolId: string
  settings: Values
}

export const EMPTY: Draft = { name: '', description: '', steps: [] }

let lastKey = 0

export function stepOf(toolId: string, settings: Values = {}): Step {
  lastKey += 1
  return { key: lastKey, toolId, settings }
}

export const sentSteps = (steps: readonly Step[]): SentStep[] =>
  steps.map(({ toolId, settings }) => ({ toolId, settings }))

export const definitionOf = ({ name, description, steps }: Draft): Definition => ({
  ...{ name, description, steps: sentSteps(steps) },
})

export const draftOf = ({ name, description, steps }: Definition): Draft => ({
  ...{ name, description, steps: steps.map(({ toolId, settings }) => stepOf(toolId, settings)) },
})

export const isSame = (one: Draft, other: Draft): boolean =>
  JSON.stringify(definitionOf(one)) === JSON.stringify(definitionOf(other))

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A definition of unknown origin; undefined if it is none. */
export function readDefinition(given: unknown): Definition | undefined {
  if (!isObject(given) || !Array.isArray(given.steps)) return undefined
  const steps: SentStep[] = []
  for (const step of given.steps as unknown[]) {
    if (!isObject(step) || typeof step.toolId !== 'string') return undefined
    steps.push({ toolId: step.toolId, settings: isObject(step.settings) ? step.settings : {} })
  }
  const text = (value: unknown): string => (typeof value === 'string' ? value : '')
  return { name: text(given.name), description: text(given.description), steps }
}

/** Steps to another place in the list. */
export function moved<T>(list: readonly T[], from: number, to: number): readonly T[] {
  const rest = list.filter((_, index) => index !== from)
  const item = list.slice(from, from + 1)
  return to < 0 || to >= list.length ? list : [...rest.slice(0, to), ...item, ...rest.slice(to)]
}
