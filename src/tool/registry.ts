import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { MediaprocError } from '../errors.ts'
import { firstOf } from '../lists.ts'
import { builtFile, CODE, EXTENSION } from '../root.ts'
import { either } from '../wording.ts'
import { type CatalogueEntry, catalogueEntry } from './catalogue.ts'
import { SECTIONS, type Section, type Tool } from './contract.ts'
import { type PresetRow, presetTool } from './preset.ts'
import { searchTools, toolsByIdWords } from './search.ts'
import { nearest } from './validate.ts'

/** Tools are found by path, not from a list: `tools/<section>/[<subject>/]<id>`, compiled or not. */
const TOOLS = new URL('tools/', CODE)

const imported = new Map<string, Promise<unknown>>()

/** Importing a module again takes Node about 0.1 ms, which is noticeable for a small job. */
function importFile(path: string): Promise<unknown> {
  const known = imported.get(path)
  if (known) return known
  const file = import(new URL(`${path}${EXTENSION}`, TOOLS).href)
  imported.set(path, file)
  return file
}

/** A tool's module: its section, its subject folder (if any), and its id. */
type ToolModule = Pick<CatalogueEntry, 'section' | 'subject' | 'id'>

async function importTool({ section, subject, id }: ToolModule): Promise<Tool> {
  const folder = subject === undefined ? section : `${section}/${subject}`
  return ((await importFile(`${folder}/${id}`)) as { default: Tool }).default
}

async function importPresets(section: Section): Promise<readonly PresetRow[]> {
  return ((await importFile(`${section}/_shared/presets`)) as { presets: readonly PresetRow[] }).presets
}

/** Ids are unique across all sections: pipelines and HTTP name a tool by its id alone. */
export function checkIds(entries: readonly Pick<CatalogueEntry, 'section' | 'id' | 'settings'>[]): void {
  const owners = new Map<string, string>()
  for (const { section, id } of entries) {
    const name = `${section}/${id}`
    const other = owners.get(id)
    if (other) throw new Error(other === name ? `two tools are called ${name}` : `${other} and ${name} share an id`)
    owners.set(id, name)
  }
  for (const { section, id, settings } of entries)
    for (const [name, { tool }] of Object.entries(settings))
      if (tool !== undefined && owners.get(tool) !== `${section}/${tool}`)
        throw new Error(`${section}/${id}: ${name} means ${section}/${tool}, which there is not`)
}

/**
 * The tool modules in a section folder and its subject folders. A folder next to a tool of the same name holds parts of
 * that tool; a folder whose name starts with `_` holds code that several tools share.
 */
async function toolModules(section: Section, subject?: string): Promise<ToolModule[]> {
  const folder = subject === undefined ? `${section}/` : `${section}/${subject}/`
  const found = await readdir(new URL(folder, TOOLS), { withFileTypes: true })
  const modules = found
    .filter((file) => file.isFile() && file.name.endsWith(EXTENSION) && !file.name.endsWith('.d.ts'))
    .map(({ name }) => ({ section, subject, id: name.slice(0, -EXTENSION.length) }))
  if (subject !== undefined) return modules
  const subjects = found.filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith('_') && !modules.some(({ id }) => id === entry.name),
  )
  return [...modules, ...(await Promise.all(subjects.map(({ name }) => toolModules(section, name)))).flat()]
}

/** Imports all tool modules. Done once by the build, to write the catalogue. */
export async function scanTools(): Promise<CatalogueEntry[]> {
  const entries: CatalogueEntry[] = []
  for (const section of SECTIONS) {
    const modules = (await toolModules(section)).sort((one, other) => (one.id < other.id ? -1 : 1))
    const tools = await Promise.all(
      modules.map(async (module) => ({ tool: await importTool(module), subject: module.subject, id: module.id })),
    )
    for (const { tool, subject, id } of tools) {
      if (tool.id !== id || tool.section !== section)
        throw new Error(`the module of ${section}/${id} declares itself as ${tool.section}/${tool.id}`)
      entries.push(catalogueEntry(tool, subject))
    }
    for (const row of await importPresets(section)) {
      const base = tools.find(({ id }) => id === row.base)
      if (!base) throw new Error(`preset ${section}/${row.id}: there is no tool ${row.base}`)
      entries.push(catalogueEntry(presetTool(row, base.tool), base.subject, row))
    }
  }
  checkIds(entries)
  return entries
}

let entries: CatalogueEntry[] | undefined

/** The code of the tools of plugins, by full name. */
const added = new Map<string, Tool>()

/** Adds the tools of a plugin, for the rest of this process. @throws Error for ids that are in use */
export function addTools(tools: readonly Tool[], plugin: string): void {
  const more = tools.map((one): CatalogueEntry => ({ ...catalogueEntry(one), plugin }))
  const all = [...catalogue(), ...more]
  checkIds(all)
  entries = all
  for (const one of tools) added.set(`${one.section}/${one.id}`, one)
}

