import type { Sharp } from '../../../src/engines/sharp.ts'
import type { ImageFrame, Samples } from '../../../src/media/image/frame.ts'
import { oneFile } from '../../../src/tool/contract.ts'
import { imageAction, imageTool, type StepContext } from '../../../src/tool/image-tool.ts'
import { boolean, choice, group, number } from '../../../src/tool/settings.ts'
import { dequantise } from '../_shared/colour/dequantise.ts'
import { isPlain, levelsOf, raiseLocalContrast } from '../_shared/colour/local-contrast.ts'
import { applyTone } from '../_shared/colour/tone.ts'
import { DENOISERS, denoisedByNetwork } from '../_shared/denoise/network.ts'
import { onColoursAlone, withMedian } from '../_shared/layers/around-alpha.ts'
import { onEachPage } from '../_shared/layout/pages.ts'
import { evidenceOf } from './image-enhancement/evidence.ts'
import { noiseOf } from './image-enhancement/noise.ts'
import { MODES, type Plan, planOf, TOGGLES, type Toggles } from './image-enhancement/plan.ts'
import {
  characterOf,
  isWashedOut,
  lostSaturation,
  restoreBlack,
  roomForBlack,
  roomForColour,
} from './image-enhancement/protect.ts'
import { type Analysis, analysePicture } from './image-enhancement/scores.ts'

/** Local contrast is limited to images of up to this many pixels (catalogue). */
const LOCAL_CONTRAST_PIXELS = 16e6

const analyse = async (frame: ImageFrame): Promise<Analysis> => analysePicture(await frame.pixels({ grey: true }))

/** Steepest stretch of a scene, and of one without texture: a subject of few tones is mostly meant to be so. */
const GENTLE_STRETCH = 1.5
const PLAIN_STRETCH = 1.1

/** A smaller loss of saturation is invisible, percent. */
const LEAST_LOSS = 3

/** The defaults of noise-removal. */
const DEEP = { strength: 50, detailPreservation: 50, colorNoise: 30 } as const

/**
 * Sharpens only edges: differences within the noise stay unchanged, and the bright and dark rims of an edge are limited
 * to what looks sharp (libvips: x1, y2 and y3, for a lightness from 0 to 100).
 */
const sharpened = (image: Sharp, sigma: number, noise: number): Sharp =>
  image.sharpen({ sigma: Math.min(sigma, 1.2), m1: 0, m2: 1.5, x1: 2 + 2 * noise, y2: 8, y3: 8 })

function inSixteenBits(data: Uint8Array): Uint16Array {
  const deep = new Uint16Array(data.length)
  for (let at = 0; at < data.length; at += 1) deep[at] = data[at]! * 257
  return deep
}

/**
 * The steps that change tones. In 8 bits each step would round again and cause banding in smooth skies, so all are
 * computed in 16 bits and rounded once.
 */
function withTones(given: Samples, plan: Plan): Samples {
  const { slope, clip, temperature, isScene, isGentle } = plan
  const shallow = given.data instanceof Uint16Array ? undefined : given.data
  const samples = shallow ? { ...given, data: inSixteenBits(shallow) } : given
  if (shallow) dequantise(samples)
  const before = characterOf(samples)
  // A bright scene with deep blacks, as snow or a product on white, is exposed as it should be.
  const planned = isScene && plan.exposure < 0 && !isWashedOut(before) ? 0 : plan.exposure
  const evidence = isGentle ? evidenceOf(samples, planned, plan.exposureWeight) : undefined
  const exposure = evidence?.exposure ?? planned
  const steepest = evidence && (isPlain(samples) ? PLAIN_STRETCH : 1 + (GENTLE_STRETCH - 1) * evidence.part)
  const stretch = () => {
    const levels = clip === undefined ? undefined : levelsOf(samples, clip, steepest)
    return isGentle && levels ? { ...levels, low: levels.low * roomForBlack(before) } : levels
  }
  if (slope !== undefined && samples.width * samples.height <= LOCAL_CONTRAST_PIXELS) {
    const range = isGentle ? stretch() : undefined
    // What the stretch raises already needs less local contrast.
    raiseLocalContrast(samples, slope, evidence ? { most: evidence.part * (range ? range.high - range.low : 1) } : {})
  }
  const levels = stretch()
  if (levels || exposure !== 0 || temperature !== 0)
    applyTone(samples, { ...(levels && { levels }), exposure, temperature })
  if (isScene && exposure > 0) restoreBlack(samples, before, characterOf(samples))
  const saturation = isScene && plan.saturation > 0 ? plan.saturation * roomForColour(before) : plan.saturation
  if (saturation !== 0) applyTone(samples, { saturation })
  // Chroma and saturation are not proportional: what the first round leaves, the second one raises.
  for (let round = 0; isScene && temperature === 0 && round < 2; round += 1) {
    const lost = lostSaturation(before, characterOf(samples, before.counted))
    if (lost > LEAST_LOSS) applyTone(samples, { saturation: lost })
  }
  if (!shallow) return samples
  for (let at = 0; at < shallow.length; at += 1) shallow[at] = (samples.data[at]! + 128) / 257
  return { ...samples, data: shallow }
}

