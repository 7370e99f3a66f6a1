import { trace } from '../../../src/engines/pictures/vectorizer.ts'
import { isSmall } from '../../../src/engines/workers/idle-threads.ts'
import { askWorker } from '../../../src/engines/workers/worker-thread.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { builtFile } from '../../../src/root.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { boolean, choice, number } from '../../../src/tool/settings.ts'
import { crispEnlargement, inSize } from './vectorize/crisp.ts'
import { isFaithful } from './vectorize/faithful.ts'
import { isDrawing } from './vectorize/flat.ts'
import type { ColouredPath } from './vectorize/trace-color.ts'
import type { TraceAnswer, TraceRequest } from './vectorize/trace-worker.ts'

const WORKER = builtFile('tools/image/convert/vectorize/trace-worker.js')

/** Maximum bits per channel. */
const MAX_BITS = 8

/** Grey values; transparent areas count as white. */
async function greyOf(frame: ImageFrame, invert: boolean): Promise<{ data: Buffer; width: number; height: number }> {
  const image = (await frame.pipeline()).flatten({ background: invert ? '#000000' : '#ffffff' })
  const { data, info } = await (invert ? image.negate({ alpha: false }) : image)
    .greyscale()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

const hex = (colour: readonly number[]): string =>
  `#${colour
    .slice(0, 3)
    .map((value) => value.toString(16).padStart(2, '0'))
    .join('')}`

/** Black needs no fill, and opaque colours no opacity. */
function drawingOf(paths: readonly ColouredPath[], { width, height }: { width: number; height: number }): string {
  const drawn = paths.map(({ data, colour }) => {
    const fill = hex(colour) === '#000000' ? '' : ` fill="${hex(colour)}"`
    const alpha = (colour[3] ?? 255) / 255
    return `<path${fill}${alpha < 1 ? ` fill-opacity="${alpha.toFixed(2)}"` : ''} d="${data}"/>`
  })
  const root = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`
  return `${root}${drawn.join('')}</svg>\n`
}

const LAYERED = { when: { colorMode: 'color' } } as const

export default imageTool({
  id: 'vectorize',
  summary: 'Trace a picture into an SVG drawing',
  settings: {
    colorMode: choice(['bw', 'color'], 'black shapes on a transparent background, or layers of colours', {
      default: 'bw',
    }),
    threshold: number('darker pixels become black', { when: { colorMode: 'bw' }, default: 128, min: 0, max: 255 }),
    colorPrecision: number('significant bits per channel; values over 8 count as 8', {
      ...LAYERED,
      default: 6,
      min: 1,
      max: 16,
    }),
    layerDifference: number('minimum difference between two layers', { ...LAYERED, default: 6, min: 1, max: 128 }),
    filterSpeckle: number('smaller areas are omitted', { default: 4, min: 1, max: 256, unit: 'pixels' }),
    pathMode: choice(['none', 'polygon', 'spline'], 'outlines as pixels, straight lines or curves', {
      default: 'spline',
    }),
    cornerThreshold: number('sharper turns stay corners', {
      when: { pathMode: 'spline' },
      default: 60,
      min: 0,
      max: 180,
      unit: 'degrees',
    }),
    invert: boolean('invert the colours first', { default: false }),
  },
  output: { kind: 'file', type: { is: 'svg' } },
  converts: true,
  engines: ['sharp', 'vectorizer'],
  batch: true,
  examples: [
    { title: 'a logo in colours', inputs: ['logo.svg'], settings: { colorMode: 'color' } },
    { title: 'a photo as a linocut', settings: { threshold: 110, filterSpeckle: 20 } },
    {
      title: 'a portrait in flat colours',
      inputs: ['portrait.jpg'],
      settings: { colorMode: 'color', layerDifference: 24, filterSpeckle: 16 },
    },
  ],
  decode: () => ({ firstPage: true }),
  async produce([picture], { colorMode, threshold, invert, ...settings }, { signal, progress }) {
    const given = await (await (await picture.open()).toSrgb()).settled()
    const ask = async (request: TraceRequest): Promise<TraceAnswer> =>
      await askWorker<TraceRequest, TraceAnswer>(WORKER, request, { signal, isReusable: isSmall(given) })
    const common = {
      pathMode: settings.pathMode,
      filterSpeckle: Math.round(settings.filterSpeckle),
      cornerThreshold: Math.round(settings.cornerThreshold),
    }
    if (colorMode === 'bw') {
      const picture = await greyOf(given, invert)
      progress(0.3, 'tracing')
      const paths = await ask({ kind: 'bw', picture, threshold, settings: common })
      return { files: [{ type: 'svg', data: drawingOf(paths ?? [], picture) }] }
    }
    const coloured = invert ? await given.apply((image) => image.negate({ alpha: false })) : given
    const pixels = await coloured.pixels({ alpha: 'add' })
    const colours = {
      precision: Math.min(MAX_BITS, Math.round(settings.colorPrecision)),
      layerDifference: Math.round(settings.layerDifference),
    }
    progress(0.3, 'tracing')
    const isDrawn = isDrawing(pixels)
    if (isDrawn) {
      const { data, width, height } = pixels
      const picture = { data, width, height }
      const paths = await ask({ kind: 'color', picture, settings: { ...common, ...colours } })
      const drawing = paths && drawingOf(paths, pixels)
      if (drawing !== undefined && (await isFaithful(drawing, picture)))
        return { files: [{ type: 'svg', data: drawing }] }
    }
    // A photo has no regions of one colour, and nor have details of a pixel or two: their tones become layers.
    const isEnlarged = isDrawn && settings.pathMode === 'spline'
    const traced = isEnlarged ? await crispEnlargement(coloured, pixels) : { pixels, times: 1 }
    const layers = {
      ...colours,
      path: settings.pathMode,
      speckle: Math.round(settings.filterSpeckle * traced.times ** 2),
      cornerThreshold: common.cornerThreshold,
    }
    const drawing = await trace(traced.pixels, layers, signal)
    return { files: [{ type: 'svg', data: inSize(drawing, given, traced.times) }] }
  },
})
