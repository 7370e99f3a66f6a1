import type { ImageFrame } from '../../src/media/image/frame.ts'
import { imageTool } from '../../src/tool/image-tool.ts'
import { choice, integer } from '../../src/tool/settings.ts'
import { type Colour, dominantColours } from './color-palette/median-cut.ts'

/** The picture is looked at in this size (catalogue). */
const SIDE = 100

const hexOf = (colour: Colour): string => `#${colour.map((value) => value.toString(16).padStart(2, '0')).join('')}`

/** CSS Color Module Level 4, section 7: hue in degrees, saturation and lightness in percent, whole numbers. */
function hslOf(colour: Colour): string {
  const [red, green, blue] = colour.map((value) => value / 255) as Colour
  const high = Math.max(red, green, blue)
  const low = Math.min(red, green, blue)
  const chroma = high - low
  const lightness = (high + low) / 2
  const saturation = chroma === 0 ? 0 : chroma / (1 - Math.abs(2 * lightness - 1))
  let sector = 0
  if (chroma > 0) {
    if (high === red) sector = (green - blue) / chroma
    else if (high === green) sector = (blue - red) / chroma + 2
    else sector = (red - green) / chroma + 4
  }
  const hue = Math.round(((sector + 6) % 6) * 60) % 360
  return `hsl(${hue}, ${Math.round(saturation * 100)}%, ${Math.round(lightness * 100)}%)`
}

const FORMS = {
  hex: hexOf,
  rgb: (colour: Colour) => `rgb(${colour.join(', ')})`,
  hsl: hslOf,
} as const

/** Small pictures as they are; a filter without overshoot, or colours would be found that nobody sees. */
async function shrunk(frame: ImageFrame): Promise<Buffer> {
  const size = { width: Math.min(SIDE, frame.width), height: Math.min(SIDE, frame.height) }
  const bare = frame.hasAlpha
    ? await (await frame.apply((image) => image.removeAlpha(), { alpha: false })).settled()
    : frame
  const small = await bare.apply((image) => image.resize({ ...size, fit: 'fill', kernel: 'linear' }), { size })
  return (await small.pixels({ alpha: 'drop' })).data
}

export default imageTool({
  id: 'color-palette',
  summary: 'Extract the dominant colours',
  settings: {
    count: integer('how many colours at most', { default: 8, min: 2, max: 16 }),
    format: choice(['hex', 'rgb', 'hsl'], 'how the colours are written', { default: 'hex' }),
  },
  output: { kind: 'report' },
  examples: [
    { title: 'the colours of a photo' },
    { title: 'five colours for a style sheet', settings: { count: 5, format: 'hsl' } },
  ],
  decode: () => ({ firstPage: true }),
  async produce([picture], { count, format }) {
    const found = dominantColours(await shrunk(await picture!.open()), count)
    return {
      report: {
        filename: picture!.name,
        colors: found.map(FORMS[format]),
        hex: found.map(hexOf),
        count: found.length,
      },
    }
  },
})
