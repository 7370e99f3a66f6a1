import { printableName } from '../../../src/media/file.ts'
import type { ImageFrame, Samples } from '../../../src/media/image/frame.ts'
import type { Area } from '../../../src/models/tiles.ts'
import { imageTool, type StepContext } from '../../../src/tool/image-tool.ts'
import { SAME_PICTURE } from '../../../src/tool/output-type.ts'
import { number } from '../../../src/tool/settings.ts'
import { detectFaces, grown } from '../_shared/faces/detect.ts'
import { onColoursAlone } from '../_shared/layers/around-alpha.ts'
import { softCover } from '../_shared/layers/soften.ts'
import { onEachPage } from '../_shared/layout/pages.ts'

/** A box is expanded by this share of its longer side: hair and ears belong to a face (catalogue). */
const GROWTH = 0.1

/**
 * How far the ellipse extends beyond the midpoints of the box's sides: it covers two thirds of the way to its corners.
 */
const ROUND = 1.25

/**
 * Faces larger than this are blurred proportionally more: a third of their width hides a face from detectors as well
 * (measured); px.
 */
const USUAL_WIDTH = 90

/** Replaces an ellipse in a box with the same area of other samples; the corners of a box are not part of a face. */
function putEllipse(into: Samples, from: Samples, { left, top, width, height }: Area): void {
  const { data, channels, width: across } = into
  const [centreX, centreY] = [(width - 1) / 2, (height - 1) / 2]
  const [radiusX, radiusY] = [(width / 2) * ROUND, (height / 2) * ROUND]
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      if (((x - centreX) / radiusX) ** 2 + ((y - centreY) / radiusY) ** 2 > 1) continue
      const there = (y * width + x) * channels
      const here = ((top + y) * across + left + x) * channels
      for (let channel = 0; channel < channels; channel += 1) data[here + channel] = from.data[there + channel]!
    }
}

/** One page with areas blurred, each separately: no surrounding pixels are mixed in. */
async function blurred(frame: ImageFrame, areas: readonly Area[], blurRadius: number): Promise<ImageFrame> {
  const samples = await frame.samples()
  for (const area of areas) {
    const { width, height } = area
    const sigma = blurRadius * Math.max(1, width / USUAL_WIDTH)
    const part = await (await frame.apply((image) => image.extract(area), { size: { width, height } })).settled()
    const soft = frame.hasAlpha
      ? await onColoursAlone(part, sigma, (image) => image.blur(sigma))
      : await softCover(part, { width, height }, sigma)
    putEllipse(samples, await (await soft.settled()).samples(), area)
  }
  return frame.withSamples(samples)
}

function reportOf(areas: readonly Area[], name: string, { warn }: StepContext) {
  const faces = areas.map(({ left: x, top: y, width: w, height: h }) => ({ x, y, w, h }))
  const sentence = 'No face was found: the image is unchanged'
  if (faces.length === 0) warn(`${printableName(name)}: ${sentence}`)
  return { facesDetected: faces.length, faces, ...(faces.length === 0 && { warning: sentence }) }
}

export default imageTool({
  id: 'blur-faces',
  summary: 'Find faces and blur them',
  suffix: 'blurred',
  bundles: ['face-detection'],
  settings: {
    blurRadius: number(
      'strength of the blur (sigma) for faces up to 90 px wide; proportionally stronger for larger ones',
      {
        default: 30,
        min: 1,
        max: 100,
        unit: 'px',
      },
    ),
    sensitivity: number('sensitivity of face detection', { default: 0.5, min: 0, max: 1 }),
  },
  output: { kind: 'file+report', type: SAME_PICTURE },
  timeoutS: 300,
  heavy: true,
  async: true,
  examples: [
    { title: 'make everyone unrecognisable', inputs: ['portrait.jpg'] },
    { title: 'also blur uncertain detections', inputs: ['portrait.jpg'], settings: { sensitivity: 0.8 } },
  ],
  async transform(given, { blurRadius, sensitivity }, context) {
    let most: readonly Area[] = []
    const onPage = async (page: ImageFrame): Promise<ImageFrame> => {
      const frame = await (page.space === 'cmyk' ? await page.toRgb() : page).settled()
      const areas = (await detectFaces(frame, sensitivity, context)).map((face) => grown(face, GROWTH, frame))
      if (areas.length > most.length) most = areas
      return areas.length === 0 ? page : blurred(frame, areas, blurRadius)
    }
    const frame = await onEachPage(given, onPage)
    const report = reportOf(most, given.origin.name, context)
    return { frame: most.length === 0 ? given.withTarget({ verbatim: true }) : frame, report }
  },
})
