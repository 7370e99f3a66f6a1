import { availableParallelism } from 'node:os'
import { mapConcurrently } from '../../../src/concurrency.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { firstOf } from '../../../src/lists.ts'
import { type MediaFile, printableName } from '../../../src/media/file.ts'
import { encodeToBuffer } from '../../../src/media/image/encode/encode.ts'
import { imageError } from '../../../src/media/image/errors.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import type { PictureInput, StepContext } from '../../../src/tool/contract.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { number } from '../../../src/tool/settings.ts'
import { type Fingerprint, fingerprintOf, HASH_BITS, hashDistance, isCopy } from './find-duplicates/difference-hash.ts'

/** Thumbnails in the result (catalogue). */
const THUMBNAIL = { width: 200, quality: 70 }

interface Looked {
  file: MediaFile
  print: Fingerprint
  width: number
  height: number
  thumbnail: string
}

interface Skipped {
  filename: string
  reason: string
}

async function thumbnailOf(frame: ImageFrame): Promise<string> {
  const width = Math.min(THUMBNAIL.width, frame.width)
  const height = Math.max(1, Math.round((frame.height * width) / frame.width))
  const small = await frame.apply((image) => image.resize(width, height), { size: { width, height } })
  const { quality } = THUMBNAIL
  const bytes = await encodeToBuffer(small.withTarget({ format: 'jpg', quality, metadata: 'none' }))
  return `data:image/jpeg;base64,${bytes.toString('base64')}`
}

async function look(picture: PictureInput): Promise<Looked | Skipped> {
  try {
    const file = await picture.file()
    const frame = await (await picture.open()).toSrgb()
    const { width, height } = frame
    return { file, print: await fingerprintOf(frame), width, height, thumbnail: await thumbnailOf(frame) }
  } catch (error) {
    return { filename: picture.name, reason: imageError(error, picture.name).message }
  }
}

/** Fingerprints all images, a few at a time; results keep the order. */
function lookAtAll(
  pictures: readonly PictureInput[],
  { signal, progress }: StepContext,
): Promise<(Looked | Skipped)[]> {
  let done = 0
  return mapConcurrently(pictures, availableParallelism(), async (picture) => {
    signal.throwIfAborted()
    const found = await look(picture)
    done += 1
    progress(done / pictures.length, 'looking')
    return found
  })
}

/** In upload order, every image joins the first group whose first image is similar enough. */
function grouped(pictures: readonly Looked[], threshold: number): Looked[][] {
  const groups: Looked[][] = []
  for (const picture of pictures) {
    const group = groups.find(([first]) => isCopy(first!.print, picture.print, threshold))
    if (group) group.push(picture)
    else groups.push([picture])
  }
  return groups.filter((group) => group.length > 1)
}

const similarity = (a: Looked, b: Looked): number =>
  Number(((1 - hashDistance(a.print, b.print) / HASH_BITS) * 100).toFixed(2))

/** The image to keep: most pixels, then the largest file, then the first. */
function bestOf(group: readonly Looked[]): Looked {
  return group.reduce((best, one) => {
    const pixels = one.width * one.height - best.width * best.height
    return pixels > 0 || (pixels === 0 && one.file.bytes > best.file.bytes) ? one : best
  })
}

function described(group: readonly Looked[]): Record<string, unknown>[] {
  const best = bestOf(group)
  return group.map((one) => ({
    filename: one.file.name,
    similarity: similarity(firstOf(group), one),
    width: one.width,
    height: one.height,
    fileSize: one.file.bytes,
    format: one.file.type.id,
    isBest: one === best,
    thumbnail: one.thumbnail,
  }))
}

/** The distance of the nearest other member from the first. */
const nearest = ([first, ...others]: readonly Looked[]): number =>
  Math.max(...others.map((one) => similarity(first!, one)))

export default imageTool({
  id: 'find-duplicates',
  summary: 'Group identical and near-identical images',
  input: { files: 'many', min: 2, max: 1000, accept: ['image'] },
  settings: {
    threshold: number('maximum number of differing bits of the 128-bit hash; 0 finds only images that look the same', {
      default: 8,
      min: 0,
      max: 20,
    }),
  },
  output: { kind: 'report' },
  timeoutS: 300,
  examples: [{ title: 'which pictures are the same', inputs: ['photo.jpg', 'portrait.jpg', 'animation.gif'] }],
  decode: () => ({ firstPage: true }),
  async produce(given, { threshold }, context) {
    const found = await lookAtAll(given, context)
    const pictures = found.filter((one): one is Looked => 'print' in one)
    const skippedFiles = found.filter((one): one is Skipped => !('print' in one))
    if (pictures.length < 2)
      throw new MediaprocError('INVALID_FILE', `Only ${pictures.length} of ${found.length} images can be read`, {
        hint: skippedFiles.map(({ filename, reason }) => `${printableName(filename)}: ${reason}`).join('; '),
        fields: { skippedFiles },
      })
    for (const { reason } of skippedFiles) context.warn(reason)
    const groups = grouped(pictures, threshold).sort((a, b) => nearest(b) - nearest(a))
    const duplicateGroups = groups.map((group, index) => ({ groupId: index + 1, files: described(group) }))
    const spare = groups.flatMap((group) => group.filter((one) => one !== bestOf(group)))
    return {
      report: {
        totalImages: pictures.length,
        duplicateGroups,
        uniqueImages: pictures.length - groups.reduce((sum, group) => sum + group.length, 0),
        spaceSaveable: spare.reduce((sum, { file }) => sum + file.bytes, 0),
        skippedFiles,
      },
    }
  },
})
