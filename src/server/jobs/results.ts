import { rename, stat } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { outputName } from '../../media/naming.ts'
import { mimeOf } from '../../media/type.ts'
import { beforeExtension, UniqueNames } from '../../media/unique-names.ts'
import { verifyStructure } from '../../media/verify/verify.ts'
import { type ZipEntry, zipFiles } from '../../media/zip.ts'
import type { Done, TaskOutput } from '../../pool/messages.ts'
import type { BlobPlace, LocalFile } from '../../store/blobs.ts'
import { inputFiles, type JobFile, type JobRecord, resultFiles } from '../../store/job-record.ts'
import type { Store } from '../../store/store.ts'
import { untilAvailable } from '../../store/until-available.ts'

export const downloadUrl = (id: string, name: string): string => `/api/v1/download/${id}/${encodeURIComponent(name)}`

/** Location of a stored result. */
export const resultPlace = ({ results }: Pick<Store, 'results'>, id: string, { file }: JobFile): BlobPlace => ({
  blobs: results,
  key: `${id}/${file}`,
})

/**
 * Moves files of a job's folder to where downloads read results.
 * @param mayBeLost a power failure may damage them until they are flushed
 * @param isOver ends the attempts while the storage is away
 */
export async function putResults(
  { results, workspace }: Pick<Store, 'results' | 'workspace'>,
  id: string,
  files: readonly JobFile[],
  { how, mayBeLost = false, isOver = () => true }: Omit<LocalFile, 'path'> & { isOver?: () => boolean },
): Promise<void> {
  for (const file of files) {
    const { blobs, key } = resultPlace({ results }, id, file)
    const path = join(workspace.folderOf(id), file.file)
    await untilAvailable(() => blobs.put(key, { path, how, mayBeLost }), isOver)
  }
}

/** Removes the results of a job, including those of the single files of a batch. */
export async function removeResults(
  { results }: Pick<Store, 'results'>,
  record: Pick<JobRecord, 'id' | 'outputs' | 'members'>,
): Promise<void> {
  for (const file of resultFiles(record)) {
    const { blobs, key } = resultPlace({ results }, record.id, file)
    await blobs.remove(key)
  }
}

/** Removes the working files of a job that has ended; returns the size of the remaining ones in bytes. */
export async function tidy(
  store: Pick<Store, 'results' | 'workspace'>,
  before: JobRecord,
  record: JobRecord,
): Promise<number> {
  const { id, type, outputs } = record
  const { workspace } = store
  if (outputs.length === 0) await Promise.all([workspace.removeFiles(id), removeResults(store, record)])
  else for (const { file } of inputFiles(before)) await workspace.removeFile(id, file)
  if (type === 'batch') return workspace.held(record)
  const bytes = outputs.reduce((sum, file) => sum + file.bytes, 0)
  workspace.count(id, bytes)
  return bytes
}

export interface Packed {
  /** The result: one file, one ZIP, or several files of which the first is the main one. */
  files: JobFile[]
  /** Contents of the ZIP; each can also be downloaded alone. */
  members: JobFile[]
}

const asFile = ({ name, mime, bytes }: TaskOutput, folder: string): JobFile => ({
  file: posix.join(folder, name),
  name,
  bytes,
  mime,
})

/** Packs files into `<stem>.zip` in a job's folder; it appears when complete. @param name its name for clients */
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
 * Packs a set of files into one ZIP; returns any other result unchanged.
 * @param jobFolder the job's folder; `folder` is the subfolder with the outputs
 * @param stem name of the ZIP in the job's folder, without extension
 * @param archive name of the ZIP for clients, for tools that always return one
 */
export async function packed(
  { outputs, set }: Done,
  jobFolder: string,
  folder: string,
  { stem, archive }: { stem: string; archive: string | undefined },
): Promise<Packed> {
  const files = outputs.map((output) => asFile(output, folder))
  const name = archive ?? set
  if (name === undefined) return { files, members: [] }
  const entries = outputs.map(({ name: entry }) => ({ name: entry, path: join(jobFolder, folder, entry) }))
  const zip = await archived(entries, jobFolder, stem, outputName(name, '', 'zip'))
  return { files: [zip], members: files }
}

/** Sets a value in a response at a path such as `pages.0.downloadUrl`; creates missing objects. */
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

/** Response of a finished job: addresses and sizes, then the tool's own fields. */
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

/** Names for the files of an archive: a duplicate `photo.jpg` becomes `photo_1.jpg`. */
export function archiveNames(): UniqueNames {
  return new UniqueNames({ repeat: beforeExtension('_') })
}
