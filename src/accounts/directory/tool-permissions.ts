import { MediaprocError } from '../../errors.ts'
import type { ToolPermissions } from '../../store/records.ts'
import { catalogue } from '../../tool/registry.ts'

/** Section names as used in roles; the toolkit's own names are accepted as well. */
const CATEGORIES: Readonly<Record<string, string>> = {
  image: 'image',
  video: 'video',
  audio: 'audio',
  document: 'pdf',
  file: 'files',
  pdf: 'pdf',
  files: 'files',
}

/** The parts of a tool that decide whether a role includes it. A preset is also included by the tool it is based on. */
export interface ToolIdentity {
  id: string
  section: string
  base?: string | undefined
}

/** Whether a caller with these limits may run a tool; null for all tools. */
export function mayUseTool(limits: ToolPermissions | null, { id, section, base }: ToolIdentity): boolean {
  if (limits === null) return true
  if (limits.mode === 'tool') return limits.allowed.some((one) => one === id || one === base)
  return limits.allowed.some((one) => CATEGORIES[one] === section)
}

/** @throws FORBIDDEN */
export function requireTool(limits: ToolPermissions | null, tool: ToolIdentity, where = ''): void {
  if (!mayUseTool(limits, tool))
    throw new MediaprocError('FORBIDDEN', `${where}Your role does not include the tool ${tool.id}`)
}

/** The tools that limits currently allow. */
function allowedTools(limits: ToolPermissions | null): Set<string> {
  const tools = catalogue().filter((entry) => mayUseTool(limits, entry))
  return new Set(tools.map(({ section, id }) => `${section}/${id}`))
}

/** Whether `held` allows everything that `wanted` allows. */
export function isWithin(wanted: ToolPermissions | null, held: ToolPermissions | null): boolean {
  if (held === null) return true
  // All tools includes those of later versions.
  if (wanted === null) return false
  const mine = allowedTools(held)
  return [...allowedTools(wanted)].every((tool) => mine.has(tool))
}

/** Parses limits from a request. @throws VALIDATION_ERROR naming the invalid word */
export function checkedToolPermissions(wanted: ToolPermissions | null): ToolPermissions | null {
  if (wanted === null) return null
  const { mode, allowed } = wanted
  const ids = mode === 'tool' ? new Set(catalogue().map(({ id }) => id)) : new Set(Object.keys(CATEGORIES))
  const unknown = allowed.find((one) => !ids.has(one))
  if (unknown !== undefined)
    throw new MediaprocError(
      'VALIDATION_ERROR',
      `toolPermissions: there is no ${mode === 'tool' ? 'tool' : 'category'} ${unknown.slice(0, 50)}`,
    )
  return { mode, allowed: [...new Set(allowed)] }
}
