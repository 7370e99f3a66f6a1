import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice, integer } from '../../../src/tool/settings.ts'
import { type Colour, dominantColours } from './color-palette/median-cut.ts'
import { sampledShades } from './color-palette/sampled-shades.ts'

const hexOf = (colour: Colour): string => `#${colour.map((value) => value.toString(16).padStart(2, '0')).join('')}`

/** CSS Color Module Level 4, section 7: hue in degrees, saturation and lightness in percent, whole numbers. */
function hslOf(colour: Colour): string {
  const [red, green, blue] = [colour[0] / 255, colour[1] / 255, colour[2] / 255]
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

export default imageTool({
  id: 'color-palette',
  summary: 'Extract the dominant colours',
  settings: {
    count: integer('maximum number of colours', { default: 8, min: 2, max: 16 }),
    format: choice(['hex', 'rgb', 'hsl'], 'notation of the colours', { default: 'hex' }),
  },
  output: { kind: 'report' },
  examples: [
    { title: 'the colours of a photo' },
    { title: 'five colours for a style sheet', settings: { count: 5, format: 'hsl' } },
  ],
  decode: () => ({ firstPage: true }),
  async produce([picture], { count, format }) {
    const found = dominantColours(sampledShades(await (await picture.open()).pixels()), count)
    return {
      report: {
        filename: picture.name,
        colors: found.map(FORMS[format]),
        hex: found.map(hexOf),
        count: found.length,
      },
    }
  },
})
