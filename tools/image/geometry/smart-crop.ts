import { fitWithBars } from '../../../src/media/image/backgrounds.ts'
import type { ImageFrame, Size } from '../../../src/media/image/frame.ts'
import type { Area } from '../../../src/models/tiles.ts'
import { imageTool, type StepContext } from '../../../src/tool/image-tool.ts'
import { boolean, choice, color, integer, number } from '../../../src/tool/settings.ts'
import { checkDetector, detectFaces } from '../_shared/faces/detect.ts'
import { cropAround, largestCrop, largestGroup } from '../_shared/faces/groups.ts'
import { findHeads, keepingHeads } from '../_shared/faces/keep.ts'

/** Default side of the result, px (catalogue). */
const SIDE = 1080

type Strategy = 'attention' | 'entropy'

/** The area, in the image's own pixels, that libvips would keep for a cover, around the middle of which the size is cropped. */
async function salientArea(frame: ImageFrame, cover: Size, size: Size, strategy: Strategy): Promise<Area> {
  const { info } = await (await frame.pipeline())
    .resize({ ...cover, fit: 'cover', position: strategy })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const scale = Math.max(cover.width / frame.width, cover.height / frame.height)
  const across = Math.max(1, Math.min(frame.width, Math.round(size.width / scale)))
  const down = Math.max(1, Math.min(frame.height, Math.round(size.height / scale)))
  const start = (offset: number | undefined, margin: number, length: number, limit: number): number =>
    Math.min(limit - length, Math.max(0, Math.round((margin / 2 - (offset ?? 0)) / scale)))
  return {
    left: start(info.cropOffsetLeft, cover.width - size.width, across, frame.width),
    top: start(info.cropOffsetTop, cover.height - size.height, down, frame.height),
    width: across,
    height: down,
  }
}

/**
 * Fills the size around the most salient area; with padding, crops the centre of a larger cover. The area is moved if
 * it would cut a head.
 * @param heads none if they were searched for in vain
 */
async function aroundSubject(
  given: ImageFrame,
  size: Size,
  { strategy, padding, heads }: { strategy: Strategy; padding: number; heads: readonly Area[] },
): Promise<ImageFrame> {
  const { width, height } = size
  // The salient area can differ from frame to frame; a video must not jump.
  const frame = await given.firstPage()
  const factor = 1 + padding / 100
  const cover = { width: Math.round(width * factor), height: Math.round(height * factor) }
  if (heads.length > 0) {
    const area = keepingHeads(await salientArea(frame, cover, size, strategy), heads, frame)
    return frame.apply((image) => image.extract(area).resize({ ...size, fit: 'fill' }), { size })
  }
  const covered = await frame.apply((image) => image.resize({ ...cover, fit: 'cover', position: strategy }), {
    size: cover,
  })
  if (padding === 0) return covered
  const left = Math.floor((cover.width - width) / 2)
  const top = Math.floor((cover.height - height) / 2)
  return covered.apply((image) => image.extract({ left, top, width, height }), { size: { width, height } })
}

/** Height of the crop as a multiple of the height of all faces (catalogue). */
const FACE_PRESETS = { closeup: 1.8, 'head-shoulders': 2.8, 'upper-body': 4.5, 'half-body': 7 } as const

/** Fills the size with the faces centred; the crop is shrunk and moved to fit inside the image. */
async function aroundFaces(
  frame: ImageFrame,
  all: readonly Area[],
  size: Size,
  share: number,
  context: StepContext,
): Promise<ImageFrame> {
  const faces = largestGroup(all, largestCrop(frame, size))
  if (faces.length < all.length)
    context.warn(
      `${all.length} faces were found, and a crop of ${size.width} x ${size.height} px can contain only ${faces.length} of them`,
    )
  const area = cropAround(faces, frame, size, share)
  return frame.apply((image) => image.extract(area).resize({ ...size, fit: 'fill' }), { size })
}

/** libvips trims images of at least this many pixels per side. */
const LEAST_TRIMMED = 3

/**
 * Trims an image of one or two pixels per side: its edges are repeated to three pixels, which adds no new border, and
 * the area is converted back to the image's own pixels.
 */
async function thinTrimmed(frame: ImageFrame, threshold: number): Promise<ImageFrame> {
  const across = Math.max(0, LEAST_TRIMMED - frame.width)
  const down = Math.max(0, LEAST_TRIMMED - frame.height)
  const wide = await frame.apply((image) => image.extend({ right: across, bottom: down, extendWith: 'copy' }), {
    size: { width: frame.width + across, height: frame.height + down },
  })
  const settled = await wide.settled()
  const { info } = await (await settled.pipeline()).trim({ threshold }).toBuffer({ resolveWithObject: true })
  const [left, top] = [-(info.trimOffsetLeft ?? 0), -(info.trimOffsetTop ?? 0)]
  const area = {
    left: Math.min(left, frame.width - 1),
    top: Math.min(top, frame.height - 1),
    width: Math.max(1, Math.min(left + info.width, frame.width) - left),
    height: Math.max(1, Math.min(top + info.height, frame.height) - top),
  }
  return frame.apply((image) => image.extract(area), { size: { width: area.width, height: area.height } })
}

