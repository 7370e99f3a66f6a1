import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { makeOwnedFolder } from './owned-folder.ts'

/** Gives `work` a folder of its own, and removes it afterwards whatever happens: for programs that only speak files. */
export async function withTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = makeOwnedFolder(tmpdir(), 'mediaproc-')
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
