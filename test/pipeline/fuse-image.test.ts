import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import * as encoding from '../../src/media/image/encode/encode.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import { fromSamples, jpegWithProfile, photo, pngWithProfile, put, swappedProfile } from '../helpers/picture.ts'
import { type ChainStep, fused, stepByStep } from '../helpers/pipeline.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const encodeImage = vi.spyOn(encoding, 'encodeImage')

const folder = temporaryFolder()

beforeAll(useScannedCatalogue)

/** Mean and largest distance of two pictures' samples, 0 to 255 (or 65535 with 16 bit). */
async function distance(one: string, other: string): Promise<{ mean: number; most: number }> {
  const [a, b] = await Promise.all(
    [one, other].map((path) => sharp(path, { animated: true }).raw({ depth: 'ushort' }).toBuffer()),
  )
  expect(a!.length).toBe(b!.length)
  let sum = 0
  let most = 0
  for (let at = 0; at < a!.length; at += 2) {
    const apart = Math.abs(a!.readUInt16LE(at) - b!.readUInt16LE(at))
    sum += apart
    most = Math.max(most, apart)
  }
  return { mean: sum / (a!.length / 2), most }
}

const GEOMETRY: ChainStep[] = [
  ['image/resize', { width: 160 }],
  ['image/crop', { left: 10, top: 5, width: 120, height: 80 }],
  ['image/rotate', { angle: 90 }],
  ['image/duotone', { shadow: '#102040', highlight: '#ffeecc' }],
]

async function both(
  steps: readonly ChainStep[],
  input: string,
): Promise<{ one: string; many: string; encodes: number }> {
  encodeImage.mockClear()
  const one = (await fused(steps, folder, input)).paths[0]!
  const encodes = encodeImage.mock.calls.length
  return { one, many: await stepByStep(steps, folder, input), encodes }
}

describe('a chain of image steps', () => {
  test('lossless: equals the single steps pixel for pixel, with one encode', async () => {
    const input = await put(folder, 'plain.png', fromSamples(photo(240, 180)).png())
    const { one, many, encodes } = await both(GEOMETRY, input)
    expect(encodes).toBe(1)
    expect(await distance(one, many)).toEqual({ mean: 0, most: 0 })
    expect(await sharp(one).metadata()).toMatchObject({ format: 'png', width: 80, height: 120 })
  })

  test('JPEG: within what three further encodes at quality 95 lose', async () => {
    const input = await put(folder, 'photo.jpg', fromSamples(photo(240, 180)).jpeg({ quality: 90 }))
    const { one, many, encodes } = await both(GEOMETRY.slice(0, 3), input)
    expect(encodes).toBe(1)
    const { mean } = await distance(one, many)
    expect(mean).toBeGreaterThan(0)
    expect(mean).toBeLessThan(2.5)
  })

  test('applies EXIF orientation once', async () => {
    const upright = fromSamples(photo(120, 60)).jpeg({ quality: 95 }).withMetadata({ orientation: 6 })
    const input = await put(folder, 'turned.jpg', upright)
    const { one, many } = await both(
      [
        ['image/resize', { width: 30 }],
        ['image/rotate', { angle: 90 }],
      ],
      input,
    )
    const facts = await sharp(one).metadata()
    expect([facts.width, facts.height, facts.orientation ?? 1]).toEqual([60, 30, 1])
    expect((await distance(one, many)).mean).toBeLessThan(3)
  })

  test('keeps 16 bit, alpha and the profile through the chain', async () => {
    const { width, height, data } = photo(96, 64, 4)
    const deep = Uint16Array.from(
      data,
      (value, index) => value * 257 - (index % 4 < 3 ? index % 199 : 0) * (value > 1 ? 1 : 0),
    )
    const plain = await sharp(deep, { raw: { width, height, channels: 4 } })
      .toColourspace('rgb16')
      .png()
      .toBuffer()
    const input = join(folder, 'deep.png')
    writeFileSync(input, pngWithProfile(plain, swappedProfile()))
    const { one, many } = await both(
      [
        ['image/crop', { left: 3, top: 4, width: 60, height: 40 }],
        ['image/rotate', { angle: 90 }],
      ],
      input,
    )
    const facts = await sharp(one).metadata()
    expect(facts).toMatchObject({ depth: 'ushort', hasAlpha: true, width: 40, height: 60 })
    expect(facts.icc?.length).toBe(swappedProfile().length)
    expect(await distance(one, many)).toEqual({ mean: 0, most: 0 })
  })

  test('a JPEG keeps its own profile', async () => {
    const jpeg = await fromSamples(photo(96, 64)).jpeg({ quality: 95 }).toBuffer()
    const input = join(folder, 'profiled.jpg')
    writeFileSync(input, jpegWithProfile(jpeg, swappedProfile()))
    const { one } = await both(
      [
        ['image/resize', { width: 48 }],
        ['image/rotate', { angle: 180 }],
      ],
      input,
    )
    expect((await sharp(one).metadata()).icc?.equals(swappedProfile())).toBe(true)
  })

  test('an animation keeps its frames and their times', async () => {
    const frames = await Promise.all(
      ['#ff0000', '#00ff00', '#0000ff'].map((background) =>
        sharp({ create: { width: 40, height: 30, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    )
    const input = join(folder, 'moving.gif')
    const animation = sharp(frames as never, { join: { animated: true } })
    writeFileSync(input, await animation.gif({ delay: [100, 250, 400], loop: 2 }).toBuffer())
    const steps: ChainStep[] = [
      ['image/resize', { width: 20 }],
      ['image/crop', { left: 0, top: 0, width: 10, height: 15 }],
      ['image/convert', { format: 'webp' }],
    ]
    const { one, many, encodes } = await both(steps, input)
    expect(encodes).toBe(1)
    expect(await sharp(one).metadata()).toMatchObject({
      format: 'webp',
      pages: 3,
      delay: [100, 250, 400],
      loop: 2,
      width: 10,
    })
    expect((await distance(one, many)).mean).toBeLessThan(2)
  })

  test('loses what a format in the middle does not support, as the single steps do', async () => {
    const input = await put(folder, 'clear.png', fromSamples(photo(60, 40, 4)).png())
    const steps: ChainStep[] = [
      ['image/convert', { format: 'jpg', quality: 100 }],
      ['image/resize', { width: 30 }],
      ['image/convert', { format: 'png' }],
    ]
    const { one, many } = await both(steps, input)
    expect((await sharp(one).metadata()).hasAlpha).toBe(false)
    expect((await distance(one, many)).mean).toBeLessThan(2)
  })

  test('fuses a preset among the steps, with its fixed settings', async () => {
    const input = await put(folder, 'preset.png', fromSamples(photo(60, 40)).png())
    const steps: ChainStep[] = [
      ['image/resize', { width: 30 }],
      ['image/png-to-webp', { quality: 90 }],
    ]
    const { one, many, encodes } = await both(steps, input)
    expect(encodes).toBe(1)
    expect((await sharp(one).metadata()).format).toBe('webp')
    expect((await distance(one, many)).mean).toBeLessThan(1)
  })
})
