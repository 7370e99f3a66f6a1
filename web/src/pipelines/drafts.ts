/** Pipelines with changes that are not saved yet, per user and pipeline, in this browser. */
import { user } from '../api/session.ts'
import { store, stored } from '../app/storage.ts'
import type { Values } from '../forms/values.ts'
import { type Draft, definitionOf, draftOf, EMPTY, readDefinition, stepOf } from './definition.ts'

const keyOf = (id: string): string => `mediaproc:pipeline:${user.value?.id ?? ''}:${id}`

export const keepDraft = (id: string, draft: Draft | undefined): void =>
  store(keyOf(id), draft && JSON.stringify(definitionOf(draft)))

export function keptDraft(id: string): Draft | undefined {
  try {
    const found = readDefinition(JSON.parse(stored(keyOf(id)) ?? 'null'))
    return found && draftOf(found)
  } catch {
    return undefined
  }
}

/** Adds a step to the pipeline that is not saved yet. */
export function addToDraft(toolId: string, settings: Values): void {
  const draft = keptDraft('new') ?? EMPTY
  keepDraft('new', { ...draft, steps: [...draft.steps, stepOf(toolId, settings)] })
}
