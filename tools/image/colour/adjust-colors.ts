import { readCube } from '../../../src/media/colour/cube.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { oneFile } from '../../../src/tool/facts.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice, integer, number } from '../../../src/tool/settings.ts'
import { applyTone, EFFECTS, givesColour, type Tone } from '../_shared/colour/tone.ts'
import { onColoursAlone } from '../_shared/layers/around-alpha.ts'
import { CURVES, curvesOf } from './adjust-colors/curves.ts'
import { applyCube } from './adjust-colors/look-up.ts'

async function toned(frame: ImageFrame, tone: Tone): Promise<ImageFrame> {
  const samples = await frame.samples()
  applyTone(samples, tone)
  return frame.withSamples(samples)
}

const scale = (help: string, group: 'Light' | 'Colours') => number(help, { default: 0, min: -100, max: 100, group })
const channel = (name: string) =>
  number(`${name} of the result`, { default: 100, min: 0, max: 200, unit: '%', group: 'Channels' })

export default imageTool({
  id: 'adjust-colors',
  summary: 'Tune light, colour, channels and simple effects in one pass',
  input: {
    ...oneFile('image'),
    secondary: { lut: { required: false, what: 'a .cube look-up table, applied at the end', accept: ['cube'] } },
  },
  settings: {
    brightness: scale('darker below 0, brighter above', 'Light'),
    contrast: scale('flatter below 0, stronger above', 'Light'),
    exposure: scale('changes the mid-tones; keeps black and white', 'Light'),
    saturation: scale('-100 removes all colour, 100 doubles it', 'Colours'),
    temperature: scale('cooler below 0, warmer above', 'Colours'),
    tint: scale('greener below 0, more magenta above', 'Colours'),
    hue: integer('rotates all hues around the colour wheel', {
      default: 0,
      min: -180,
      max: 180,
      unit: 'degrees',
      group: 'Colours',
    }),
    sharpness: number('strength of sharpening', { default: 0, min: 0, max: 100, group: 'Effects', scales: false }),
    red: channel('red'),
    green: channel('green'),
    blue: channel('blue'),
    effect: choice(EFFECTS, 'a simple effect at the end', { default: 'none', group: 'Effects' }),
    ...CURVES,
    lutStrength: number('share of the look-up table in the result', {
      default: 100,
      min: 0,
      max: 100,
      unit: '%',
      group: 'Look-up table',
    }),
  },
  scalable: true,
  examples: [
    { title: 'a warmer, livelier photo', settings: { brightness: 8, contrast: 10, saturation: 20, temperature: 25 } },
    { title: 'an old print', settings: { contrast: -10, effect: 'sepia' } },
    {
      title: 'the faded look of film, with curves',
      settings: { curve: '0,28 64,66 192,204 255,238', curveBlue: '0,20 255,240' },
    },
    { title: 'other colours for a drawing', inputs: ['logo.svg'], settings: { hue: 120 } },
  ],
  check: (settings) => void curvesOf(settings),
  async transform(given, settings, { secondary }) {
    const { red, green, blue, effect, sharpness, lutStrength, ...rest } = settings
    const { isColour: hasColourCurve, ...curves } = curvesOf(rest)
    const { brightness, contrast, exposure, saturation, temperature, tint, hue } = rest
    const light: Tone = { ...curves, brightness, contrast, exposure, saturation, temperature, tint, hue }
    const after: Tone = { red, green, blue, effect }
    const cube = secondary.lut && lutStrength > 0 ? await readCube(secondary.lut) : undefined
    const turnsColours = [saturation, temperature, tint, hue].some((value) => value !== 0)
    const before =
      turnsColours ||
      [brightness, contrast, exposure].some((value) => value !== 0) ||
      'levels' in curves ||
      'curves' in curves
    const later = red !== 100 || green !== 100 || blue !== 100 || effect !== 'none'
    if (!before && !later && sharpness === 0 && !cube) return given
    // Only adjustments that treat all channels alike give the same result in every profile.
    const isColour =
      turnsColours || hasColourCurve || givesColour(after) || effect === 'grayscale' || cube !== undefined
    let frame = isColour ? await given.toSrgb() : given
    if (frame.space === 'cmyk' || hasColourCurve || cube || givesColour({ ...light, ...after }))
      frame = await frame.toRgb()
    if (sharpness === 0) {
      if (before || later) frame = await toned(frame, { ...light, ...after })
    } else {
      if (before) frame = await toned(frame, light)
      const sigma = 0.5 + (9.5 * sharpness) / 100
      frame = await onColoursAlone(frame, sigma, (image) => image.sharpen({ sigma }))
      if (later) frame = await toned(frame, after)
    }
    if (!cube) return frame
    const samples = await frame.samples()
    applyCube(samples, cube, lutStrength / 100)
    return frame.withSamples(samples)
  },
})
