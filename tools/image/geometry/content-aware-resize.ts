import type { ImageFrame, Size } from '../../../src/media/image/frame.ts'
import type { Area } from '../../../src/models/tiles.ts'
import { imageTool, type StepContext } from '../../../src/tool/image-tool.ts'
import { boolean, integer, number } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { detectIfInstalled, grown } from '../_shared/faces/detect.ts'
import { carveSeams } from './content-aware-resize/seams.ts'

/** An image with a longer side is scaled down first, px (interface). */
const LONGEST = 1200
/** A target below this share of a side is first approached by plain scaling (catalogue). */
const LEAST_PART = 0.25
/** Face detection sensitivity. */
const SENSITIVITY = 0.5
/** Hair and ears belong to a face: its box is expanded by this share of its longer side. */
const FACE_GROWTH = 0.15

/** The smallest sigma that libvips' Gaussian accepts. */
const LEAST_SIGMA = 0.3

const scaled = (frame: ImageFrame, size: Size): Promise<ImageFrame> =>
  frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size })

async function fitted(frame: ImageFrame): Promise<ImageFrame> {
  const factor = LONGEST / Math.max(frame.width, frame.height)
  if (factor >= 1) return frame
  const size = {
    width: Math.max(1, Math.round(frame.width * factor)),
    height: Math.max(1, Math.round(frame.height * factor)),
  }
  return (await scaled(frame, size)).settled()
}

interface Options {
  width?: number | undefined
  height?: number | undefined
  square: boolean
}

/** The target size: never larger than the image. */
function targetOf(frame: ImageFrame, { width, height, square }: Options, context: StepContext): Size {
  if (square) {
    const side = Math.min(width ?? frame.width, height ?? frame.height, frame.width, frame.height)
    return { width: side, height: side }
  }
  if ((width ?? 0) > frame.width || (height ?? 0) > frame.height)
    context.warn(`Seam carving cannot enlarge: the image keeps its size of ${frame.width} x ${frame.height} px`)
  return { width: Math.min(width ?? frame.width, frame.width), height: Math.min(height ?? frame.height, frame.height) }
}

/** A side that loses more than three quarters is first scaled to a quarter; seams alone would leave nothing intact. */
async function quartered(frame: ImageFrame, target: Size): Promise<ImageFrame> {
  const width = target.width < frame.width * LEAST_PART ? Math.ceil(frame.width * LEAST_PART) : frame.width
  const height = target.height < frame.height * LEAST_PART ? Math.ceil(frame.height * LEAST_PART) : frame.height
  return width === frame.width && height === frame.height ? frame : (await scaled(frame, { width, height })).settled()
}

/** Faces to keep intact; detection is skipped if the models are missing, as the interface specifies. */
async function facesIn(frame: ImageFrame, isAskedFor: boolean, context: StepContext): Promise<Area[]> {
  const faces = await detectIfInstalled(frame, SENSITIVITY, context, (reason) => {
    if (isAskedFor) context.warn(`Faces are not protected: ${reason}`)
  })
  return faces.map((face) => grown(face, FACE_GROWTH, frame))
}

export default imageTool({
  id: 'content-aware-resize',
  summary: 'Make an image narrower or lower by removing its least important parts',
  suffix: 'seam',
  settings: {
    width: integer('width of the result', { short: 'w', min: 1, max: 16_383, unit: 'px', example: 800 }),
    height: integer('height of the result', { short: 'H', min: 1, max: 16_383, unit: 'px', example: 600 }),
    protectFaces: boolean('keep faces intact; needs the models face-detection', { default: true, filledByTool: true }),
    blurRadius: number('blur before edge detection, so that grain is ignored', {
      default: 0,
      min: 0,
      max: 20,
      unit: 'px',
    }),
    sobelThreshold: number('edges weaker than this count as flat', { default: 10, min: 1, max: 20 }),
    square: boolean('make it square, by its shortest side', { default: false }),
  },
  output: { kind: 'file+report', type: { is: 'png' } },
  timeoutS: 300,
  examples: [
    { title: 'a narrower landscape with intact mountains', settings: { width: 800 } },
    { title: 'a square', inputs: ['portrait.jpg'], settings: { square: true } },
  ],
  check({ width, height, square }) {
    if (width === undefined && height === undefined && !square) throw invalidSettings('Set width, height or square')
  },
  async transform(given, { width, height, square, protectFaces, blurRadius, sobelThreshold }, context) {
    if (given.pages > 1) context.warn('Only the first frame of the animation is used')
    const frame = await fitted(await (await (await given.firstPage()).toRgb()).settled())
    const target = targetOf(frame, { width, height, square }, context)
    const start = await quartered(frame, target)
    const sigma = blurRadius >= LEAST_SIGMA ? blurRadius : undefined
    const faces = protectFaces === false ? [] : await facesIn(start, protectFaces === true, context)
    const carved = await carveSeams(start, target, { threshold: sobelThreshold, sigma, faces }, context)
    return carved.withTarget({ format: 'png' })
  },
  report: (frame) => ({ width: frame.width, height: frame.height }),
})
