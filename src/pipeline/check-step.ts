import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { isMap, type YAMLMap } from 'yaml'
import { MediaprocError } from '../errors.ts'
import { printableName } from '../media/file.ts'
import type { Tool } from '../tool/contract.ts'
import { findEntry, loadTool } from '../tool/registry.ts'
import { inspectSettings, nearest } from '../tool/validate.ts'
import type { WrittenStep } from './parse.ts'
import type { PlannedStep } from './plan.ts'
import type { PipelineSource, Placed } from './source.ts'

/** What the checks of steps share. */
export interface Checking {
  source: PipelineSource
  /** The folder that names of further files start from; without it a pipeline may not name files. */
  folder: string | undefined
  warnings: string[]
}

/** The node at a path such as `cells.0.zoom`, or of the nearest node above it. */
function nodeAt(source: PipelineSource, map: YAMLMap | undefined, path: string, tool: Tool): Placed {
  if (!map) return undefined
  const [name = '', ...rest] = path.split('.')
  const spellings = [name, ...(tool.settings[name]?.aliases ?? [])]
  const pair = source.pairs(map).find(({ key }) => spellings.includes(key))
  if (!pair) return undefined
  const keys = rest.map((part) => (/^\d+$/.test(part) ? Number(part) : part))
  for (let length = keys.length; length > 0 && isMapOrList(pair.value); length -= 1) {
    const found = pair.value.getIn(keys.slice(0, length), true)
    if (found) return found as Placed
  }
  return (pair.value as Placed) ?? pair.keyNode
}

const isMapOrList = (node: unknown): node is YAMLMap => typeof node === 'object' && node !== null && 'getIn' in node

async function findTool({ source }: Checking, { tool: name, toolWhere }: WrittenStep): Promise<Tool | undefined> {
  if (name.split('/').length > 2) {
    source.note(toolWhere, `A step is a tool, and ${name} is an action, which only reports`)
    return undefined
  }
  try {
    return await loadTool(findEntry(name))
  } catch (error) {
    if (!(error instanceof MediaprocError) || error.code !== 'UNKNOWN_TOOL') throw error
    source.note(toolWhere, error.message, error.hint)
    return undefined
  }
}

/** A named further file that stands among the settings: `watermark: logo.svg`. */
function secondaryPath({ source, folder }: Checking, name: string, value: unknown, where: Placed): string | undefined {
  if (typeof value !== 'string' || value === '') {
    source.note(where, `Expected the name of a file for ${name}, got ${JSON.stringify(value) ?? 'nothing'}`)
    return undefined
  }
  if (folder === undefined) {
    source.note(where, 'This pipeline may not name files of its own')
    return undefined
  }
  const path = resolve(folder, value)
  const shown = printableName(value)
  if (!existsSync(path)) source.note(where, `The file ${shown} does not exist`, 'It is looked for beside the pipeline.')
  else if (!statSync(path).isFile()) source.note(where, `${shown} is not a file`)
  else return path
  return undefined
}

/** Takes the further files of a tool out of the mapping of its settings. */
function splitSettings(
  checking: Checking,
  tool: Tool,
  written: WrittenStep,
): { given: Record<string, unknown>; secondary: Record<string, string>; named: Record<string, unknown> } {
  const { source } = checking
  const given: Record<string, unknown> = {}
  const named: Record<string, unknown> = {}
  const secondary: Record<string, string> = {}
  const further = tool.input.secondary ?? {}
  for (const { key, keyNode, value } of written.settings ? source.pairs(written.settings) : []) {
    const plain = source.value(value)
    if (Object.hasOwn(further, key) && !Object.hasOwn(tool.settings, key)) {
      const path = secondaryPath(checking, key, plain, (value as Placed) ?? keyNode)
      if (path !== undefined) secondary[key] = path
      named[key] = plain
    } else given[key] = plain
  }
  for (const [name, { required, what }] of Object.entries(further))
    if (required && !(written.settings && isMap(written.settings) && written.settings.has(name)))
      source.note(written.toolWhere, `${written.tool} needs ${what}`, `Name it with ${name}: FILE.`)
  return { given, secondary, named }
}

/** An unknown name may have been meant as that of a further file. */
function hintFor(tool: Tool, path: string, hint: string | undefined): string | undefined {
  if (hint !== undefined) return hint
  const near = nearest(path, Object.keys(tool.input.secondary ?? {}))
  return near && `Did you mean ${near}?`
}

/** A step with its tool and checked settings, or undefined when it is wrong; every mistake is noted. */
export async function checkStep(
  checking: Checking,
  written: WrittenStep,
  number: number,
): Promise<PlannedStep | undefined> {
  const { source, warnings } = checking
  const tool = await findTool(checking, written)
  if (!tool || !written.isSound) return undefined
  const before = source.mistakes.length
  const name = `${tool.section}/${tool.id}`
  const { given, secondary, named } = splitSettings(checking, tool, written)
  const places = new Set(source.mistakes.slice(before).map(({ line, column }) => `${line}:${column}`))
  const { values, issues, unknown, deprecated } = inspectSettings(tool.settings, given)
  for (const { path, message, hint } of issues) {
    const isUnknown = unknown.includes(path)
    const key = isUnknown && written.settings ? keyOf(source, written.settings, path) : undefined
    const where = key ?? nodeAt(source, written.settings, path, tool) ?? written.settings ?? written.toolWhere
    // One fault of a value is enough.
    if (places.has(source.place(where))) continue
    source.note(where, `${message}${isUnknown ? ` of ${name}` : ''}`, isUnknown ? hintFor(tool, path, hint) : hint)
  }
  warnings.push(...deprecated.map((line) => `step ${number} (${name}): ${line}`))
  if (issues.length === 0)
    try {
      tool.check?.(values)
    } catch (error) {
      if (!(error instanceof MediaprocError)) throw error
      source.note(written.settings ?? written.toolWhere, error.message)
    }
  if (source.mistakes.length > before) return undefined
  const shown = Object.fromEntries(Object.entries(given).filter(([key]) => !isSecret(tool, key)))
  return { number, name, tool, settings: values, given: { ...named, ...shown }, secondary }
}

const keyOf = (source: PipelineSource, map: YAMLMap, path: string): Placed =>
  source.pairs(map).find(({ key }) => key === path)?.keyNode

const isSecret = (tool: Tool, key: string): boolean =>
  Object.entries(tool.settings).some(([name, row]) => row.secret && (name === key || row.aliases?.includes(key)))
