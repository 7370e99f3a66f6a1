import { conditionText, meetsCondition } from './condition.ts'
import type { Section, Tool } from './contract.ts'
import { lockedCode } from './locked-step.ts'
import type { Setting, SettingsTable } from './settings.ts'

/** A preset as a row of data: a base tool with some settings locked, under its own name. */
export interface PresetRow {
  section: Section
  id: string
  /** Accepted extensions or groups. */
  from: readonly string[]
  /** Extension of the output, or 'same'. */
  to: string
  base: string
  locked: Readonly<Record<string, string | number | boolean>>
  /** Names of the base tool's settings that remain available. */
  settings: readonly string[]
}

/** A row of a preset table. */
export function preset(
  section: Section,
  base: string,
  id: string,
  from: readonly string[],
  to: string,
  locked: PresetRow['locked'] = {},
  settings: readonly string[] = [],
): PresetRow {
  return { section, id, from, to, base, locked, settings }
}

/**
 * A row of the base tool as the preset exposes it: conditions on locked settings are resolved here. A row that can
 * never take effect is still accepted, since callers of the base tool also send it to presets; its help says so.
 */
function openRow({ when = {}, ...row }: Setting, names: readonly string[], fixed: Record<string, unknown>): Setting {
  const isOpen = ([name]: [string, unknown]): boolean => names.includes(name)
  const open = Object.fromEntries(Object.entries(when).filter(isOpen))
  const decided = Object.fromEntries(Object.entries(when).filter((one) => !isOpen(one)))
  if (!meetsCondition(decided, fixed)) {
    const values = Object.keys(decided).map((name) => [name, fixed[name] as string | number | boolean])
    const { example: _example, ...rest } = row
    return { ...rest, help: `no effect with ${conditionText(Object.fromEntries(values))}` }
  }
  return Object.keys(open).length > 0 ? { ...row, when: open } : row
}

const upper = (names: readonly string[]): string => names.map((name) => name.toUpperCase()).join(' or ')

function summaryOf({ id, from, to, locked }: PresetRow): string {
  if (locked.targetSizeKb !== undefined)
    return `Shrink ${id.includes('pdf') ? 'a PDF' : 'an image'} to at most ${locked.targetSizeKb} kB`
  return `Convert ${upper(from.slice(0, 1))} to ${to.toUpperCase()}`
}

/** A preset as an ordinary tool: the base tool's code with the locked settings filled in. */
export function presetTool(row: PresetRow, base: Tool): Tool {
  const full = (given: Record<string, unknown>): Record<string, unknown> => {
    // Defaults that the tool fills in must not count as given by the caller.
    const defaults = Object.fromEntries(
      Object.entries(base.settings).map(([name, row]) => [name, row.filledByTool ? undefined : row.default]),
    )
    return { ...defaults, ...given, ...row.locked }
  }
  const settings: SettingsTable = Object.fromEntries(
    row.settings.map((name) => [name, openRow(base.settings[name]!, row.settings, full({}))]),
  )
  return {
    ...base,
    id: row.id,
    summary: summaryOf(row),
    input: { ...base.input, accept: row.from },
    settings,
    actions: [],
    examples: [{ title: summaryOf(row), settings: {} }],
    output: { ...base.output, type: row.to === 'same' ? { same: true } : { is: row.to } },
    ...(base.check && { check: (given: Record<string, unknown>) => base.check!(full(given)) }),
    ...(base.checkInstalled && {
      checkInstalled: (given: Record<string, unknown>, store: string) => base.checkInstalled!(full(given), store),
    }),
    ...lockedCode(base, full),
  }
}

/** Given settings that a preset locks: ignoring them would silently drop a value. */
export function lockedNames(
  { settings, locked = {} }: { settings: SettingsTable; locked?: Readonly<Record<string, unknown>> | undefined },
  given: Readonly<Record<string, unknown>>,
): { path: string; message: string }[] {
  return Object.keys(given)
    .filter((name) => Object.hasOwn(locked, name) && !Object.hasOwn(settings, name))
    .map((path) => ({ path, message: 'fixed by this preset' }))
}
