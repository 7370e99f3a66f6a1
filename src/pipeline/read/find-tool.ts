import { MediaprocError } from '../../errors.ts'
import type { Runnable } from '../../job/run.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import type { Tool } from '../../tool/contract.ts'
import { redirectTool } from '../../tool/redirect-tool.ts'
import { findEntry, loadTool } from '../../tool/registry.ts'
import { nearest } from '../../tool/validate.ts'
import type { RunnableOptions } from '../run/run-alone.ts'

type Action = CatalogueEntry['actions'][number]

/** The code for running steps is loaded only when needed: finding a tool must cost next to nothing. */
const runnable = async (tool: Tool, options?: RunnableOptions): Promise<Runnable> =>
  (await import('../run/run-alone.ts')).runnable(tool, options)

/** The declaration of a tool, plus the fields that only actions have. */
export type FoundEntry = CatalogueEntry & Pick<Action, 'fromJob' | 'sync'>

/** A tool or one of its actions: its data, and how to load its code. */
export interface FoundTool {
  tool: CatalogueEntry
  action?: Action
  /**
   * The data of the action, combined with its tool's; otherwise the tool's. `id` includes the action:
   * `edit-metadata/inspect`.
   */
  entry: FoundEntry
  loadTool(): Promise<Tool>
  load(options?: RunnableOptions): Promise<{ runnable: Runnable; check?: Tool['check'] }>
}

function findAction(tool: CatalogueEntry, id: string): Action {
  const action = tool.actions.find((one) => one.id === id)
  if (action) return action
  const names = tool.actions.map((one) => one.id)
  const near = nearest(id, names)
  const hint = near
    ? `Did you mean ${tool.section}/${tool.id}/${near}?`
    : names.length > 0
      ? `It has ${names.join(', ')}.`
      : 'It has no actions.'
  throw new MediaprocError('UNKNOWN_TOOL', `${tool.section}/${tool.id} has no action ${id}`, { hint })
}

/** An action as a tool: its data and code, with the section and time limit of its tool. */
export function actionAsTool(tool: Tool, id: string): Tool {
  const { check: _check, checkInstalled: _checkInstalled, naming, ...facts } = tool
  const own = tool.actions.find((one) => one.id === id)!
  return { ...facts, ...(naming && { naming }), ...own, id: `${tool.id}/${id}`, actions: [] } as Tool
}

/**
 * Finds a tool: `resize` of a section, `image/resize`, or with an action `image/edit-metadata/inspect`.
 * @throws MediaprocError UNKNOWN_TOOL with the closest name
 */
export function findTool(name: string, section?: string): FoundTool {
  const parts = name.split('/')
  const [toolSection, id = '', actionId] = section === undefined ? parts : [section, ...parts]
  const tool = findEntry(id, toolSection)
  const action = actionId === undefined ? undefined : findAction(tool, actionId)
  if (!action)
    return {
      tool,
      entry: tool,
      loadTool: () => loadTool(tool),
      load: async (options) => {
        const code = await loadTool(tool)
        return { runnable: await runnable(code, options), check: code.check }
      },
    }
  const loadAction = async (): Promise<Tool> => actionAsTool(await loadTool(tool), action.id)
  return {
    tool,
    action,
    entry: {
      ...tool,
      ...action,
      id: `${tool.id}/${action.id}`,
      actions: [],
      examples: [],
    },
    loadTool: loadAction,
    load: async (options) => {
      const code = await loadAction()
      return { runnable: await runnable(code, options), check: code.check }
    },
  }
}

/** The tool after redirects, and its settings; see `redirectTool`. Actions are never redirected. */
export function findRedirected(
  found: FoundTool,
  given: Readonly<Record<string, unknown>>,
): { found: FoundTool; given: Record<string, unknown> } {
  if (found.action) return { found, given: { ...given } }
  const meant = redirectTool(found.tool, given)
  const { section, id } = meant.entry
  return { found: meant.entry === found.tool ? found : findTool(id, section), given: meant.given }
}
