/** The entry point of a thread that decodes and encodes pictures with the formats of one plugin; see format-codec.ts. */
import { workerData } from 'node:worker_threads'
import { answerRequests } from '../../engines/workers/worker-answers.ts'
import { MediaprocError } from '../../errors.ts'
import { limitBuffers } from './buffer-budget.ts'
import { checkedPicture, checkedSize } from './check-picture.ts'
import type { FormatLimits, FormatPicture, PictureFormat } from './format.ts'

/** `workerData` of the thread. */
export interface FormatThreadData {
  /** Absolute path of the plugin. */
  path: string
  /** Maximum memory outside of the heap, in bytes; 0 = no limit. */
  maxBytes: number
}

export type FormatWork = { id: string; what: string } & (
  | { kind: 'decode'; bytes: Uint8Array; limits: FormatLimits }
  | { kind: 'encode'; picture: FormatPicture; quality?: number }
)

export type FormatAnswer = { picture: FormatPicture } | { bytes: Uint8Array }

const { path, maxBytes } = workerData as FormatThreadData
if (maxBytes > 0) limitBuffers(maxBytes)

async function load(): Promise<Map<string, PictureFormat>> {
  const [{ locatePlugin }, { readPlugin }] = await Promise.all([import('./locate.ts'), import('./read-module.ts')])
  const { formats = [] } = await readPlugin(locatePlugin(path, '.'))
  return new Map(formats.map((format) => [format.id, format]))
}

const loading = load()
// A fault is that of the first request.
loading.catch(() => {})

/** Errors of the catalogue keep their meaning; all others are faults of the plugin or of the file that it reads. */
async function guarded<Result>(what: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof MediaprocError) throw error
    const [reason] = String((error as Error | undefined)?.message ?? error).split('\n')
    throw new MediaprocError('INVALID_FILE', `${what} cannot work with the file: ${reason}`, {
      ...{ cause: error, detail: (error as Error | undefined)?.stack },
    })
  }
}

const buffersOf = (picture: FormatPicture): ArrayBufferLike[] => {
  const arrays = [picture.pixels, ...(picture.frames ?? []).map(({ pixels }) => pixels)]
  const whole = arrays.filter(
    ({ buffer, byteLength }) => buffer instanceof ArrayBuffer && buffer.byteLength === byteLength,
  )
  return [...new Set(whole.map(({ buffer }) => buffer))]
}

async function formatOf(work: FormatWork): Promise<PictureFormat> {
  const format = (await loading).get(work.id)
  if (!format) throw new MediaprocError('INVALID_PLUGIN', `${work.what} is no longer in its plugin`)
  return format
}

answerRequests<FormatWork, FormatAnswer>(async (work, _notify, consult) => {
  const format = await formatOf(work)
  const { what } = work
  if (work.kind === 'decode') {
    const size = checkedSize(await guarded(what, () => format.size(work.bytes)), what)
    await consult(size)
    const made = await guarded(what, () => format.decode(work.bytes, { limits: work.limits }))
    const { width, height, channels, bitDepth, pixels, iccProfile, frames, delay } = checkedPicture(made, size, what)
    // Only what is declared: a plugin may return values that cannot be sent.
    const picture = { width, height, channels, bitDepth, pixels, iccProfile, frames, delay }
    return { answer: { picture }, transfer: buffersOf(picture) }
  }
  const { quality, picture } = work
  const bytes = await guarded(what, () => format.encode?.(picture, quality === undefined ? {} : { quality }))
  if (!(bytes instanceof Uint8Array) || bytes.length === 0)
    throw new MediaprocError('INVALID_PLUGIN', `${what} returned no bytes for a picture`)
  const { width, height } = checkedSize(await guarded(what, () => format.size(bytes)), what)
  if (width !== picture.width || height !== picture.height)
    throw new MediaprocError('INVALID_PLUGIN', `${what} wrote a picture of another size: ${width} × ${height} pixels`)
  return { answer: { bytes } }
})
