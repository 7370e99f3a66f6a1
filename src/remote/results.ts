import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { mapConcurrently } from '../concurrency.ts'
import { MediaprocError } from '../errors.ts'
import { openMediaFile, stemOf } from '../media/file.ts'
import { safeFileName } from '../media/safe-file-name.ts'
import { forEachEntry, openZip } from '../media/unzip.ts'
import type { AnyJob, OutputFile, ToolResult } from '../tool/contract.ts'
import type { Connection } from './connection.ts'
import type { ServerResult } from './job.ts'

/** Downloads at the same time. */
const MAX_DOWNLOADS = 4
/** Lost connections without progress, after which a download fails. */
const MAX_FAILURES = 5

/** A file of the field `outcome`. */
interface ServerFile extends Pick<OutputFile, 'name' | 'mime' | 'isVerbatim' | 'mentions'> {
  bytes: number
}

/** The field `outcome` of a result: what the tool returned. */
export interface ServerOutcome {
  files: readonly ServerFile[]
  set?: string
  report?: Record<string, unknown>
  lines?: readonly string[]
  warnings: readonly { message: string; manner?: 'advice' }[]
}

/** @throws SERVER_UNREACHABLE for a server without that field */
export function outcomeOf(result: ServerResult, address: string): ServerOutcome {
  const { outcome } = result as { outcome?: ServerOutcome }
  if (outcome && Array.isArray(outcome.files) && Array.isArray(outcome.warnings)) return outcome
  throw new MediaprocError(
    'SERVER_UNREACHABLE',
    `${address} runs a version of mediaproc that is too old for --server`,
    {
      hint: 'Update the server.',
    },
  )
}

/** Names on a server are sanitized: outputs that begin with such a name get that of the input. */
export function localName(name: string, inputs: readonly { name: string }[]): string {
  for (const input of inputs) {
    const [own, sent] = [stemOf(input.name), stemOf(safeFileName(input.name))]
    if (own !== sent && name.startsWith(sent)) return own + name.slice(sent.length)
  }
  return name
}

/** Downloads one file; a lost connection continues where it ended. */
async function download(
  connection: Connection,
  url: string,
  path: string,
  { bytes, signal }: { bytes: number; signal: AbortSignal },
): Promise<void> {
  const sizeNow = async (): Promise<number> => (await stat(path).catch(() => ({ size: 0 }))).size
  let at = 0
  for (let failures = 0; ; ) {
    const headers: Record<string, string> = at > 0 ? { range: `bytes=${at}-` } : {}
    try {
      const { status, body } = await connection.download(url, { headers, signal })
      const start = status === 206 ? at : 0
      await pipeline(body as Readable, createWriteStream(path, { flags: start > 0 ? 'r+' : 'w', start }), { signal })
      if ((await sizeNow()) === bytes) return
      throw new MediaprocError('SERVER_UNREACHABLE', 'The connection closed before the file was complete')
    } catch (error) {
      const { code } = error as { code?: string }
      if (signal.aborted || code === 'ENOSPC' || (error instanceof MediaprocError && code !== 'SERVER_UNREACHABLE'))
        throw error
      const now = await sizeNow()
      failures = now > at ? 0 : failures + 1
      if (failures >= MAX_FAILURES || now > bytes)
        throw new MediaprocError('SERVER_UNREACHABLE', `${connection.address} did not send the whole result`, {
          cause: error,
        })
      at = now
    }
  }
}

/** Takes the files of a ZIP apart; `paths` has the destination of each wanted one. */
async function unpack(archive: string, paths: ReadonlyMap<string, string>, signal: AbortSignal): Promise<void> {
  const zip = await openZip(await openMediaFile(archive))
  try {
    await forEachEntry(zip, async (entry) => {
      const path = paths.get(entry.fileName)
      if (path === undefined) return
      const stream = await new Promise<Readable>((resolve, reject) => {
        zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened)))
      })
      await pipeline(stream, createWriteStream(path), { signal })
    })
  } finally {
    zip.close()
  }
}

/** Where the results go: the staging folder of a job. */
export interface Destination extends Pick<AnyJob, 'signal' | 'scratch'> {
  inputs: readonly { name: string }[]
  output(name: string): Promise<string>
}

/** Downloads the outputs of a job into the staging folder, and returns what the tool would have returned here. */
export async function fetchResult(
  connection: Connection,
  result: ServerResult,
  { files, set, report, lines }: Omit<ServerOutcome, 'warnings'>,
  job: Destination,
): Promise<ToolResult> {
  const { signal } = job
  const made: OutputFile[] = []
  for (const { name: sent, mime, isVerbatim, mentions } of files) {
    const name = localName(sent, job.inputs)
    const about = { mime, ...(isVerbatim && { isVerbatim }), ...(mentions && { mentions }) }
    made.push({ path: await job.output(name), name, ...about })
  }
  const address = (name: string): string => `/api/v1/download/${String(result.jobId)}/${encodeURIComponent(name)}`
  // The name of a single download cannot contain a folder.
  const { zipUrl, zipSize } = result as { zipUrl?: string; zipSize?: number }
  if (zipUrl !== undefined && files.some(({ name }) => name.includes('/'))) {
    const archive = join(await job.scratch(), 'outputs.zip')
    await download(connection, zipUrl, archive, { bytes: zipSize ?? 0, signal })
    await unpack(archive, new Map(files.map(({ name }, index) => [name, made[index]?.path ?? ''])), signal)
  } else {
    const targets = files.map(({ name, bytes }, index) => ({
      url: address(name),
      bytes,
      path: made[index]?.path ?? '',
    }))
    let failure: unknown
    const fetchOne = async ({ url, bytes, path }: (typeof targets)[number]): Promise<void> => {
      await download(connection, url, path, { bytes, signal }).catch((error: unknown) => {
        failure ??= error
      })
    }
    await mapConcurrently(targets, MAX_DOWNLOADS, fetchOne, () => failure === undefined)
    if (failure !== undefined) throw failure
  }
  return {
    files: made,
    ...(set !== undefined && { set: localName(set, job.inputs) }),
    ...(report && { report }),
    ...(lines && { lines }),
  }
}