/**
 * Adds formats of plugins to the settings that list the formats that mediaproc writes. The settings in code share the lists
 * of src/media/image/formats.ts, which grow by themselves.
 * @param lossy those with a quality setting
 */
export function growWithImageFormats(ids: readonly string[], lossy: readonly string[]): void {
  if (ids.length === 0) return
  entries = catalogue().map((entry) => {
    const found = Object.entries(entry.settings).find(([, row]) => row.grows === 'with image formats')
    if (!found) return entry
    const [name, row] = found
    const settings = { ...entry.settings, [name]: { ...row, enum: joined(row.enum, ids) } }
    const { quality } = entry.settings
    const known = quality?.when?.[name]
    if (quality && Array.isArray(known))
      settings.quality = { ...quality, when: { ...quality.when, [name]: joined(known, lossy) } }
    return { ...entry, settings }
  })
}

const joined = <Value>(list: readonly Value[] | undefined, more: readonly Value[]): Value[] => [
  ...new Set([...(list ?? []), ...more]),
]

/** All tools and presets as data. A build reads one JSON file and imports no tool. */
export function catalogue(): CatalogueEntry[] {
  entries ??= JSON.parse(readFileSync(builtFile('catalogue.json'), 'utf8')) as CatalogueEntry[]
  return entries
}

/** For uncompiled code (tests, generators): sets the catalogue from the tools' own files. */
export async function useScannedCatalogue(): Promise<CatalogueEntry[]> {
  entries = await scanTools()
  return entries
}

/** Entries by id, of the catalogue that they are from. */
let index: { of: CatalogueEntry[]; byId: Map<string, CatalogueEntry[]> } | undefined

function entriesOf(id: string): readonly CatalogueEntry[] {
  const all = catalogue()
  if (index?.of !== all) {
    index = { of: all, byId: new Map() }
    for (const entry of all) index.byId.set(entry.id, [...(index.byId.get(entry.id) ?? []), entry])
  }
  return index.byId.get(id) ?? []
}

const fullName = ({ section, id }: CatalogueEntry): string => `${section}/${id}`

/** Maximum number of suggestions. */
const MAX_SUGGESTIONS = 3

/**
 * Did-you-mean suggestions for an unknown tool: an id of the section that contains this word (`merge` is merge-pdf),
 * the same id in another section, a misspelling, and finally any search result for the word.
 */
export function suggestTools(id: string, section?: string): CatalogueEntry[] {
  const all = catalogue()
  const own = all.filter((entry) => section === undefined || entry.section === section)
  const same = all.filter((entry) => entry.id === id)
  if (section === undefined && same.length > 0) return same
  const byWord = toolsByIdWords(id, own)
  if (byWord.length > 0) return byWord.slice(0, MAX_SUGGESTIONS)
  if (same.length > 0) return same
  // The section itself may be misspelled.
  const slip =
    own.length > 0
      ? nearest(
          id,
          own.map((entry) => entry.id),
        )
      : nearest(`${section}/${id}`, all.map(fullName))
  const near = all.find((entry) => slip !== undefined && slip === (own.length > 0 ? entry.id : fullName(entry)))
  if (near) return [near]
  const related = searchTools(id, own)
  return (related.length > 0 ? related : searchTools(id, all)).slice(0, MAX_SUGGESTIONS).map(({ entry }) => entry)
}

/**
 * `image/resize` → its data. A bare id works if only one section has it. UNKNOWN_TOOL includes did-you-mean
 * suggestions.
 */
export function findEntry(name: string, section?: string): CatalogueEntry {
  const [givenSection, id] = name.includes('/') ? (name.split('/') as [string, string]) : [section, name]
  const found = entriesOf(id).filter(({ section: own }) => !givenSection || own === givenSection)
  if (found.length === 1) return firstOf(found)
  const suggested = suggestTools(id, givenSection)
  throw new MediaprocError(
    'UNKNOWN_TOOL',
    `There is no tool ${givenSection ? `${givenSection}/${id}` : id}`,
    suggested.length > 0 ? { hint: `Did you mean ${either(suggested.map(fullName))}?` } : {},
  )
}

/** The tool's code; for a preset, the base tool's code with the locked settings filled in. */
export async function loadTool(entry: CatalogueEntry): Promise<Tool> {
  const own = added.get(fullName(entry))
  if (own) return own
  if (!entry.base) return importTool(entry)
  const [base, rows] = await Promise.all([importTool({ ...entry, id: entry.base }), importPresets(entry.section)])
  return presetTool(rows.find((row) => row.id === entry.id)!, base)
}
