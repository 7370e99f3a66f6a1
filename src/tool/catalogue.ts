import type { Action, Tool } from './contract.ts'
import type { PresetRow } from './preset.ts'
import { labelOf, type SettingsTable } from './settings.ts'

/** A tool or preset as plain data: all that help, completion, docs and `mediaproc tools --json` need, without its code. */
export interface CatalogueEntry extends Omit<Tool, 'run' | 'check' | 'step' | 'actions'> {
  actions: Omit<Action, 'run'>[]
  /** Presets: the tool that does the work, and the settings that are fixed. */
  base?: string
  locked?: Readonly<Record<string, unknown>>
}

/** The data of a tool; `row` when it is a preset. */
export function catalogueEntry(
  { run: _run, check: _check, step: _step, actions, ...tool }: Tool,
  row?: PresetRow,
): CatalogueEntry {
  return {
    ...tool,
    actions: actions.map(({ run: _code, ...action }) => action),
    ...(row && { base: row.base, locked: row.locked }),
  }
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
