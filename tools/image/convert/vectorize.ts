import { trace } from '../../../src/engines/pictures/vectorizer.ts'
import type { ImageFrame, Pixels } from '../../../src/media/image/frame.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { boolean, choice, number } from '../../../src/tool/settings.ts'
import { isDrawing, makeCrisp } from './vectorize/crisp.ts'

/**
 * The tracer fits curves to pixel corners: enlarged, they follow the soft edges of the image and wobble less. A
 * black-and-white image, with only one kind of edge, is smooth at three times its size.
 */
const MAX_ENLARGEMENT = { bw: 3, color: 5 } as const
/** Enlargement limit, px. */
const MAX_ENLARGED_AREA = 8_000_000

/** Enlargement for tracing. */
function enlargement({ width, height }: ImageFrame, colorMode: keyof typeof MAX_ENLARGEMENT): number {
  const room = Math.floor(Math.sqrt(MAX_ENLARGED_AREA / (width * height)))
  return Math.min(MAX_ENLARGEMENT[colorMode], Math.max(1, room))
}

/** The drawing at the image's own size. */
function inSize(svg: string, { width, height }: ImageFrame, times: number): string {
  if (times === 1) return svg
  return svg
    .replace(/<svg\b[^>]*>/, (root) =>
      root
        .replace(/viewBox="[^"]*"/, `viewBox="0 0 ${width} ${height}"`)
        .replace(/ width="\d+" height="\d+"/, ` width="${width}" height="${height}"`)
        .concat(`<g transform="scale(${1 / times})">`),
    )
    .replace('</svg>', '</g></svg>')
}

/** Maximum bits per channel. */
const MAX_BITS = 8

/** Inverts colours; keeps alpha. */
function negate({ data }: Pixels): void {
  for (let at = 0; at < data.length; at += 4) {
    data[at] = 255 - data[at]!
    data[at + 1] = 255 - data[at + 1]!
    data[at + 2] = 255 - data[at + 2]!
  }
}

async function enlarged(frame: ImageFrame, times: number): Promise<ImageFrame> {
  const size = { width: frame.width * times, height: frame.height * times }
  return times === 1 ? frame : await frame.apply((image) => image.resize({ ...size, kernel: 'cubic' }), { size })
}

/** An enlarged drawing with hard edges; photos have too many colours for it and keep their size. */
async function coloured(frame: ImageFrame, room: number): Promise<{ pixels: Pixels; times: number }> {
  const pixels = await frame.pixels({ alpha: 'add' })
  if (room === 1 || !isDrawing(pixels)) return { pixels, times: 1 }
  const large = await (await enlarged(frame, room)).pixels({ alpha: 'add' })
  makeCrisp(pixels, large, room)
  return { pixels: large, times: room }
}

/** Black where the image is darker than the threshold, white elsewhere; transparent areas count as white. */
async function blackAndWhite(frame: ImageFrame, threshold: number, invert: boolean): Promise<Pixels> {
  const image = (await frame.pipeline()).flatten({ background: invert ? '#000000' : '#ffffff' })
  const grey = await (invert ? image.negate({ alpha: false }) : image)
    .greyscale()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const { width, height } = grey.info
  const data = Buffer.alloc(width * height * 4, 255)
  for (let at = 0; at < grey.data.length; at += 1) if (grey.data[at]! < threshold) data.fill(0, at * 4, at * 4 + 3)
  return { data, width, height, channels: 4, pageHeight: height }
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
    const isColor = colorMode === 'color'
    const room = settings.pathMode === 'spline' ? enlargement(given, colorMode) : 1
    const { pixels, times } = isColor
      ? await coloured(given, room)
      : { pixels: await blackAndWhite(await enlarged(given, room), threshold, invert), times: room }
    if (isColor && invert) negate(pixels)
    progress(0.3, 'tracing')
    const drawing = await trace(
      pixels,
      {
        colors: isColor ? 'color' : 'binary',
        path: settings.pathMode,
        speckle: Math.round(settings.filterSpeckle * times ** 2),
        precision: Math.min(MAX_BITS, Math.round(settings.colorPrecision)),
        layerDifference: Math.round(settings.layerDifference),
        cornerThreshold: Math.round(settings.cornerThreshold),
      },
      signal,
    )
    return { files: [{ type: 'svg', data: inSize(drawing, given, times) }] }
  },
})
