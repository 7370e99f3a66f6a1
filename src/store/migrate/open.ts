import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { foldersBeside } from '../local/beside.ts'
import type { StoreOptions } from '../options.ts'
import type { DumpRole, OpenedDump } from './dump.ts'
import { openFileDump } from './file-dump.ts'

/** A store by its configuration. */
export interface StorePlace {
  folder: string
  options: StoreOptions & Required<Pick<StoreOptions, 'filesFolder' | 'workspaceFolder'>>
}

/** Whether two stores have the same data folder, which is then locked once. */
export async function haveSameFolder(one: StorePlace, other: StorePlace): Promise<boolean> {
  const real = (folder: string): Promise<string> => realpath(folder).catch(() => resolve(folder))
  return (await real(one.folder)) === (await real(other.folder))
}

/** The folders where a store in a database has its contents; those of a data folder are not among them. */
export function databaseFolders({ folder, options }: StorePlace): string[] {
  if (!options.database || options.cluster) return []
  const { filesFolder, workspaceFolder } = foldersBeside(folder, options)
  return [filesFolder, workspaceFolder]
}

/** Opens any store for a migration. @throws as `openFileDump`, `openPostgresDump` */
export async function openDump({ folder, options }: StorePlace, role: DumpRole): Promise<OpenedDump> {
  const { database, filesFolder, workspaceFolder } = options
  if (!database) return openFileDump({ folder, filesFolder, workspaceFolder }, role)
  const { openPostgresDump } = await import('./postgres-dump.ts')
  return openPostgresDump(folder, { ...options, database }, role)
}
