import { describe, expect, test } from 'vitest'
import { COMMON_OPTIONS, type CommonOption } from '../../src/cli/input/common-options.ts'
import { SAMPLE_NAMES } from '../../src/cli/sample-names.ts'
import { typeOfName } from '../../src/media/type.ts'
import { allBundles } from '../../src/models/manifest.ts'
import type { CatalogueEntry } from '../../src/tool/catalogue.ts'
import type { Condition } from '../../src/tool/condition.ts'
import { SECTIONS } from '../../src/tool/contract.ts'
import { typeFacts } from '../../src/tool/output-type.ts'
import { checkIds, findEntry, loadTool, scanTools, useScannedCatalogue } from '../../src/tool/registry.ts'
import type { Setting, SettingsTable } from '../../src/tool/settings.ts'
import { inspectSettings } from '../../src/tool/validate.ts'
import { convertValue } from '../../src/tool/values/values.ts'

const entries = await useScannedCatalogue()
const nameOf = (entry: CatalogueEntry): string => `${entry.section}/${entry.id}`

/** All tables of a tool: its own and those of its actions, with the fields of nested groups as tables of their own. */
function tablesOf({ settings, actions }: Pick<CatalogueEntry, 'settings' | 'actions'>): SettingsTable[] {
  const nested = (table: SettingsTable): SettingsTable[] =>
    Object.values(table).flatMap((row) => {
      const fields = row.fields ?? row.items?.fields
      return fields ? [fields, ...nested(fields)] : []
    })
  return [settings, ...actions.map((action) => action.settings)].flatMap((table) => [table, ...nested(table)])
}

/** Every row of a table, and the rows of list items. */
const rowsOf = (table: SettingsTable): [string, Setting][] =>
  Object.entries(table).flatMap(([name, row]): [string, Setting][] =>
    row.items
      ? [
          [name, row],
          [`${name}[]`, row.items],
        ]
      : [[name, row]],
  )

