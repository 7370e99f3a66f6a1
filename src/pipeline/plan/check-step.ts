import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import { checkRequiredFor } from '../../job/accept.ts'
import { printableName } from '../../media/file.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import type { Tool } from '../../tool/contract.ts'
import { lockedNames } from '../../tool/preset.ts'
import { redirectTool } from '../../tool/redirect-tool.ts'
import { findEntry, loadTool } from '../../tool/registry.ts'
import {
  applyConditions,
  type Checked,
  givenNames,
  inspectSettings,
  nearest,
  type SettingsIssue,
} from '../../tool/validate.ts'
import type { DataDiagnostic, DataPath } from '../read/diagnostics.ts'
import { checkWhen } from '../when/check-when.ts'
import type { PlannedStep } from './plan.ts'
import type { Reference } from './reference.ts'

/** A step as data. */
export interface StepData {
  /** `image/resize`, or `resize` alone. */
  tool: string
  /** Values by name, including additional named files; anything that is not such an object is reported. */
  settings?: unknown
  /** Facts of the input for which it runs. */
  when?: unknown
  /** The base folder for its files, if it is not that of the pipeline. */
  folder?: string
  /** The included file that contains it, for display. */
  from?: string
  /** It could not be read, and the mistake is already recorded: nothing about it or its result is known. */
  isUnreadable?: true
}

/** Context shared by the checks of all steps. */
export interface Checking {
  diagnostics: DataDiagnostic[]
  warnings: string[]
  /** The base folder for paths of additional files; without it, a pipeline cannot name files. */
  folder: string | undefined
  /** Settings that a tool does not know are ignored. */
  ignoresUnknown: boolean
  /** Settings without effect are reported as diagnostics. */
  refusesIneffective: boolean
  /** Reads a reference to the result of a variant, or to the input; a mistake is recorded. Without it there are none. */
  refer?(given: Readonly<Record<string, unknown>>, path: DataPath): Reference | undefined
}

