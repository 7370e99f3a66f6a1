import { readFile } from 'node:fs/promises'
import { once } from '../../../once.ts'
import type { ImageFormat } from '../formats.ts'
import type { ImageFrame } from '../frame.ts'
import { formatOf } from './fit-to-format.ts'
import type { Afterwards } from './post-encode.ts'

/**
 * Whether the metadata could reveal more than the image does: its thumbnail shows the original image and may contain a
 * location.
 */
export async function mayShowMore(frame: ImageFrame): Promise<boolean> {
  const { untouched, target, origin } = frame
  const { metadata } = target
  // Programs and codecs outside sharp receive pixels without metadata.
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

/** Whether tags that sharp drops are written into the file afterwards. */
const mayCopyTags = ({ origin }: ImageFrame, { id, encoder }: ImageFormat): boolean =>
  id === 'tiff' ||
  origin.type.id === 'tiff' ||
  encoder !== 'sharp' ||
  (origin.metadata.xmp !== undefined && (id === 'jpg' || origin.type.id === 'jpg'))

/** Copies the tags that TIFF stores in its own way, and those that an encoder did not receive. */
async function withTags(frame: ImageFrame, path: string, format: ImageFormat): Promise<Afterwards> {
  if (!mayCopyTags(frame, format)) return {}
  // These tags belong to the first page.
  if (frame.origin.page) return {}
  const { copyLostTags } = await import('../metadata/lost-tags.ts')
  return copyLostTags(frame, path, format.id)
}

const resolutions = once(() => import('../metadata/unequal-resolution.ts'))

/** Records a non-square pixel aspect ratio in the output. */
async function withResolution(frame: ImageFrame, path: string, format: ImageFormat): Promise<Afterwards> {
  if (frame.origin.path === '' || !frame.origin.metadata.density) return {}
  const { keepUnequalResolution } = await resolutions()
  return keepUnequalResolution(frame, path, format)
}

/**
 * Removes data that the written file must not contain: selected metadata types of the input and, if pixels have
 * changed, thumbnails of the original image.
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

/** Writes the metadata that sharp does not pass on. */
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

const credentials = once(() => import('../metadata/content-credentials.ts'))

/** Content Credentials of the input are only valid for its own bytes. */
export async function withoutCredentials(
  { origin, target }: ImageFrame,
  path: string,
  { id }: ImageFormat,
): Promise<Afterwards> {
  if (origin.path === '' || target.metadata === 'none') return {}
  const { dropCredentials, hasCredentials } = await credentials()
  if (!(await hasCredentials(origin.path, origin.type.id, origin.held))) return {}
  return { isRewritten: true, loss: await dropCredentials(path, id, origin.name) }
}

/** Whether a file is byte-identical to the input. */
export const isInput = async ({ origin }: ImageFrame, path: string, bytes: number): Promise<boolean> =>
  bytes === origin.bytes && (await readFile(path)).equals(origin.held ?? (await readFile(origin.path)))

/** Post-processing of a file whose pixels were not re-encoded. */
export async function afterStripping(frame: ImageFrame, path: string): Promise<Afterwards[]> {
  return (await mayShowMore(frame)) ? [await dropPreviews(path)] : []
}

/** Post-processing of all other files. */
export async function afterEncoding(frame: ImageFrame, path: string, format: ImageFormat): Promise<Afterwards[]> {
  return [
    await dropMetadata(frame, path),
    await withTags(frame, path, format),
    await withCarried(frame, path, format),
    await withComments(frame, path, format),
    await withResolution(frame, path, format),
  ]
}
