import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import { printableName } from '../../wording.ts'
import { BESIDE } from '../local/beside.ts'

/** The folders of a store in files. */
export interface FileFolders {
  folder: string
  filesFolder: string
  workspaceFolder: string
}

/**
 * Checks that the data of a server is in the folders of a source: with another `FILES_STORAGE_PATH`, or after the server
 * moved to a database, the copy would be empty or old.
 * @param target folders of the target, if it is a database: an unfinished copy may be beside the files of its source
 * @throws MediaprocError INVALID_CONFIG
 */
export function checkSourceFolders(
  { folder, filesFolder, workspaceFolder }: FileFolders,
  target: readonly string[],
): void {
  for (const [path, variable] of [
    [join(folder, 'audit')],
    [filesFolder, 'FILES_STORAGE_PATH'],
    [workspaceFolder, 'WORKSPACE_PATH'],
  ] as const) {
    if (existsSync(path)) continue
    const other = variable
      ? `If its server has ${variable}, name a file of variables with DATA_DIR and ${variable}. Otherwise restore the folder from a backup.`
      : 'Restore it from a backup.'
    throw new MediaprocError('INVALID_CONFIG', `The source has no folder ${printableName(path)}`, {
      hint: { shell: other },
    })
  }
  for (const path of [filesFolder, workspaceFolder]) {
    const moved = join(path, BESIDE)
    if (!existsSync(`${moved}.id`) || target.includes(moved)) continue
    throw new MediaprocError(
      'INVALID_CONFIG',
      `The server of ${printableName(folder)} uses a database now: the files of the data folder are old`,
      {
        hint: {
          shell: `Name a file of variables with its DATABASE_URL and DATA_DIR. If no server uses the database, remove ${printableName(moved)}.id.`,
        },
      },
    )
  }
}
