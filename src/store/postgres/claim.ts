import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
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

/** Whether contents of this database were placed somewhere that several servers share. */
export async function hasSharedContents({ sql, executor }: Access): Promise<boolean> {
  const { rows } = await sql`select from store where has_shared_contents`.execute(executor)
  return rows.length > 0
}

export async function noteSharedContents({ sql, executor }: Access): Promise<void> {
  await sql`update store set has_shared_contents = true where not has_shared_contents`.execute(executor)
}

/**
 * Marks a folder as that of a database, by a file beside it. What the database has no record of is removed from its folders:
 * with another database, that would be everything.
 * @param variable where its path is set
 * @throws MediaprocError INVALID_CONFIG for the folder of another database
 */
export async function claimFolder(folder: string, id: string, variable = 'DATA_DIR'): Promise<void> {
  await makeFolder(folder, 0o700)
  const mark = `${folder}.id`
  const markOf = (): Promise<string | undefined> =>
    readFile(mark, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
  const known = await markOf()
  if (known === id) return
  // Another server of the database may have marked and used the folder in the meantime.
  if (known !== undefined || ((await readdir(folder)).length > 0 && (await markOf()) !== id))
    throw new MediaprocError('INVALID_CONFIG', `The folder ${folder} has the files of another database`, {
      hint: { shell: `Name that database in DATABASE_URL, or another folder in ${variable}.` },
    })
  const prepared = `${mark}.${randomUUID()}`
  await writeFile(prepared, id, { mode: 0o600 })
  await rename(prepared, mark)
}
