/** Results in the browser: fetched, saved, packed. */
import { addressOf, request } from '../api/call.ts'
import { noteOnServer, resultPlace } from '../files/on-server.ts'
import type { ResultFile } from './result-files.ts'
import { checkZip, zipOf } from './zip.ts'

/** The bytes of a result. @throws ApiError */
export async function fetchResult({ url, name }: ResultFile): Promise<File> {
  const blob = await (await request(url)).blob()
  const file = new File([blob], name, { type: blob.type })
  // While it exists there, another tool needs no upload.
  const place = resultPlace(url)
  if (place) noteOnServer(file, place)
  return file
}

/** Offers an address to save. */
export function saveAs(address: string, name: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
}

export const saveResult = ({ url, name }: ResultFile): void => saveAs(addressOf(url), name)

/** Packs results and saves them under a name. */
export async function saveAllAs(name: string, files: readonly ResultFile[]): Promise<void> {
  const blobs: { name: string; blob: Blob }[] = []
  for (const file of files) {
    blobs.push({ name: file.name, blob: await fetchResult(file) })
    // Before more is fetched.
    const fetched = blobs.map((one) => one.blob.size)
    checkZip(files.map((one, index) => ({ name: one.name, bytes: fetched[index] ?? 0 })))
  }
  const address = URL.createObjectURL(await zipOf(blobs))
  saveAs(address, name)
  // The browser reads it after this task.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
