/** Files of the library as files that the user works on. */
import { request } from '../api/call.ts'
import type { LibraryItem } from '../api/types.ts'
import { noteOnServer } from '../files/on-server.ts'
import { addFiles } from '../files/work-files.ts'
import { filePath } from './items.ts'
import { noteOrigin } from './origin.ts'

/** Fetches an item. The file is marked as that item, so that it need not be uploaded again. @throws ApiError */
export async function fetchItem({ id, originalName, mimeType }: LibraryItem): Promise<File> {
  const blob = await (await request(`${filePath(id)}/download`)).blob()
  const file = new File([blob], originalName, { type: mimeType })
  noteOrigin(file, id)
  noteOnServer(file, { fileId: id })
  return file
}

/** Adds items to the files that the user works on. @throws ApiError; nothing is added then */
export async function takeItems(items: readonly LibraryItem[]): Promise<void> {
  const files: File[] = []
  for (const item of items) files.push(await fetchItem(item))
  addFiles(files)
}
