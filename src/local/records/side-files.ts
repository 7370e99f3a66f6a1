import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Consulted, consulted } from '../../engines/consulted.ts'
import { isShippedConfiguration } from '../../engines/fonts.ts'
import { findUsedProgram } from '../../engines/index.ts'
import { ENVIRONMENT, type EnvironmentName, environmentText } from '../../environment.ts'
import { required } from '../../lists.ts'
import { modelOf } from '../../models/manifest.ts'
import { installedModel } from '../../models/store/installed.ts'
import type { Comparison, FileState, FileStates } from './file-state.ts'

/** Other files that affect the result, by display name; null if absent. */
export type SideFiles = Readonly<Record<string, FileState | null>>

interface Found {
  path: string
  /** Known without reading the file. */
  hash?: string
  isProgram?: true
}

/** `MEDIAPROC_HEIF_ENC` is for heif-enc. */
const programName = (variable: string): string => variable.replace('MEDIAPROC_', '').toLowerCase().replaceAll('_', '-')

const FILE_VARIABLES = (Object.keys(ENVIRONMENT) as EnvironmentName[]).filter((name) => 'files' in ENVIRONMENT[name])

type FoundFiles = Map<string, Found | undefined>

async function filesOf(path: string): Promise<string[]> {
  const about = await stat(path).catch(() => undefined)
  if (!about?.isDirectory()) return about?.isFile() ? [''] : []
  const entries = await readdir(path, { withFileTypes: true })
  return entries.flatMap((entry) => (entry.isDirectory() ? [] : entry.name)).sort()
}

/**
 * Files that environment variables name, and the contents of named folders; programs and models have their own entries.
 */
async function variableFiles(found: FoundFiles): Promise<void> {
  for (const name of FILE_VARIABLES) {
    const path = environmentText(name)
    if (path === '' || isShippedConfiguration(path)) continue
    for (const file of await filesOf(path)) found.set(join(`the file of ${name}`, file), { path: join(path, file) })
  }
}

async function modelFiles(id: string, found: FoundFiles): Promise<void> {
  const model = await installedModel(id)
  if (!model) return void found.set(`the model ${id}`, undefined)
  const hashes = new Map(modelOf(id).files.map(({ name, sha256 }) => [name, sha256]))
  for (const [name, path] of model.files) found.set(`the model ${id} (${name})`, { path, hash: required(hashes, name) })
}

async function findAll(names: readonly Consulted[]): Promise<FoundFiles> {
  const found: FoundFiles = new Map()
  for (const name of names) {
    const [kind, id] = name.split(' ') as [string, string]
    if (kind === 'model') await modelFiles(id, found)
    else {
      // A variable that names a missing program fails the job that needs it.
      const program = await findUsedProgram(id).catch(() => undefined)
      found.set(`the program ${programName(id)}`, program && { path: program.path, isProgram: true })
    }
  }
  await variableFiles(found)
  return found
}

/** What the jobs of this process have used so far, besides inputs. */
export async function sideFiles(states: FileStates): Promise<{ consulted: readonly Consulted[]; sides: SideFiles }> {
  const names = consulted()
  const sides: Record<string, FileState | null> = {}
  for (const [name, file] of await findAll(names)) {
    if (!file) sides[name] = null
    else if (file.isProgram) sides[name] = await states.ofProgram(file.path).catch(() => null)
    else sides[name] = await states.ofSideFile(file.path, file.hash).catch(() => null)
  }
  return { consulted: names, sides }
}

/** Which of them has changed, as a message; undefined if none has. */
export async function sideDifference(
  before: SideFiles,
  names: readonly Consulted[],
  states: FileStates,
  comparison: Comparison,
): Promise<string | undefined> {
  const now = await findAll(names)
  for (const name of new Set([...Object.keys(before), ...now.keys()])) {
    const [old, current] = [before[name] ?? undefined, now.get(name)]
    if (!old && !current) continue
    if (!old) return `${name} is new`
    if (!current) return `${name} is missing`
    const { path, isProgram } = current
    const found = await states.difference(old, comparison, { path, ...(isProgram && { isProgram }) })
    if (found !== undefined) return `${name} ${found}`
  }
  return undefined
}
