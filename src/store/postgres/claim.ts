import { randomUUID } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { MediaprocError } from '../../errors.ts'
import { makeFolder } from '../../make-folder.ts'
import type { Access } from './access.ts'

/** The id that a database has had since its first start. */
export async function storeId({ sql, write }: Access): Promise<string> {
  return write(async (executor) => {
    await sql`insert into store (id) select ${randomUUID()} where not exists (select from store)`.execute(executor)
    const { rows } = await sql<{ id: string }>`select id from store`.execute(executor)
    return rows[0]?.id ?? ''
  })
}

/**
 * Marks a folder as that of a database, by a file beside it. What the database has no record of is removed from its folders:
 * with another database, that would be everything.
 * @throws MediaprocError INVALID_CONFIG for the folder of another database
 */
export async function claimFolder(folder: string, id: string): Promise<void> {
  await makeFolder(folder, 0o700)
  const mark = `${folder}.id`
  const known = await readFile(mark, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (known === id) return
  if (known !== undefined || (await readdir(folder)).length > 0)
    throw new MediaprocError('INVALID_CONFIG', `The folder ${folder} has the files of another database`, {
      hint: { shell: 'Name that database in DATABASE_URL, or another folder in DATA_DIR.' },
    })
  await writeFile(mark, id, { mode: 0o600 })
}
