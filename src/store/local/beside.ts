import { join } from 'node:path'

/** Folders and items beside those of the file store, which would remove what it has no records of. */
export const BESIDE = 'database'

/** The folders of a data folder: contents of the library, and of jobs. */
interface Folders {
  filesFolder?: string
  workspaceFolder?: string
}

/** Folders of the contents of the library, and of jobs, whose records are in a database. */
export const foldersBeside = (folder: string, { filesFolder, workspaceFolder }: Folders): Required<Folders> => ({
  filesFolder: join(filesFolder ?? join(folder, 'files'), BESIDE),
  workspaceFolder: join(workspaceFolder ?? join(folder, 'workspace'), BESIDE),
})
