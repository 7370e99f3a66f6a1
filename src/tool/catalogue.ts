import type { Action, Code, Medium, Tool, ToolFacts } from './contract.ts'
import type { PresetRow } from './preset.ts'
import { labelOf, type SettingsTable } from './settings.ts'

export type CatalogueAction = Omit<Action, 'check' | 'run' | 'step'>

/**
 * A tool or preset as plain data: everything that help, completion, docs and `mediaproc tools --json` need, without
 * code.
 */
export interface CatalogueEntry extends Omit<ToolFacts, 'check' | 'checkInstalled' | 'actions'> {
  medium: Medium
  actions: CatalogueAction[]
  /**
   * The subfolder of its module within the section, such as `geometry`; absent if the module is directly in the
   * section.
   */
  subject?: string
  /** The plugin that it belongs to. */
  plugin?: string
  /** Presets: the base tool and the locked settings. */
  base?: string
  locked?: Readonly<Record<string, unknown>>
}

/** The data of a tool; with `row` for a preset. `subject` is the subfolder of the module within its section. */
export function catalogueEntry(tool: Tool, subject?: string, row?: PresetRow): CatalogueEntry {
  const { actions, ...facts } = withoutCode(tool)
  return {
    ...facts,
    ...(subject !== undefined && { subject }),
    actions: actions.map(withoutCode),
    ...(row && { base: row.base, locked: row.locked }),
  }
}

/** A declaration without its functions. */
function withoutCode<T extends Code & { check?: unknown; checkInstalled?: unknown }>(
  declaration: T,
): Omit<T, 'run' | 'step' | 'check' | 'checkInstalled'> {
  const code = declaration as T & { run?: unknown; step?: unknown }
  const { run: _run, step: _step, check: _check, checkInstalled: _checkInstalled, ...facts } = code
  return facts
}

const settingsList = (table: SettingsTable): object[] =>
  Object.entries(table).map(([name, row], order) => ({ name, label: labelOf(name, row), order, ...row }))

/** The JSON of `mediaproc tools --json`: settings as arrays with names. */
export function publicEntry(entry: CatalogueEntry): object {
  return {
    ...entry,
    settings: settingsList(entry.settings),
    actions: entry.actions.map((action) => ({ ...action, settings: settingsList(action.settings) })),
  }
}
