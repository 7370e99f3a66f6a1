import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import { writeDurably } from './atomic-write.ts'
import { damagedFile } from './journal.ts'

/**
 * How the files of the data folder are laid out. 1, which wrote no such file, had no journal; 2 knew no second factors and no
 * identities elsewhere, and would drop them. Both are read as they are.
 */
const FORMAT = 3

/**
 * Looks whether this version knows the layout of a data folder, and notes its own.
 * @throws INVALID_CONFIG when a later version wrote it, or the note is damaged
 */
export async function checkFormat(folder: string): Promise<void> {
  const path = join(folder, 'format.json')
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  const note = (): Promise<void> => writeDurably(path, JSON.stringify({ format: FORMAT }))
  if (text === undefined) return note()
  const format = formatOf(text)
  if (format === undefined) throw damagedFile(path, 'it names no format')
  if (format < FORMAT) return note()
  if (format === FORMAT) return
  throw new MediaprocError(
    'INVALID_CONFIG',
    `The data folder ${folder} was written by a later version of mediaproc (format ${format}; this one reads up to ${FORMAT})`,
    { hint: 'Start that version, or name another folder with DATA_DIR.' },
  )
}

function formatOf(text: string): number | undefined {
  try {
    const { format } = JSON.parse(text) as { format?: unknown }
    return typeof format === 'number' ? format : undefined
  } catch {
    return undefined
  }
}
