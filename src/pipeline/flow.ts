import { typeOfName } from '../media/type.ts'
import type { InputSpec, Tool } from '../tool/contract.ts'
import { foreseenExtension } from '../tool/foresee.ts'

/** What may come out of a step, before anything ran. */
export interface Flow {
  /** Groups (`image`) and extensions (`png`); `*` where nothing is known. */
  types: readonly string[]
  /** Whether it may be several files. */
  several: boolean
}

const groupOf = (name: string): string => typeOfName(`x.${name}`)?.group ?? name

/** Containers hold sound or pictures, and only ffprobe tells which; see accepts() of the job floor. */
const isRecording = (group: string): boolean => group === 'video' || group === 'audio'

function takes(accepted: string, given: string): boolean {
  if (accepted === '*' || given === '*') return true
  const named = typeOfName(`x.${accepted}`)
  const known = typeOfName(`x.${given}`)
  if (accepted === 'pdf' || given === 'pdf') return accepted === given
  if (!named) return accepted === groupOf(given) || (isRecording(accepted) && isRecording(groupOf(given)))
  return known ? known.id === named.id || bothText(known.group, named.group) : named.group === given
}

/** Plain text is what its name says: a .txt may be a table. */
const bothText = (one: string, other: string): boolean =>
  one !== other && [one, other].every((group) => group === 'text' || group === 'data')

/** Whether a tool can take any of what may come. */
export function canTake(input: Pick<InputSpec, 'accept'>, flow: Flow): boolean {
  return flow.types.some((given) => input.accept.some((accepted) => takes(accepted, given)))
}

/** What comes into the first step. */
export function flowInto({ accept }: Pick<InputSpec, 'accept'>): Flow {
  return { types: accept, several: false }
}

/** Types of which only the content decides what they become when they are edited. */
function kept(tool: Pick<Tool, 'output'>, type: string): string {
  const known = typeOfName(`x.${type}`)
  if (known?.group !== 'image') return type
  return foreseenExtension({ output: { ...tool.output, format: 'same as the input' } }, `x.${type}`, {}) ?? 'image'
}

/**
 * What a tool gives, from the words of its output's format: `png`, `from the setting format`, `same as the input`, or a
 * sentence that names several types.
 */
export function flowAfter(
  tool: Pick<Tool, 'input' | 'output'>,
  settings: Readonly<Record<string, unknown>>,
  before: Flow,
): Flow {
  const several = tool.output.kind.startsWith('files') || (before.several && tool.input.files === 'one')
  const { format } = tool.output
  const single = format === 'same as the input' ? undefined : foreseenExtension(tool, '', settings)
  if (single !== undefined) return { types: [single], several }
  const named = (format.match(/[a-z0-9]+/g) ?? []).filter((word) => typeOfName(`x.${word}`))
  const same = format.startsWith('same as the input') ? before.types.map((type) => kept(tool, type)) : []
  const types = [...new Set([...same, ...named])]
  return { types: types.length > 0 ? types : ['*'], several }
}

/** The format of what comes out in the words of an OutputSpec, for names that are known ahead. */
export function flowFormat(
  tools: readonly { tool: Pick<Tool, 'output'>; settings: Readonly<Record<string, unknown>> }[],
): string {
  let format = 'same as the input'
  for (const { tool, settings } of tools) {
    if (tool.output.format === 'same as the input') continue
    format = foreseenExtension(tool, '', settings) ?? 'by the content'
  }
  return format
}
