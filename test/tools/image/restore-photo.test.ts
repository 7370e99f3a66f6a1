import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { replaceModel } from '../../../src/models/store/installed.ts'
import { findDamage } from '../../../tools/image/restore/restore-photo/damage.ts'
import restorePhoto from '../../../tools/image/restore/restore-photo.ts'
import { FILLING, lamaStandIn } from '../../helpers/inpainting-stubs.ts'
import { stubModel } from '../../helpers/models.ts'
import { at, fromSamples, photo, png16, put, readPixels } from '../../helpers/picture.ts'
import { randomFrom } from '../../helpers/random.ts'
import { documentationSamples } from '../../helpers/shared-samples.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const [WIDTH, HEIGHT] = [240, 160]

/** How far a pixel is from a line through two points. */
const fromLine = (x: number, y: number, [x1, y1, x2, y2]: readonly [number, number, number, number]): number => {
  const length = Math.hypot(x2 - x1, y2 - y1)
  const along = ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length
  return along < 0 || along > length ? 99 : Math.abs((x2 - x1) * (y1 - y) - (x1 - x) * (y2 - y1)) / length
}

const LINES = [
  [20, 10, 200, 70],
  [60, 150, 150, 95],
] as const

/** A photograph with two scratches of 2 px: bright and dark, by a given amount. */
function scratched(channels: 1 | 3 | 4 = 3, strength = 110) {
  const clean = photo(WIDTH, HEIGHT, channels)
  const truth = Uint8Array.from({ length: WIDTH * HEIGHT }, (_, pixel) => {
    const hit = LINES.findIndex((line) => fromLine(pixel % WIDTH, Math.floor(pixel / WIDTH), line) <= 1)
    return hit < 0 ? 0 : hit + 1
  })
  const data = clean.data.map((value, index) => {
    const line = truth[Math.floor(index / channels)]!
    if (line === 0 || (channels === 4 && index % 4 === 3)) return value
    return Math.min(255, Math.max(0, value + (line === 1 ? strength : -strength)))
  })
  return { clean, truth, picture: { ...clean, data } }
}

const rms = (one: ArrayLike<number>, other: ArrayLike<number>): number => {
  let sum = 0
  for (let index = 0; index < one.length; index += 1) sum += (one[index]! - other[index]!) ** 2
  return Math.sqrt(sum / one.length)
}

const bare = { faceEnhancement: false, denoise: false }

beforeAll(() => {
  for (const id of ['lama', 'migan-512-places2', 'scunet-color-real-psnr', 'ddcolor-tiny', 'colorization-eccv16'])
    replaceModel(id, 'absent')
})

describe('damage', () => {
  const lightOf = ({ data }: { data: Uint8Array }) => ({ data, width: WIDTH, height: HEIGHT })
  /** The fraction of damaged pixels that is found. */
  const recall = (found: Uint8Array, truth: Uint8Array): number => {
    const damaged = [...truth.keys()].filter((pixel) => truth[pixel]! > 0)
    return damaged.filter((pixel) => found[pixel] === 1).length / damaged.length
  }
  const sumOf = (values: Uint8Array): number => values.reduce((sum, value) => sum + value, 0)

  test('finds bright and dark scratches, and nothing else', () => {
    const { truth, picture, clean } = scratched(1)
    const { mask, ...found } = findDamage(lightOf(picture), 130)
    expect(found).toEqual({ scratches: 2, specks: 0, isMuch: true })
    expect(recall(mask, truth)).toBeGreaterThan(0.95)
    // A line with its soft edge is 6 to 7 px wide.
    expect(sumOf(mask)).toBeLessThan(4 * truth.filter((line) => line > 0).length)
    expect(findDamage(lightOf(clean), 90)).toMatchObject({ scratches: 0, specks: 0, isMuch: false })
  })

  test('a lower threshold finds fainter ones', () => {
    const { truth, picture } = scratched(1, 18)
    const seen = (threshold: number) => recall(findDamage(lightOf(picture), threshold).mask, truth)
    expect(seen(90)).toBeGreaterThan(seen(170))
  })

  test('finds round specks, bright and dark', () => {
    const clean = photo(WIDTH, HEIGHT, 1)
    const truth = new Uint8Array(WIDTH * HEIGHT)
    const data = Uint8Array.from(clean.data, (value, pixel) => {
      const [x, y] = [pixel % WIDTH, Math.floor(pixel / WIDTH)]
      const [column, row] = [Math.round((x - 20) / 50), Math.round((y - 20) / 40)]
      if (Math.hypot(x - 20 - 50 * column, y - 20 - 40 * row) > 2.3) return value
      truth[pixel] = 1
      return (column + row) % 2 === 0 ? 250 : 5
    })
    const { mask, specks, isMuch } = findDamage(lightOf({ data }), 130)
    expect([specks, isMuch]).toEqual([20, true])
    expect(recall(mask, truth)).toBeGreaterThan(0.95)
  })

  test('a wire in the sky counts little, stripes and noise not at all', () => {
    const of = (value: (x: number, y: number) => number) =>
      lightOf({
        data: Uint8Array.from({ length: WIDTH * HEIGHT }, (_, at) => value(at % WIDTH, Math.floor(at / WIDTH))),
      })
    const wire = of((x, y) => (y === 60 + Math.round(x / 8) && x > 60 && x < 160 ? 40 : 180 + y / 4))
    expect(findDamage(wire, 130)).toMatchObject({ scratches: 1, isMuch: false })
    const stripes = of((x) => (x % 8 < 2 ? 30 : 220))
    expect(findDamage(stripes, 90)).toMatchObject({ scratches: 0, specks: 0 })
    const random = randomFrom(1)
    const noise = of(() => Math.floor(256 * random.next()))
    expect(findDamage(noise, 130)).toMatchObject({ isMuch: false })
  })
})

