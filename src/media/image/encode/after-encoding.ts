import { readFile } from 'node:fs/promises'
import type { ImageFormat } from '../formats.ts'
import type { ImageFrame } from '../frame.ts'
import { formatOf } from './fit-to-format.ts'
import type { Afterwards } from './post-encode.ts'

/**
 * Whether the metadata would show more than the picture does: the small copy in it is as the picture was, and may say
 * itself where it was taken.
 */
export async function mayShowMore(frame: ImageFrame): Promise<boolean> {
  const { untouched, target, origin } = frame
  const { metadata } = target
  // Programs and codecs that are no part of sharp are given pixels, and no metadata.
  if (formatOf(frame).encoder !== 'sharp' && formatOf(frame).id !== 'apng') return false
  const { exif, iptc, xmp } = origin.metadata
  const isKept = (!untouched || metadata !== undefined) && metadata !== 'none'
  if (!isKept || !(exif || iptc || xmp)) return false
  const { hasPreview } = await import('../decode/previews.ts')
  return hasPreview(origin.metadata)
}

async function dropPreviews(path: string): Promise<Afterwards> {
  const previews = await import('../decode/previews.ts')
  await previews.dropPreviews(path)
  return { isRewritten: true }
}

/** Whether tags that sharp leaves out are written into the file afterwards. */
const mayCopyTags = ({ origin }: ImageFrame, { id, encoder }: ImageFormat): boolean =>
  id === 'tiff' ||
  origin.type.id === 'tiff' ||
  encoder !== 'sharp' ||
  (origin.metadata.xmp !== undefined && (id === 'jpg' || origin.type.id === 'jpg'))

/** What a TIFF keeps as tags of its own, and what an encoder was not given, is copied. */
async function withTags(frame: ImageFrame, path: string, format: ImageFormat): Promise<Afterwards> {
  if (!mayCopyTags(frame, format)) return {}
  // They are those of the first page.
  if (frame.origin.page) return {}
  const { copyLostTags } = await import('../metadata/lost-tags.ts')
  return copyLostTags(frame, path, format.id)
}

/** Pixels that are not square: the output is told so. */
async function withResolution(frame: ImageFrame, path: string, format: ImageFormat): Promise<Afterwards> {
  if (frame.origin.path === '' || !frame.origin.metadata.density) return {}
  const { keepUnequalResolution } = await import('../metadata/unequal-resolution.ts')
  return keepUnequalResolution(frame, path, format)
}

/**
 * Takes out of the written file what must not be in it: single kinds of metadata that the input had, and, once pixels have
 * changed, small copies of the picture as it was.
 */
async function dropMetadata(frame: ImageFrame, path: string): Promise<Afterwards> {
  const { metadata } = frame.target
  const done = (await mayShowMore(frame)) ? await dropPreviews(path) : {}
  if (!metadata || metadata === 'none') return done
  const { exif, xmp, iptc } = frame.origin.metadata
  const groups = (['exif', 'gps', 'xmp'] as const).filter(
    (kind) => metadata.drop.includes(kind) && (kind === 'xmp' ? xmp || iptc : kind === 'exif' ? exif : exif || xmp),
  )
  if (groups.length === 0) return done
  const { removeMetadata } = await import('../../../engines/exiftool.ts')
  await removeMetadata(path, groups)
  return { isRewritten: true }
}

/** Writes what sharp does not pass on. */
async function withCarried(frame: ImageFrame, path: string, { id }: ImageFormat): Promise<Afterwards> {
  const { iptc, comments } = frame.origin.metadata
  if (!iptc && !comments) return {}
  const { carryOver } = await import('../metadata/carry-over.ts')
  return carryOver(frame, path, id)
}

async function withComments(frame: ImageFrame, path: string, { id }: ImageFormat): Promise<Afterwards> {
  if (frame.origin.type.id !== 'jpg') return {}
  const { keepJpegComments } = await import('../metadata/jpeg-comments.ts')
  return keepJpegComments(frame, path, id)
}

/** Content Credentials of the input hold for its own bytes only. */
export async function withoutCredentials(
  { origin, target }: ImageFrame,
  path: string,
  { id }: ImageFormat,
): Promise<Afterwards> {
  if (origin.path === '' || target.metadata === 'none') return {}
  const { dropCredentials, hasCredentials } = await import('../metadata/content-credentials.ts')
  if (!(await hasCredentials(origin.path, origin.type.id, origin.held))) return {}
  return { isRewritten: true, loss: await dropCredentials(path, id, origin.name) }
}

/** Whether a file has the very bytes of the input. */
export const isInput = async ({ origin }: ImageFrame, path: string, bytes: number): Promise<boolean> =>
  bytes === origin.bytes && (await readFile(path)).equals(origin.held ?? (await readFile(origin.path)))

/** What is done to a file whose pixels were not encoded again. */
export async function afterStripping(frame: ImageFrame, path: string): Promise<Afterwards[]> {
  return (await mayShowMore(frame)) ? [await dropPreviews(path)] : []
}

/** What is done to every other file. */
export async function afterEncoding(frame: ImageFrame, path: string, format: ImageFormat): Promise<Afterwards[]> {
  return [
    await dropMetadata(frame, path),
    await withTags(frame, path, format),
    await withCarried(frame, path, format),
    await withComments(frame, path, format),
    await withResolution(frame, path, format),
  ]
}
