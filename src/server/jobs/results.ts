import { rename, stat } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { outputName } from '../../media/naming.ts'
import { mimeOf } from '../../media/type.ts'
import { beforeExtension, UniqueNames } from '../../media/unique-names.ts'
import { verifyStructure } from '../../media/verify/verify.ts'
import { type ZipEntry, zipFiles } from '../../media/zip.ts'
import type { Done, TaskOutput } from '../../pool/messages.ts'
import type { BlobPlace } from '../../store/blobs.ts'
import type { JobFile, JobRecord } from '../../store/job-record.ts'
import type { Store } from '../../store/store.ts'

export const downloadUrl = (id: string, name: string): string => `/api/v1/download/${id}/${encodeURIComponent(name)}`

/** Where a result is kept. */
export const resultPlace = ({ results }: Pick<Store, 'results'>, id: string, { file }: JobFile): BlobPlace => ({
  blobs: results,
  key: `${id}/${file}`,
})

/** Puts files of a job's folder where results are fetched from. */
export async function putResults(
  { results, workspace }: Pick<Store, 'results' | 'workspace'>,
  id: string,
  files: readonly JobFile[],
  how: 'move' | 'copy',
): Promise<void> {
  for (const file of files) {
    const { blobs, key } = resultPlace({ results }, id, file)
    await blobs.put(key, { path: join(workspace.folderOf(id), file.file), how })
  }
}

/** Removes the results of a job, those of the single files of a batch among them. */
export async function removeResults(
  { results }: Pick<Store, 'results'>,
  { id, outputs, members = [] }: Pick<JobRecord, 'id' | 'outputs' | 'members'>,
): Promise<void> {
  for (const file of [...outputs, ...members.flatMap(({ files = [] }) => files)]) {
    const { blobs, key } = resultPlace({ results }, id, file)
    await blobs.remove(key)
  }
}

export interface Packed {
  /** What is the result: one file, one ZIP, or several files of which the first is the main one. */
  files: JobFile[]
  /** What is in the ZIP; each can be fetched alone, too. */
  members: JobFile[]
}

const asFile = ({ name, mime, bytes }: TaskOutput, folder: string): JobFile => ({
  file: posix.join(folder, name),
  name,
  bytes,
  mime,
})

/** Packs files into `<stem>.zip` of a job's folder, which is there when it is whole. @param name what clients call it */
export async function archived(
  entries: readonly ZipEntry[],
  jobFolder: string,
  stem: string,
  name: string,
): Promise<JobFile> {
  const temporary = join(jobFolder, `${stem}.part`)
  await zipFiles(entries, temporary)
  verifyStructure(temporary, `${stem}.zip`, [])
  const { size } = await stat(temporary)
  const file = `${stem}.zip`
  await rename(temporary, join(jobFolder, file))
  return { file, name, bytes: size, mime: mimeOf('zip') }
}

/**
 * A set of files becomes one ZIP; anything else stays as it is.
 * @param jobFolder the job's folder; `folder` the one below it that the outputs are in
 * @param archive the name of the ZIP where the tool always answers with one
 */
export async function packed(
  { outputs, set }: Done,
  jobFolder: string,
  folder: string,
  archive?: string,
): Promise<Packed> {
  const files = outputs.map((output) => asFile(output, folder))
  const name = archive ?? set
  if (name === undefined) return { files, members: [] }
  const entries = outputs.map(({ name: entry }) => ({ name: entry, path: join(jobFolder, folder, entry) }))
  const zip = await archived(entries, jobFolder, 'set', outputName(name, '', 'zip'))
  return { files: [zip], members: files }
}

/** Puts a value into an answer at a path such as `pages.0.downloadUrl`; what is not there yet is made. */
function put(answer: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split('.')
  const last = keys.pop()!
  let at = answer
  for (const key of keys) {
    at[key] ??= {}
    at = at[key] as Record<string, unknown>
  }
  at[last] = value
}

/** The answer of a finished job: addresses and sizes, then the tool's own fields. */
export function resultOf(
  id: string,
  { outputs, report }: Done,
  { files, members }: Packed,
  inputBytes: number,
): Record<string, unknown> {
  const [first] = files
  const url = ({ name }: JobFile): string => downloadUrl(id, name)
  const answer: Record<string, unknown> = {
    jobId: id,
    ...(first && { downloadUrl: url(first), originalSize: inputBytes, processedSize: first.bytes }),
    ...(first && members.length > 0 && { zipUrl: url(first), zipSize: first.bytes }),
    ...(files.length > 1 && { downloads: files.map((file) => ({ filename: file.name, downloadUrl: url(file) })) }),
    ...structuredClone(report),
  }
  for (const { field = [], name } of outputs)
    for (const path of [field].flat()) put(answer, path, downloadUrl(id, name))
  return answer
}

/** The names of an archive's files: where another file has the name already, `photo.jpg` becomes `photo_1.jpg`. */
export function archiveNames(): UniqueNames {
  return new UniqueNames({ repeat: beforeExtension('_') })
}
