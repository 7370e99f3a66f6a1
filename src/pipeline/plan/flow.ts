import { firstOf } from '../../lists.ts'
import { typeOfName } from '../../media/type.ts'
import type { InputSpec, Tool } from '../../tool/contract.ts'
import { type OutputType, possibleTypes, typeFor } from '../../tool/output-type.ts'

/** The possible results of a step, before anything has run. */
export interface Flow {
  /** Groups (`image`) and extensions (`png`); `*` if unknown. */
  types: readonly string[]
  /** Whether there can be several files. */
  several: boolean
}

const groupOf = (name: string): string => typeOfName(`x.${name}`)?.group ?? name

/** Containers hold audio or video, which only ffprobe can distinguish; see accepts() in src/job. */
const isAudioOrVideo = (group: string): boolean => group === 'video' || group === 'audio'

function takes(accepted: string, given: string): boolean {
  if (accepted === '*' || given === '*') return true
  const named = typeOfName(`x.${accepted}`)
  const known = typeOfName(`x.${given}`)
  if (accepted === 'pdf' || given === 'pdf') return accepted === given
  if (!named) return accepted === groupOf(given) || (isAudioOrVideo(accepted) && isAudioOrVideo(groupOf(given)))
  return known ? known.id === named.id || bothText(known.group, named.group) : named.group === given
}

/** Plain text is identified by its extension: a .txt may be a table. */
const bothText = (one: string, other: string): boolean =>
  one !== other && [one, other].every((group) => group === 'text' || group === 'data')

/** Whether a tool can accept any of the possible types. */
export function canTake(input: Pick<InputSpec, 'accept'>, flow: Flow): boolean {
  return flow.types.some((given) => input.accept.some((accepted) => takes(accepted, given)))
}

/** The input of the first step. */
export function flowInto({ accept }: Pick<InputSpec, 'accept'>): Flow {
  return { types: accept, several: false }
}

/** The result of a tool, from its output declaration. */
export function flowAfter(
  tool: Pick<Tool, 'input' | 'output'>,
  settings: Readonly<Record<string, unknown>>,
  before: Flow,
): Flow {
  const several = tool.output.kind.startsWith('files') || (before.several && tool.input.files === 'one')
  return { types: possibleTypes(tool.output.type, before.types, settings), several }
}

/**
 * The result type of a series of tools, for names that are known in advance.
 * @param start the type that they begin with; by default the input's own
 */
export function typeAfter(
  tools: readonly { tool: Pick<Tool, 'output'>; settings: Readonly<Record<string, unknown>> }[],
  start: OutputType = { same: true },
): OutputType {
  let last = typeFor(start, {})
  for (const { tool, settings } of tools) {
    const type = typeFor(tool.output.type ?? { oneOf: ['*'] }, settings)
    const known = 'is' in last ? [last.is] : 'oneOf' in last ? last.oneOf : undefined
    if (!known || 'is' in type || 'oneOf' in type) last = type
    else {
      const types = possibleTypes(type, known, {})
      last = types.length === 1 ? { is: firstOf(types) } : { oneOf: types }
    }
  }
  return last
}
