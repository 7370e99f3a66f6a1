import { findTool } from '../pipeline/read/find-tool.ts'
import { usedBundles } from '../tool/bundles.ts'
import type { Task } from './messages.ts'

function bundlesOfTool(target: string, settings: Readonly<Record<string, unknown>>): string[] {
  try {
    return usedBundles(findTool(target).entry, settings)
  } catch {
    // That there is no such tool is for the process to tell, which runs it.
    return []
  }
}

/** The bundles whose models a task may load, so that its like can go to the process that has them. */
export function bundlesOfTask(task: Task): string[] {
  if (task.kind === 'tool') return bundlesOfTool(task.target, task.settings)
  return [...new Set(task.steps.flatMap(({ toolId, settings = {} }) => bundlesOfTool(toolId, settings)))]
}
