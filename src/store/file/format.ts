import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import { writeDurably } from '../local/atomic-write.ts'
import { damagedFile } from './journal.ts'

/**
 * Version of the data folder layout. Version 1 had no journal and wrote no version file; 2 had no second factors and no
 * external identities, and would drop them; 3 had no checksums; 4 had no passkeys, and 5 no webhooks, and would drop them.
 * All of them can be read.
 */
const FORMAT = 6
/** First version whose files have checksums. */
const WITH_CHECKSUMS = 4

/** The layout of a data folder. */
export interface Layout {
  /** Whether its files must have checksums. */
  hasChecksums: boolean
  /** Records the current version after the files have been written in it. */
  note(): Promise<void>
}

/**
 * Checks that this version supports the layout of a data folder.
 * @throws INVALID_CONFIG when a later version wrote it, or the version file is damaged
 */
export async function checkFormat(folder: string): Promise<Layout> {
  const path = join(folder, 'format.json')
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  const note = (): Promise<void> => writeDurably(path, JSON.stringify({ format: FORMAT }))
  if (text === undefined) return { hasChecksums: false, note }
  const format = formatOf(text)
  if (format === undefined) throw damagedFile(path, 'it names no format')
  if (format <= FORMAT) return { hasChecksums: format >= WITH_CHECKSUMS, note: format < FORMAT ? note : async () => {} }
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
