import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice, integer, number } from '../../../src/tool/settings.ts'
import { applyTone, EFFECTS, givesColour } from '../_shared/colour/tone.ts'
import { onColoursAlone } from '../_shared/layers/around-alpha.ts'

const scale = (help: string, group: 'Light' | 'Colours') => number(help, { default: 0, min: -100, max: 100, group })
const channel = (name: string) =>
  number(`${name} of the result`, { default: 100, min: 0, max: 200, unit: '%', group: 'Channels' })

export default imageTool({
  id: 'adjust-colors',
  summary: 'Tune light, colour, channels and simple effects in one pass',
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
    sharpness: number('strength of sharpening', { default: 0, min: 0, max: 100, group: 'Effects' }),
    red: channel('red'),
    green: channel('green'),
    blue: channel('blue'),
    effect: choice(EFFECTS, 'a simple effect at the end', { default: 'none', group: 'Effects' }),
  },
  examples: [
    { title: 'a warmer, livelier photo', settings: { brightness: 8, contrast: 10, saturation: 20, temperature: 25 } },
    { title: 'an old print', settings: { contrast: -10, effect: 'sepia' } },
    { title: 'other colours for a drawing', inputs: ['logo.svg'], settings: { hue: 120 } },
  ],
  async transform(given, settings) {
    const { red, green, blue, effect, sharpness, ...light } = settings
    const after = { red, green, blue, effect }
    const changes = (names: readonly (keyof typeof light)[]): boolean => names.some((name) => light[name] !== 0)
    const before = changes(['brightness', 'contrast', 'exposure', 'saturation', 'temperature', 'tint', 'hue'])
    const later = red !== 100 || green !== 100 || blue !== 100 || effect !== 'none'
    if (!before && !later && sharpness === 0) return given
    // Only adjustments that treat all channels alike give the same result in every profile.
    const isColour =
      changes(['saturation', 'temperature', 'tint', 'hue']) || givesColour(after) || effect === 'grayscale'
    let frame = isColour ? await given.toSrgb() : given
    if (frame.space === 'cmyk' || givesColour({ ...light, ...after })) frame = await frame.toRgb()
    if (sharpness === 0) {
      const samples = await frame.samples()
      applyTone(samples, { ...light, ...after })
      return frame.withSamples(samples)
    }
    if (before) {
      const samples = await frame.samples()
      applyTone(samples, light)
      frame = await frame.withSamples(samples)
    }
    const sigma = 0.5 + (9.5 * sharpness) / 100
    frame = await onColoursAlone(frame, sigma, (image) => image.sharpen({ sigma }))
    if (!later) return frame
    const samples = await frame.samples()
    applyTone(samples, after)
    return frame.withSamples(samples)
  },
})