/** Errors in the rows of a table, as sentences; tests expect none. */
function faultsOf(table: SettingsTable): string[] {
  const faults: string[] = []
  const owners = new Map<string, string>(Object.keys(table).map((name) => [name, name]))
  for (const [name, row] of Object.entries(table))
    for (const alias of row.aliases ?? []) {
      if (owners.has(alias)) faults.push(`alias ${alias} of ${name} is also ${owners.get(alias)}`)
      owners.set(alias, name)
    }
  const letters = new Map(
    Object.values<CommonOption>(COMMON_OPTIONS).flatMap(({ long, short }) => (short ? [[short, `--${long}`]] : [])),
  )
  // Of the program itself, which has no row.
  letters.set('V', '--version')
  for (const [name, { short }] of Object.entries(table)) {
    if (short === undefined) continue
    if (!/^[A-Za-z]$/.test(short)) faults.push(`the short form of ${name} is no letter`)
    if (letters.has(short)) faults.push(`-${short} of ${name} is also ${letters.get(short)}`)
    letters.set(short, name)
  }
  for (const [name, row] of rowsOf(table)) {
    if (row.help.trim() === '') faults.push(`${name} has no help line`)
    if (row.help.endsWith('.')) faults.push(`the help of ${name} ends with a full stop`)
    // Only names are capitalised: PNG, JSON, #RRGGBB, EXIF.
    if (/^[A-Z][a-z]/.test(row.help)) faults.push(`the help of ${name} begins with a capital`)
    if (row.type === 'enum' && (row.enum ?? []).length === 0) faults.push(`${name} has no members`)
    if (row.enum && new Set(row.enum).size !== row.enum.length) faults.push(`${name} has a member twice`)
    if (row.enum && row.default !== undefined && !row.enum.includes(row.default as never))
      faults.push(`the default of ${name} is no member`)
    for (const [old, now] of Object.entries(row.valueAliases ?? {})) {
      if (row.enum?.includes(old)) faults.push(`${name}: the old value ${old} is a member`)
      if (row.enum && !row.enum.includes(now)) faults.push(`${name}: ${old} means ${now}, which is not a member`)
    }
    if (row.type === 'string' && (/#RRGGBB/.test(row.help) || /^#[0-9a-f]{6}$/i.test(String(row.default))))
      faults.push(`${name} is a colour declared as text`)
    if (row.required && row.default !== undefined) faults.push(`${name} is required and has a default`)
    if (row.min !== undefined && row.max !== undefined && row.min > row.max) faults.push(`${name}: min is above max`)
    if (row.example !== undefined)
      faults.push(
        ...inspectSettings({ [name]: row }, { [name]: row.example }).issues.map(({ message }) => `example: ${message}`),
      )
    // Values that the tool fills in are unknown before it runs, so no condition can depend on them.
    for (const one of Object.keys(row.when ?? {}))
      if (table[one]?.filledByTool) faults.push(`${name} depends on ${one}, which the tool fills in`)
    if (row.default !== undefined)
      faults.push(
        ...inspectSettings({ [name]: row }, { [name]: row.default }).issues.map(({ message }) => `default: ${message}`),
      )
  }
  return faults
}

test('the checks below find their errors', () => {
  const faulty: SettingsTable = {
    width: { type: 'integer', help: 'Width of the result.', default: 0, min: 1, aliases: ['height'] },
    height: { type: 'integer', help: '', min: 5, max: 1 },
    depth: { type: 'integer', help: 'bits', max: 16, example: 32, when: { level: 3 } },
    level: { type: 'integer', help: 'how much', default: 3, filledByTool: true },
    fit: { type: 'enum', help: 'how', enum: ['cover', 'cover'], default: 'inside', valueAliases: { crop: 'slice' } },
    ink: { type: 'string', help: 'what is drawn', default: '#a0b0c0' },
    paper: { type: 'string', help: '#RRGGBB or transparent' },
    sizes: { type: 'array', help: 'sides', required: true, default: [1.5], items: { type: 'integer', help: '' } },
  }
  expect(faultsOf(faulty)).toEqual([
    'alias height of width is also height',
    'the help of width ends with a full stop',
    'the help of width begins with a capital',
    'default: Expected an integer of at least 1 for width, got 0',
    'height has no help line',
    'height: min is above max',
    'example: Expected an integer of at most 16 for depth, got 32',
    'depth depends on level, which the tool fills in',
    'fit has a member twice',
    'the default of fit is no member',
    'fit: crop means slice, which is not a member',
    'default: Expected one of cover or cover for fit, got inside',
    'ink is a colour declared as text',
    'paper is a colour declared as text',
    'sizes is required and has a default',
    'default: Expected an integer for sizes.0, got 1.5',
    'sizes[] has no help line',
  ])
})

test('finds colliding short forms', () => {
  const row: Setting = { type: 'integer', help: 'a number' }
  expect(
    faultsOf({ width: { ...row, short: 'w' }, weight: { ...row, short: 'w' }, quality: { ...row, short: 'q' } }),
  ).toEqual(['-w of weight is also width', '-q of quality is also --quiet'])
  expect(faultsOf({ size: { ...row, short: 'si' }, version: { ...row, short: 'V' } })).toEqual([
    'the short form of size is no letter',
    '-V of version is also --version',
  ])
})

test('a letter means one setting in all tools', () => {
  const pairs = entries.flatMap(({ settings }) =>
    Object.entries(settings).flatMap(([name, { short }]) => (short ? [`${short} ${name}`] : [])),
  )
  const meanings = [...new Set(pairs)]
  const letters = meanings.map((pair) => pair[0])
  expect(letters.filter((letter, index) => letters.indexOf(letter) !== index)).toEqual([])
  expect(meanings).toEqual(expect.arrayContaining(['w width', 'H height', 'Q quality', 'F format']))
})

test('ids are unique, well formed and not reused for an action', () => {
  const names = entries.flatMap((entry) => [
    nameOf(entry),
    ...entry.actions.map((action) => `${nameOf(entry)}/${action.id}`),
  ])
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  for (const name of names) expect(name).toMatch(/^[a-z]+(\/[a-z0-9]+(-[a-z0-9]+)*){1,2}$/)
  expect(new Set(entries.map((entry) => entry.section))).toEqual(new Set(SECTIONS))
})

test('two sections never share an id, and a switch names an existing tool', () => {
  const named = (section: CatalogueEntry['section'], id: string, settings: SettingsTable = {}) => ({
    ...{ section, id, settings },
  })
  expect(() => checkIds(entries)).not.toThrow()
  expect(() => checkIds([named('image', 'crop'), named('video', 'crop')])).toThrow(
    'image/crop and video/crop share an id',
  )
  expect(() => checkIds([named('pdf', 'crop'), named('pdf', 'crop')])).toThrow('two tools are called pdf/crop')
  const elsewhere = named('image', 'resize', { fast: { type: 'boolean', help: 'quick', tool: 'trim' } })
  expect(() => checkIds([elsewhere, named('video', 'trim')])).toThrow('image/resize: fast means image/trim')
  expect(() => checkIds([elsewhere, named('image', 'trim')])).not.toThrow()
})

test('a catalogue entry survives JSON', async () => {
  const scanned = await scanTools()
  expect(JSON.parse(JSON.stringify(scanned))).toEqual(JSON.parse(JSON.stringify(entries)))
  for (const entry of scanned) expect(JSON.parse(JSON.stringify(entry))).toEqual(withoutUndefined(entry))
})

/** JSON has no undefined, and nothing else may get lost. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, withoutUndefined(item)]),
  )
}

describe.each(entries.map((entry) => [nameOf(entry), entry] as const))('%s', (name, entry) => {
  test('its rows are in order', () => {
    for (const line of [entry, ...entry.actions].map(({ summary }) => summary))
      expect(line, 'a summary begins with a capital and has no full stop').toMatch(/^[A-Z].*[^.\s]$/)
    expect(tablesOf(entry).flatMap(faultsOf)).toEqual([])
  })

  test('its facts name existing settings and types', () => {
    for (const { settings, output } of [entry, ...entry.actions]) {
      const rows = typeFacts(output.type)
      const conditions = [...Object.values(settings), ...rows].map(({ when = {} }: { when?: Condition }) => when)
      for (const [key, wanted] of conditions.flatMap((condition) => Object.entries(condition)))
        for (const value of [wanted].flat())
          expect([key, value, settings[key] && convertValue(settings[key], value)]).toEqual([key, value, value])
      for (const row of rows) {
        if ('setting' in row)
          expect([row.setting, settings[row.setting]?.enum]).toEqual([row.setting, expect.any(Array)])
        const types = 'is' in row ? [row.is] : 'oneOf' in row ? row.oneOf.filter((one) => one !== '*') : []
        expect(types.filter((one) => typeOfName(`x.${one}`) === undefined)).toEqual([])
      }
      expect(output.type === undefined).toBe(output.kind === 'report')
    }
  })

  test('its bundles exist, and are required by existing settings', () => {
    const known = allBundles().map(({ id }) => id)
    const { bundles, bundlesFor = {}, settings } = entry
    expect([...bundles, ...Object.keys(bundlesFor)].filter((id) => !known.includes(id))).toEqual([])
    for (const [key, wanted] of Object.values(bundlesFor).flatMap((condition) => Object.entries(condition)))
      for (const value of [wanted].flat())
        expect([key, settings[key] && convertValue(settings[key], value)]).toEqual([key, value])
  })

  test('names of secondary inputs are unique', () => {
    const { secondary = {} } = entry.input
    const taken = Object.entries(entry.settings).flatMap(([key, row]) => [key, ...(row.aliases ?? [])])
    expect(Object.keys(secondary).filter((key) => taken.includes(key))).toEqual([])
    for (const { what } of Object.values(secondary)) expect(what).toMatch(/\S[^.]$/)
  })

  test('finds the code under its name with the same declaration', async () => {
    const tool = await loadTool(findEntry(name))
    expect([tool.section, tool.id]).toEqual([entry.section, entry.id])
    expect(tool.actions.map(({ id }) => id)).toEqual(entry.actions.map(({ id }) => id))
  })

  test('the settings of its examples are valid', async () => {
    const tool = await loadTool(entry)
    expect(tool.examples.length).toBeGreaterThan(0)
    for (const { title, settings = {}, inputs, secondary = {} } of tool.examples) {
      expect(title).toMatch(/\S[^.]$/)
      const { issues, values, deprecated } = inspectSettings(tool.settings, settings)
      expect([...issues.map(({ message }) => message), ...deprecated]).toEqual([])
      tool.check?.(values)
      const required = Object.entries(tool.input.secondary ?? {}).filter(([, row]) => row.required)
      for (const [key] of required) expect(Object.keys(secondary)).toContain(key)
      for (const key of Object.keys(secondary)) expect(Object.keys(tool.input.secondary ?? {})).toContain(key)
      if (tool.input.files === 'none' || entry.base) continue
      const count = inputs?.length ?? (SAMPLE_NAMES[tool.input.accept[0]!] ? 1 : 0)
      expect(count).toBeGreaterThanOrEqual(tool.input.min)
      expect(count).toBeLessThanOrEqual(tool.input.max)
    }
  })
})
