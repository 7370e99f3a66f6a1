import { findTool } from '../../pipeline/read/find-tool.ts'
import { bundlesOfTask } from '../../pool/task-bundles.ts'
import type { StoredTask } from '../../store/job-record.ts'
import type { JobNeeds } from '../../store/queue.ts'

/** The tools of a task, and the bundles whose models it may load. */
export function needsOf({ kind, target, settings, steps = [] }: StoredTask): JobNeeds {
  const ids = kind === 'tool' ? [target] : steps.map(({ toolId }) => toolId)
  const tools = ids.map((id) => findTool(id).tool)
  return {
    tools: [...new Set(tools.map(({ section, id }) => `${section}/${id}`))],
    bundles: bundlesOfTask(kind === 'tool' ? { kind, target, settings } : { kind, steps }),
  }
}