/** A short description of a value. */
export function valueInWords(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'named values'
  return JSON.stringify(value)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function findStep({ diagnostics }: Checking, name: string, path: DataPath): CatalogueEntry | undefined {
  if (name.split('/').length > 2) {
    diagnostics.push({ path, message: `A step is a tool, and ${name} is an action, which only reports` })
    return undefined
  }
  try {
    return findEntry(name)
  } catch (error) {
    if (!(error instanceof MediaprocError) || error.code !== 'UNKNOWN_TOOL') throw error
    diagnostics.push({ path, message: error.message, ...(error.hint && { hint: error.hint }) })
    return undefined
  }
}

/** The path of an additional named file, or the problem with it as a message and a hint. */
function furtherFile(folder: string | undefined, name: string, value: unknown): { path: string } | [string, string?] {
  if (typeof value !== 'string' || value === '')
    return [`Expected the name of a file for ${name}, got ${JSON.stringify(value) ?? 'nothing'}`]
  if (folder === undefined) return ['This pipeline cannot name files of its own']
  const path = resolve(folder, value)
  const shown = printableName(value)
  if (!existsSync(path)) return [`The file ${shown} does not exist`, 'It is looked for next to the file that names it.']
  return statSync(path).isFile() ? { path } : [`${shown} is not a file`]
}

interface SplitSettings {
  given: Record<string, unknown>
  secondary: Record<string, string>
  references: Record<string, Reference>
  named: Record<string, unknown>
}

/** Separates a tool's additional files from its settings. */
function splitSettings(checking: Checking, tool: Tool, written: StepData, path: DataPath): SplitSettings {
  const { diagnostics, ignoresUnknown } = checking
  const folder = written.folder ?? checking.folder
  const split: SplitSettings = { given: {}, secondary: {}, references: {}, named: {} }
  const further = tool.input.secondary ?? {}
  const settings = isRecord(written.settings) ? written.settings : {}
  for (const [key, value] of Object.entries(settings)) {
    if (!Object.hasOwn(further, key) || Object.hasOwn(tool.settings, key)) {
      split.given[key] = value
      continue
    }
    if (folder === undefined && ignoresUnknown) continue
    split.named[key] = value
    const where = [...path, 'settings', key]
    if (isRecord(value) && checking.refer) {
      const reference = checking.refer(value, where)
      if (reference) split.references[key] = reference
      continue
    }
    const file = furtherFile(folder, key, value)
    if ('path' in file) split.secondary[key] = file.path
    else diagnostics.push({ path: where, message: file[0], ...(file[1] && { hint: file[1] }) })
  }
  for (const [name, { required, what }] of Object.entries(further))
    if (required && !Object.hasOwn(settings, name))
      diagnostics.push({
        path: [...path, 'tool'],
        message: `${written.tool} needs ${what}`,
        hint: `Name it with ${name}: FILE.`,
      })
  return split
}

/** An unknown name may be a misspelled name of an additional file. */
function hintFor(tool: Tool, path: string, hint: string | undefined): string | undefined {
  if (hint !== undefined) return hint
  const near = nearest(path, Object.keys(tool.input.secondary ?? {}))
  return near && `Did you mean ${near}?`
}

/** The path of an issue, such as `cells.0.zoom`, under the name that the author used. */
function settingPath(tool: Tool, given: Readonly<Record<string, unknown>>, path: string): DataPath {
  const [name = '', ...rest] = path.split('.')
  const spellings = [name, ...(tool.settings[name]?.aliases ?? [])]
  const key = spellings.find((spelling) => Object.hasOwn(given, spelling)) ?? name
  return [key, ...rest.map((part) => (/^\d+$/.test(part) ? Number(part) : part))]
}

/** Problems with individual settings; rules that involve several settings are checked only if there are none. */
function settingDiagnostics(
  checking: Checking,
  tool: Tool,
  { locked }: CatalogueEntry,
  given: Record<string, unknown>,
  { issues, unknown }: Checked,
): DataDiagnostic[] {
  if (!checking.ignoresUnknown)
    return issues.map((issue) => settingDiagnostic(tool, given, issue, unknown.includes(issue.path)))
  const known = issues.filter(({ path }) => !unknown.includes(path))
  // A locked setting of a preset is not a setting of its own, and ignoring it would silently drop the value.
  const wrong = known.length > 0 ? known : lockedNames({ settings: tool.settings, locked }, given)
  return wrong.map((issue) => settingDiagnostic(tool, given, issue, false))
}

function settingDiagnostic(
  tool: Tool,
  given: Record<string, unknown>,
  { path, message, hint }: SettingsIssue,
  isUnknown: boolean,
): DataDiagnostic {
  if (!isUnknown) return { path: settingPath(tool, given, path), message, ...(hint && { hint }) }
  const near = hintFor(tool, path, hint)
  const sentence = `${message} of ${tool.section}/${tool.id}`
  return { path: settingPath(tool, given, path), isName: true, message: sentence, ...(near && { hint: near }) }
}

/** A step with its tool and checked settings, or undefined if invalid; every mistake is recorded. */
export async function checkStep(
  checking: Checking,
  written: StepData,
  path: DataPath,
  number: number,
): Promise<PlannedStep | undefined> {
  const { diagnostics, warnings } = checking
  if (written.isUnreadable) return undefined
  const before = diagnostics.length
  const settings = written.settings ?? {}
  const found = findStep(checking, written.tool, [...path, 'tool'])
  if (!isRecord(settings)) {
    const message = `Expected settings as name: value for ${written.tool}, got ${valueInWords(settings)}`
    diagnostics.push({ path: [...path, 'settings'], message })
  }
  if (!found || !isRecord(settings)) return undefined
  const meant = redirectTool(found, settings)
  const tool = await loadTool(meant.entry)
  const name = `${tool.section}/${tool.id}`
  const { given, secondary, references, named } = splitSettings(
    checking,
    tool,
    { ...written, settings: meant.given },
    path,
  )
  const checked = inspectSettings(tool.settings, given)
  if (checking.refusesIneffective && checked.issues.length === 0)
    applyConditions(tool.settings, givenNames(tool.settings, given), checked)
  const wrong = settingDiagnostics(checking, tool, meant.entry, given, checked)
  diagnostics.push(...wrong.map((diagnostic) => ({ ...diagnostic, path: [...path, 'settings', ...diagnostic.path] })))
  warnings.push(...checked.deprecated.map((line) => `step ${number} (${name}): ${line}`))
  if (wrong.length === 0)
    try {
      tool.check?.(checked.values)
      checkRequiredFor(tool.input, checked.values, Object.keys(named))
    } catch (error) {
      if (!(error instanceof MediaprocError)) throw error
      diagnostics.push({ path: [...path, 'settings'], message: error.message })
    }
  const when = written.when === undefined ? undefined : checkWhen(diagnostics, written.when, [...path, 'when'])
  if (when && tool.output.kind === 'report')
    diagnostics.push({ path: [...path, 'when'], message: `${name} only reports and cannot have a condition` })
  if (diagnostics.length > before) return undefined
  const shown = Object.fromEntries(Object.entries(given).filter(([key]) => !isSecret(tool, key)))
  return {
    number,
    name,
    tool,
    settings: checked.values,
    given: { ...named, ...shown },
    secondary,
    ...(Object.keys(references).length > 0 && { references }),
    ...(when && { when }),
    ...(written.from !== undefined && { from: written.from }),
  }
}

const isSecret = (tool: Tool, key: string): boolean =>
  Object.entries(tool.settings).some(([name, row]) => row.secret && (name === key || row.aliases?.includes(key)))
