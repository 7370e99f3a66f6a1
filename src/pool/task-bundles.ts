import { findTool } from '../pipeline/read/find-tool.ts'
import { usedBundles } from '../tool/bundles.ts'
import type { PipelineTask, ToolTask } from './messages.ts'

function bundlesOfTool(target: string, settings: Readonly<Record<string, unknown>>): string[] {
  try {
    return usedBundles(findTool(target).entry, settings)
  } catch {
    // The process that runs the task reports an unknown tool.
    return []
  }
}

/** Bundles whose models a task may load, so that similar tasks go to the process that has them loaded. */
export function bundlesOfTask(
  task: Pick<ToolTask, 'kind' | 'target' | 'settings'> | Pick<PipelineTask, 'kind' | 'steps'>,
): string[] {
  if (task.kind === 'tool') return bundlesOfTool(task.target, task.settings)
  return [...new Set(task.steps.flatMap(({ toolId, settings = {} }) => bundlesOfTool(toolId, settings)))]
}
