import { extensionOf, type MediaFile } from '../../media/file.ts'
import type { FactName, Facts } from './facts.ts'

function shapeOf(
  width: number | undefined,
  height: number | undefined,
): Pick<Facts, 'width' | 'height' | 'orientation'> {
  if (width === undefined || height === undefined) return {}
  return { width, height, orientation: width === height ? 'square' : width > height ? 'landscape' : 'portrait' }
}

async function pictureFacts(file: MediaFile, signal: AbortSignal): Promise<Facts> {
  const { decodeImage } = await import('../../media/image/decode/decode.ts')
  const { width, height, hasAlpha, origin } = await decodeImage(file, { signal })
  return { ...shapeOf(width, height), alpha: hasAlpha, pages: origin.metadata.pages ?? 1 }
}

async function mediaFacts(file: MediaFile, signal: AbortSignal): Promise<Facts> {
  const { probeMedia, videoStream } = await import('../../engines/ffmpeg/ffprobe.ts')
  const info = await probeMedia(file.path, { signal })
  const { displayWidth, displayHeight } = videoStream(info) ?? {}
  return {
    ...shapeOf(displayWidth, displayHeight),
    ...(info.durationS !== undefined && { duration: info.durationS }),
  }
}

async function documentFacts(file: MediaFile): Promise<Facts> {
  const { openPdfFile } = await import('../../media/pdf/document.ts')
  const document = await openPdfFile(file, { requireUnlocked: false })
  try {
    return { pages: document.pageCount }
  } finally {
    document.close()
  }
}

/**
 * Reads facts of a file; the file is only opened if its name and type do not suffice.
 * @throws MediaprocError INVALID_FILE and others, as the first step would
 */
export async function readFacts(file: MediaFile, wanted: ReadonlySet<FactName>, signal: AbortSignal): Promise<Facts> {
  const { id, group } = file.type
  const known: Facts = { type: id, ext: extensionOf(file.name), bytes: file.bytes }
  const opened = [...wanted].filter((name) => !Object.hasOwn(known, name))
  if (opened.length === 0) return known
  if (group === 'image') return { ...known, ...(await pictureFacts(file, signal)) }
  if (group === 'video' || group === 'audio') return { ...known, ...(await mediaFacts(file, signal)) }
  if (id === 'pdf' && wanted.has('pages')) return { ...known, ...(await documentFacts(file)) }
  return known
}
