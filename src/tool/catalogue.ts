import type { Action, Code, Medium, Tool, ToolFacts } from './contract.ts'
import type { PresetRow } from './preset.ts'
import { labelOf, type SettingsTable } from './settings.ts'

export type CatalogueAction = Omit<Action, 'check' | 'run' | 'step'>

/** A tool or preset as plain data: all that help, completion, docs and `mediaproc tools --json` need, without its code. */
export interface CatalogueEntry extends Omit<ToolFacts, 'check' | 'checkInstalled' | 'actions'> {
  medium: Medium
  actions: CatalogueAction[]
  /** The folder of its module within the section, such as `geometry`; absent when the module is in the section's own folder. */
  subject?: string
  /** Presets: the tool that does the work, and the settings that are fixed. */
  base?: string
  locked?: Readonly<Record<string, unknown>>
}

/** The data of a tool; `row` when it is a preset. `subject`: the folder of the tool's module within its section. */
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

/** The shape of `mediaproc tools --json`: settings as arrays with names. */
export function publicEntry(entry: CatalogueEntry): object {
  return {
    ...entry,
    settings: settingsList(entry.settings),
    actions: entry.actions.map((action) => ({ ...action, settings: settingsList(action.settings) })),
  }
}