/** Crops plain borders. A completely plain image stays unchanged. */
async function trimmed(given: ImageFrame, threshold: number): Promise<ImageFrame> {
  const frame = await (await given.firstPage()).settled()
  if (frame.width < LEAST_TRIMMED || frame.height < LEAST_TRIMMED) return thinTrimmed(frame, threshold)
  const { info } = await (await frame.pipeline()).trim({ threshold }).toBuffer({ resolveWithObject: true })
  const { width, height, trimOffsetLeft = 0, trimOffsetTop = 0 } = info
  const area = { left: -trimOffsetLeft, top: -trimOffsetTop, width, height }
  return frame.apply((image) => image.extract(area), { size: { width, height } })
}

async function inSquare(frame: ImageFrame, side: number, background: string): Promise<ImageFrame> {
  const settled = await (await frame.toRgb()).settled()
  const size = { width: side, height: side }
  return settled.apply((image) => fitWithBars(image, size, background, settled), { size })
}

const CROP = { group: 'Size', when: { mode: ['subject', 'face'] } } as const
const FACE = { group: 'Face', when: { mode: 'face' } } as const
const TRIM = { group: 'Trim', when: { mode: 'trim' } } as const

export default imageTool({
  id: 'smart-crop',
  summary: 'Crop around the subject, or trim plain borders',
  suffix: 'smartcrop',
  bundlesFor: { 'face-detection': { mode: 'face' } },
  checkInstalled: async ({ mode }, store) => {
    if (mode === 'face') await checkDetector(store)
  },
  settings: {
    mode: choice(['subject', 'face', 'trim'], 'what to crop to', {
      default: 'subject',
      valueAliases: { attention: 'subject', content: 'trim' },
    }),
    strategy: choice(
      ['attention', 'entropy'],
      'how the subject is found: by visual attention, or by the amount of detail',
      {
        when: { mode: 'subject' },
        default: 'attention',
      },
    ),
    width: integer('width of the result; 1080 by default', {
      short: 'w',
      ...CROP,
      min: 1,
      max: 16_383,
      unit: 'px',
      example: 400,
    }),
    height: integer('height of the result; 1080 by default', {
      short: 'H',
      ...CROP,
      min: 1,
      max: 16_383,
      unit: 'px',
      example: 400,
    }),
    padding: integer('padding around the subject', { ...CROP, default: 0, min: 0, max: 50, unit: '%' }),
    facePreset: choice(['closeup', 'head-shoulders', 'upper-body', 'half-body'], 'how much around the face is kept', {
      ...FACE,
      default: 'head-shoulders',
    }),
    sensitivity: number('sensitivity of face detection', { ...FACE, default: 0.5, min: 0, max: 1 }),
    threshold: integer('maximum colour difference of a border from its corner', {
      ...TRIM,
      default: 30,
      min: 0,
      max: 255,
    }),
    padToSquare: boolean('fit the rest into a square', { ...TRIM, default: false }),
    padColor: color('colour of the square', { ...TRIM, default: '#ffffff' }),
    targetSize: integer('side of the square', {
      ...TRIM,
      label: 'Side of the square',
      min: 1,
      max: 16_383,
      unit: 'px',
      example: 256,
    }),
    quality: integer('for lossy formats; 95 by default', {
      short: 'Q',
      group: 'Output',
      min: 1,
      max: 100,
      example: 90,
    }),
  },
  timeoutS: 300,
  async: true,
  examples: [
    { title: 'a square around the subject', settings: { width: 400, height: 400 } },
    { title: 'a drawing without its border', inputs: ['logo.svg'], settings: { mode: 'trim', targetSize: 256 } },
  ],
  async transform(given, settings, context) {
    const { mode, strategy, padding, facePreset, sensitivity, threshold, padToSquare, padColor, targetSize, quality } =
      settings
    if (given.pages > 1) context.warn('Only the first frame of the animation is cropped')
    const frame = quality === undefined ? given : given.withTarget({ quality })
    const size = { width: settings.width ?? SIDE, height: settings.height ?? SIDE }
    if (mode === 'subject') {
      const heads = await findHeads(await frame.firstPage(), context)
      return aroundSubject(frame, size, { strategy, padding, heads })
    }
    if (mode === 'face') {
      const first = await (await frame.firstPage()).settled()
      const faces = await detectFaces(first, sensitivity, context)
      if (faces.length > 0)
        return aroundFaces(first, faces, size, FACE_PRESETS[facePreset] * (1 + padding / 100), context)
      context.warn('No face was found: the image is cropped around its most salient area')
      return aroundSubject(frame, size, { strategy: 'attention', padding, heads: [] })
    }
    const rest = await trimmed(frame, threshold)
    if (!padToSquare && targetSize === undefined) return rest
    return inSquare(rest, targetSize ?? Math.max(rest.width, rest.height), padColor)
  },
})
