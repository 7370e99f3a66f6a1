import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { makeOwnedFolder } from './owned-folder.ts'

/** Runs `work` with a temporary folder, which is always removed afterwards: for programs that only support files. */
export async function withTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = makeOwnedFolder(tmpdir(), 'mediaproc-')
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