test('repairs scratches from the rest of the picture without a model; reports all fields', async () => {
  const { clean, picture } = scratched()
  const input = await put(folder, 'old.png', fromSamples(picture).png())
  const { paths, names, report, warnings } = await run(restorePhoto, folder, [input], bare)
  expect(names).toEqual(['old_restored.png'])
  expect(report).toEqual({
    ...{ width: WIDTH, height: HEIGHT, steps: ['scratch_removal'], scratchCoverage: expect.any(Number) },
    ...{ facesEnhanced: 0, isGrayscale: false, colorized: false, method: 'exemplar' },
  })
  expect(report.scratchCoverage).toBeGreaterThan(1)
  expect(warnings).toEqual([expect.stringContaining('no inpainting model')])
  const { data } = await readPixels(paths[0]!)
  // From more than 10 of 255 to less than an eighth of it: 18 dB.
  expect(rms(picture.data, clean.data)).toBeGreaterThan(10)
  expect(rms(data, clean.data)).toBeLessThan(rms(picture.data, clean.data) / 8)
})

test('repairs with a network if available; keeps 16 bit and alpha', async () => {
  stubModel(folder, 'lama', lamaStandIn())
  const { picture } = scratched(4)
  const opaque = picture.data.map((value, index) => (index % 4 === 3 ? 255 : value))
  const deep = { ...picture, data: Uint16Array.from(opaque, (value) => value * 257) }
  const input = await put(folder, 'deep.png', await png16(deep))
  const { paths, report } = await run(restorePhoto, folder, [input], bare)
  expect(report).toMatchObject({ method: 'lama', steps: ['scratch_removal'] })
  expect(await sharp(paths[0]!).metadata()).toMatchObject({ depth: 'ushort', channels: 4 })
  expect(at(await readPixels(await sharp(paths[0]!).removeAlpha().png().toBuffer()), 110, 40)).toEqual([...FILLING])
  replaceModel('lama', 'absent')
})

test('returns a clean photo byte for byte with all steps enabled', async () => {
  const input = await put(folder, 'clean.jpg', fromSamples(photo(WIDTH, HEIGHT)).jpeg({ quality: 92 }))
  const { paths, report, warnings } = await run(restorePhoto, folder, [input])
  expect(report).toMatchObject({ steps: [], scratchCoverage: 0, facesEnhanced: 0, colorized: false })
  expect(report).not.toHaveProperty('method')
  expect(warnings).toEqual([])
  expect(readFileSync(paths[0]!).equals(readFileSync(input))).toBe(true)
})

test('keeps possible damage with a warning; the mode heavy repairs it', async () => {
  const clean = photo(WIDTH, HEIGHT)
  const data = clean.data.map((value, index) => {
    const [x, y] = [Math.floor(index / 3) % WIDTH, Math.floor(index / 3 / WIDTH)]
    return x === 100 && y > 40 && y < 120 ? 255 : value
  })
  const input = await put(folder, 'hair.png', fromSamples({ ...clean, data }).png())
  const { paths, report, warnings } = await run(restorePhoto, folder, [input], bare)
  expect(report).toMatchObject({ steps: [], scratchCoverage: 0 })
  expect(warnings).toEqual([expect.stringContaining('Possible damage was not repaired: 1 scratch')])
  expect(rms((await readPixels(paths[0]!)).data, data)).toBe(0)
  const heavy = await run(restorePhoto, folder, [input], { ...bare, mode: 'heavy' })
  expect(heavy.report).toMatchObject({ steps: ['scratch_removal'] })
  expect(rms((await readPixels(heavy.paths[0]!)).data, clean.data)).toBeLessThan(rms(data, clean.data) / 8)
})