/** Runs before any measurement, so that noise is neither sharpened nor mistaken for detail. */
async function withoutNoise(frame: ImageFrame, context: StepContext): Promise<ImageFrame> {
  let isMissing = false
  const clean = await onEachPage(frame, async (page) => {
    if (isMissing) return page
    const given = await (page.space === 'cmyk' ? await page.toRgb() : page).settled()
    const made = await denoisedByNetwork(given, DEEP, context)
    isMissing = !made
    return made ?? page
  })
  if (!isMissing) return clean
  context.warn('deepEnhance is skipped: the bundle upscale-enhance is not installed')
  return frame
}

const toggle = (what: string) => boolean(what, { default: true })

export default imageTool({
  id: 'image-enhancement',
  summary: 'Analyse an image and correct exposure, contrast, colour and sharpness',
  timeoutS: 300,
  models: DENOISERS,
  bundlesFor: { 'upscale-enhance': { deepEnhance: true } },
  settings: {
    mode: choice(MODES, 'image content, or the single correction to apply', { default: 'auto' }),
    strength: number('50 corrects as computed, 100 twice as much', {
      default: 50,
      min: 0,
      max: 100,
      aliases: ['intensity'],
    }),
    corrections: group(
      {
        exposure: toggle('lighten or darken the middle tones'),
        contrast: toggle('local contrast and level stretch'),
        whiteBalance: toggle('warm or cool'),
        saturation: toggle('livelier or calmer colours'),
        sharpness: toggle('sharpen'),
        denoise: toggle('median filter to reduce noise'),
      },
      'corrections to apply; all by default',
    ),
    deepEnhance: boolean('remove noise with a model first; skipped if the bundle upscale-enhance is missing', {
      default: false,
    }),
  },
  examples: [
    { title: 'automatic corrections' },
    { title: 'a landscape, more strongly', settings: { mode: 'landscape', strength: 80 } },
    { title: 'colours only', settings: { mode: 'color' } },
  ],
  async transform(original, { mode, strength, corrections, deepEnhance }, context) {
    const given = deepEnhance ? await withoutNoise(original, context) : original
    const toggles = Object.fromEntries(TOGGLES.map((name) => [name, corrections?.[name] ?? true])) as Toggles
    const pixels = await given.pixels({ grey: true })
    const noise = noiseOf(pixels)
    const plan = planOf(analysePicture(pixels), mode, strength, toggles, noise)
    const { slope, exposure, temperature, saturation, sigma, median } = plan
    const coloured = temperature !== 0 || saturation !== 0
    // Warmth and saturation are defined in sRGB; the rest treats all channels alike and works in any profile.
    let frame = coloured || given.space === 'cmyk' ? await given.toSrgb() : given
    context.signal.throwIfAborted()
    if (slope !== undefined || exposure !== 0 || coloured)
      frame = await frame.withSamples(withTones(await frame.samples(), plan))
    if (sigma !== undefined) frame = await onColoursAlone(frame, sigma, (image) => sharpened(image, sigma, noise))
    return median === undefined ? frame : withMedian(frame, median)
  },
  actions: [
    imageAction({
      id: 'analyze',
      summary: 'Score an image and list the suggested corrections',
      input: oneFile('image'),
      settings: {},
      output: { kind: 'report' },
      async produce([picture]) {
        return { report: { ...(await analyse(await picture.open())) } }
      },
    }),
  ],
})
