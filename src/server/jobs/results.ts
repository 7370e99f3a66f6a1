import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { extensionOf } from '../../media/file.ts'
import { outputName } from '../../media/naming.ts'
import { mimeOf } from '../../media/type.ts'
import { zipFiles } from '../../media/zip.ts'
import type { JobFile } from '../../store/job-records.ts'

/** What a job's process made: files below `folder`, and the tool's own fields. */
export interface MadeFiles {
  outputs: readonly { name: string; mime: string; bytes: number; field?: string }[]
  /** The name of the set that the files are, without extension. */
  set?: string
  report?: Record<string, unknown>
}

export const downloadUrl = (id: string, name: string): string => `/api/v1/download/${id}/${encodeURIComponent(name)}`

const asFile = ({ name, mime, bytes }: MadeFiles['outputs'][number], folder: string): JobFile => ({
  file: join(folder, name),
  name,
  bytes,
  mime,
})

/**
 * A set of several files becomes one ZIP; anything else stays as it is.
 * @param jobFolder the job's folder; `folder` the one below it that the outputs are in
 */
export async function packed(made: MadeFiles, jobFolder: string, folder: string): Promise<JobFile[]> {
  const files = made.outputs.map((output) => asFile(output, folder))
  if (made.set === undefined || files.length < 2) return files
  const name = outputName(made.set, '', 'zip')
  const temporary = join(jobFolder, 'set.part')
  await zipFiles(
    made.outputs.map(({ name: entry }) => ({ name: entry, path: join(jobFolder, folder, entry) })),
    temporary,
  )
  const { size } = await stat(temporary)
  await rename(temporary, join(jobFolder, 'set.zip'))
  return [{ file: 'set.zip', name, bytes: size, mime: mimeOf('zip') }]
}

/** The answer of a finished job: addresses and sizes, then the tool's own fields. */
export function resultOf(
  id: string,
  made: MadeFiles,
  files: readonly JobFile[],
  inputBytes: number,
): Record<string, unknown> {
  const [first] = files
  const named = made.outputs.filter(({ field }) => field !== undefined)
  const addresses = Object.fromEntries(named.map(({ field, name }) => [field!, downloadUrl(id, name)]))
  return {
    jobId: id,
    ...(first && { downloadUrl: downloadUrl(id, first.name), originalSize: inputBytes, processedSize: first.bytes }),
    ...(files.length > 1 && {
      downloads: files.map(({ name }) => ({ filename: name, downloadUrl: downloadUrl(id, name) })),
    }),
    ...addresses,
    ...made.report,
  }
}

/** `photo.jpg` → `photo_1.jpg`, for names that another file of the archive has already. */
export function numbered(name: string, taken: Set<string>): string {
  const extension = extensionOf(name)
  const stem = extension ? name.slice(0, -extension.length - 1) : name
  let free = name
  for (let number = 1; taken.has(free.toLowerCase()); number += 1)
    free = extension ? `${stem}_${number}${name.slice(stem.length)}` : `${stem}_${number}`
  taken.add(free.toLowerCase())
  return free
}