test('light removes at most 30 of noise, heavy at least 60', async () => {
  const clean = photo(48, 40)
  const random = randomFrom(2)
  const data = clean.data.map((value) => Math.min(255, Math.max(0, value + 16 * (random.next() + random.next() - 1))))
  const input = await put(folder, 'noisy.png', fromSamples({ ...clean, data }).png())
  const pixelsOf = async (mode: string, denoiseStrength: number) => {
    const settings = { scratchRemoval: false, faceEnhancement: false, mode, denoiseStrength }
    const { paths, report } = await run(restorePhoto, folder, [input], settings)
    expect(report.steps).toEqual(denoiseStrength === 0 && mode !== 'heavy' ? [] : ['denoise'])
    return (await readPixels(paths[0]!)).data
  }
  expect(await pixelsOf('light', 100)).toEqual(await pixelsOf('auto', 30))
  expect(await pixelsOf('heavy', 0)).toEqual(await pixelsOf('auto', 60))
  expect(await pixelsOf('auto', 100)).not.toEqual(await pixelsOf('auto', 30))
  await pixelsOf('auto', 0)
})

describe('colours', () => {
  const settings = { scratchRemoval: false, ...bare, colorize: true }
  const grey = () =>
    put(folder, 'grey.png', sharp({ create: { width: 40, height: 30, channels: 3, background: '#808080' } }).png())

  test('only colours a photo without colours', async () => {
    // a* 30 everywhere.
    stubModel(folder, 'ddcolor-tiny', {
      inputs: [{ name: 'input', shape: [1, 3, 512, 512] }],
      outputs: [{ name: 'output', shape: [1, 2, 512, 512] }],
      constants: [
        { name: 'none', dims: [1], data: Float32Array.of(0) },
        { name: 'red', dims: [1, 2, 1, 1], data: Float32Array.of(30, 0) },
        { name: 'from', dims: [1], data: BigInt64Array.of(0n) },
        { name: 'to', dims: [1], data: BigInt64Array.of(2n) },
        { name: 'axis', dims: [1], data: BigInt64Array.of(1n) },
      ],
      nodes: [
        { op: 'Slice', inputs: ['input', 'from', 'to', 'axis'], outputs: ['two'] },
        { op: 'Mul', inputs: ['two', 'none'], outputs: ['nothing'] },
        { op: 'Add', inputs: ['nothing', 'red'], outputs: ['output'] },
      ],
    })
    const redness = async (colorizeStrength: number) => {
      const { paths, report } = await run(restorePhoto, folder, [await grey()], { ...settings, colorizeStrength })
      expect(report).toMatchObject({ steps: ['colorize'], isGrayscale: true, colorized: true })
      const [red, green] = at(await readPixels(paths[0]!), 20, 15)
      return red! - green!
    }
    expect(await redness(100)).toBeGreaterThan(60)
    expect((await redness(50)) / (await redness(100))).toBeCloseTo(0.5, 1)
    const coloured = await put(folder, 'coloured.png', fromSamples(photo(40, 30)).png())
    const { report, warnings } = await run(restorePhoto, folder, [coloured], settings)
    expect(report).toMatchObject({ steps: [], isGrayscale: false, colorized: false })
    expect(warnings).toEqual([expect.stringContaining('has colours already')])
    replaceModel('ddcolor-tiny', 'absent')
  })

  test('skips the step without its models, with a note', async () => {
    const { report, warnings } = await run(restorePhoto, folder, [await grey()], settings)
    expect(report).toMatchObject({ steps: [], isGrayscale: true, colorized: false })
    expect(warnings).toEqual([expect.stringContaining('not colorized')])
  })
})

test('restores faces according to fidelity, and skips it without the models', async () => {
  const portrait = join(folder, 'portrait.png')
  await sharp(join(await documentationSamples(), 'portrait.jpg'))
    .resize(200)
    .toFile(portrait)
  const settings = { scratchRemoval: false, denoise: false }
  for (const id of ['codeformer', 'gfpgan-1.4']) replaceModel(id, 'absent')
  const without = await run(restorePhoto, folder, [portrait], settings)
  expect(without.report).toMatchObject({ steps: [], facesEnhanced: 0 })
  expect(without.warnings).toEqual([expect.stringContaining('Faces are not restored')])
  // The negative of its input.
  stubModel(folder, 'gfpgan-1.4', {
    inputs: [{ name: 'input', shape: [1, 3, 512, 512] }],
    outputs: [{ name: 'output', shape: [1, 3, 512, 512] }],
    nodes: [{ op: 'Neg', inputs: ['input'], outputs: ['output'] }],
  })
  const given = (await readPixels(portrait)).data
  const restored = await run(restorePhoto, folder, [portrait], { ...settings, fidelity: 0.6 })
  expect(restored.report).toMatchObject({ steps: ['face_enhancement'], facesEnhanced: 1 })
  const { data } = await readPixels(restored.paths[0]!)
  // Two fifths of the way to the negative: a sample v becomes v + 0.4 * (255 - 2 v), where the face counts fully.
  const most = given.reduce((sum, value, index) => Math.max(sum, Math.abs(data[index]! - value)), 0)
  expect(most).toBeGreaterThan(20)
  expect(most).toBeLessThanOrEqual(0.4 * 255 + 1)
  const { report } = await run(restorePhoto, folder, [portrait], { ...settings, fidelity: 1 })
  expect(report).toMatchObject({ steps: [], facesEnhanced: 0 })
})
