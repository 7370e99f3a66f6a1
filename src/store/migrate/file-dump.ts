import { existsSync } from 'node:fs'
import { readdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import { makeFolder } from '../../make-folder.ts'
import { printableName } from '../../wording.ts'
import { checkChain, fileOfMonth, monthsOf } from '../file/audit/chain.ts'
import { LineWriter, linesOf, parseLine } from '../file/audit/lines.ts'
import { Database } from '../file/database.ts'
import { checkFormat } from '../file/format.ts'
import { JobIndex } from '../file/jobs/index.ts'
import { isDataFolder } from '../file/open.ts'
import { KINDS as TABLES } from '../file/tables.ts'
import type { Kinds } from '../kinds.ts'
import { syncFolder } from '../local/atomic-write.ts'
import { isJobFolder } from '../local/leftovers.ts'
import { takeLock } from '../local/lock.ts'
import { type Dump, type DumpRole, type OpenedDump, PAGE, paged } from './dump.ts'
import { FileItems, FileJobRecords } from './file-collections.ts'
import { isBegun, readMarker, refuseUnfinished, removeMarker, writeMarker } from './marker.ts'
import { checkSourceFolders, type FileFolders } from './source-folders.ts'

/** Whether a folder has no data of a file store; other files in it do not matter. */
async function isUnused({ folder, filesFolder, workspaceFolder }: FileFolders): Promise<boolean> {
  if (isDataFolder(folder) || existsSync(join(folder, 'audit'))) return false
  for (const path of [filesFolder, workspaceFolder])
    if ((await readdir(path).catch(() => [])).some(isJobFolder)) return false
  return true
}

/** The audit log of a data folder: lines are written as they are, to the files that the server would use. */
class AuditFiles {
  readonly folder: string
  #newest = ''
  #writer: LineWriter | undefined

  constructor(folder: string) {
    this.folder = folder
  }

  async *lines(): AsyncGenerator<string[]> {
    let page: string[] = []
    for (const month of (await monthsOf(this.folder)).reverse())
      for await (const bytes of linesOf(join(this.folder, fileOfMonth(month)))) {
        const line = bytes.toString()
        // Cut off by a crash: it has no entry.
        if (!parseLine(line)) continue
        page.push(line)
        if (page.length < PAGE) continue
        yield page
        page = []
      }
    if (page.length > 0) yield page
  }

  async add(lines: readonly string[]): Promise<void> {
    for (const line of lines) {
      const month = parseLine(line)?.createdAt.slice(0, 7) ?? ''
      if (!this.#writer || month > this.#newest) {
        await this.close()
        this.#newest = month
        this.#writer = new LineWriter(join(this.folder, fileOfMonth(month)))
      }
      this.#writer.write(line)
    }
  }

  async clear(): Promise<void> {
    await this.close()
    this.#newest = ''
    for (const month of await monthsOf(this.folder)) await rm(join(this.folder, fileOfMonth(month)), { force: true })
  }

  /** Flushes what was written. */
  async close(): Promise<void> {
    const writer = this.#writer
    this.#writer = undefined
    await writer?.sync()
    await writer?.close()
  }
}

/** @throws FILE_NOT_FOUND for a source that is no data folder, CONFLICT for a target with data; as `readMarker` */
async function begin(place: FileFolders, { source }: DumpRole): Promise<boolean> {
  const { folder } = place
  const what = `The data folder ${printableName(folder)}`
  const marker = await readMarker(folder)
  if (!source) {
    refuseUnfinished(marker, what)
    return false
  }
  const isResumed = isBegun(marker, source, what, await isUnused(place))
  if (!isResumed) await writeMarker(folder, source)
  return isResumed
}

/**
 * Opens a store in files.
 * @throws CONFLICT when a server uses it, or a target has data; FILE_NOT_FOUND for a source that does not exist;
 *   INVALID_CONFIG, INVALID_FILE for damaged files
 */
export async function openFileDump(place: FileFolders, role: DumpRole): Promise<OpenedDump> {
  const { folder } = place
  const isTarget = role.source !== undefined
  if (!isTarget && !isDataFolder(folder))
    throw new MediaprocError('FILE_NOT_FOUND', `The folder ${printableName(folder)} is not the data folder of a server`)
  if (isTarget) await makeFolder(folder, 0o700)
  const closers: (() => Promise<void>)[] = role.isLocked ? [] : [await takeLock(folder)]
  const close = async (): Promise<void> => {
    while (closers.length > 0) await closers.pop()?.()
  }
  try {
    const isResumed = await begin(place, role)
    const auditFolder = join(folder, 'audit')
    if (!isTarget) checkSourceFolders(place, role.targetFolders ?? [])
    const layout = await checkFormat(folder)
    const database = await Database.open(folder, { needsChecksum: layout.hasChecksums })
    closers.push(() => database.close())
    await layout.note()
    if (isTarget)
      for (const path of [auditFolder, place.filesFolder, place.workspaceFolder]) await makeFolder(path, 0o700)
    const audit = new AuditFiles(auditFolder)
    closers.push(() => audit.close())
    const index = await JobIndex.open(isTarget ? join(folder, 'jobs.ndjson') : undefined)
    closers.push(() => index.close())
    const library = new FileItems(place.filesFolder, !isTarget)
    const jobs = new FileJobRecords(place.workspaceFolder, index)
    // Of a migration that was killed.
    if (isResumed) for (const { blobs } of [library, jobs]) await blobs.removeParts()
    const dump: Dump = {
      id: `folder:${await realpath(folder)}`,
      label: `the data folder ${printableName(folder)}`,
      ...{ library, jobs },
      async *records(kind) {
        yield* paged(database.read(kind).all())
      },
      addRecords: (kind, records) =>
        database.transaction((draft) => {
          for (const [id, record] of records) draft.put(kind, id, record as Kinds[typeof kind])
        }),
      auditLines: () => audit.lines(),
      addAuditLines: (lines) => audit.add(lines),
      async checkAudit() {
        await audit.close()
        return checkChain(audit.folder)
      },
      async clear() {
        await audit.clear()
        await database.transaction((draft) => {
          for (const kind of TABLES) for (const [id] of draft.rows(kind).all()) draft.put(kind, id, undefined)
        })
      },
      async finish() {
        await audit.close()
        await syncFolder(audit.folder)
        await removeMarker(folder)
      },
      close,
    }
    return { dump, isResumed }
  } catch (error) {
    await close()
    throw error
  }
}
