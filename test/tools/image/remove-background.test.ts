import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { replaceModel } from '../../../src/models/store/installed.ts'
import backgroundReplace from '../../../tools/image/background/background-replace.ts'
import blurBackground from '../../../tools/image/background/blur-background.ts'
import removeBackground from '../../../tools/image/background/remove-background.ts'
import removeGifBackground from '../../../tools/image/background/remove-gif-background.ts'
import { redIsSubject } from '../../helpers/matting.ts'
import { stubModel } from '../../helpers/models.ts'
import { png16, put, read16 } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
stubModel(folder, 'u2netp', redIsSubject(320))

/** A red square, 40 px wide, in the middle of green. */
const scene = (mime: 'png' | 'jpeg' = 'png') =>
  sharp({ create: { width: 120, height: 80, channels: 3, background: '#00c800' } })
    .composite([
      { input: { create: { width: 40, height: 40, channels: 3, background: '#ff0000' } }, left: 40, top: 20 },
    ])
    .toFormat(mime)

async function rgba(path: string) {
  const { data, info } = await sharp(path).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: 4 }
}

const at = (
  { data, width, channels }: { data: Uint8Array | Uint16Array; width: number; channels: number },
  x: number,
  y: number,
) => [...data.subarray((y * width + x) * channels, (y * width + x + 1) * channels)]

const picture = () => put(folder, 'scene.png', scene())
const [SUBJECT, GROUND] = [
  [60, 40],
  [10, 10],
] as const

async function colours(path: string) {
  const pixels = await rgba(path)
  return { subject: at(pixels, ...SUBJECT), ground: at(pixels, ...GROUND) }
}

test('cuts out the subject, and the report names the model', async () => {
  const { paths, names, report } = await run(removeBackground, folder, [await picture()])
  expect(names).toEqual(['scene_nobg.png'])
  expect(report).toMatchObject({ model: 'u2netp' })
  expect(await colours(paths[0]!)).toEqual({ subject: [255, 0, 0, 255], ground: [0, 0, 0, 0] })
})

test.each(['png', 'webp', 'avif'])('removes the colours of the background at alpha 0 of %s', async (outputFormat) => {
  const hidden = async (settings: Record<string, unknown>) => {
    const { paths } = await run(removeBackground, folder, [await picture()], { outputFormat, ...settings })
    const { data } = await rgba(paths[0]!)
    const clear = Array.from({ length: data.length / 4 }, (_, at) => data.subarray(at * 4, at * 4 + 4)).filter(
      ([, , , alpha]) => alpha === 0,
    )
    expect(clear.length).toBeGreaterThan(5000)
    return clear.filter(([red, green, blue]) => red! + green! + blue! > 0).length / clear.length
  }
  expect(await hidden({})).toBe(0)
  expect(await hidden({ decontaminate: true })).toBe(0)
  expect(await hidden({ keepColors: true })).toBe(1)
})

describe('behind the subject', () => {
  test.each([
    ['a colour', { backgroundType: 'color', backgroundColor: '#1e3a8a' }, [30, 58, 138, 255]],
    [
      'a gradient',
      { backgroundType: 'gradient', gradientColor1: '#ff00ff', gradientColor2: '#000000', gradientAngle: 0 },
      undefined,
    ],
    ['a shadow alone', { shadowEnabled: true, shadowOpacity: 80 }, [0, 0, 0, 0]],
  ] as const)('%s', async (_, settings, wanted) => {
    const { paths } = await run(removeBackground, folder, [await picture()], settings)
    const { subject, ground } = await colours(paths[0]!)
    expect(subject).toEqual([255, 0, 0, 255])
    if (wanted) expect(ground[3] === 0 ? [0, 0, 0, 0] : ground).toEqual(wanted)
  })

  test('a gradient follows its angle', async () => {
    const settings = { backgroundType: 'gradient', gradientColor1: '#ffffff', gradientColor2: '#000000' }
    const { paths } = await run(removeBackground, folder, [await picture()], settings)
    const pixels = await rgba(paths[0]!)
    expect(at(pixels, 5, 2)[0]).toBeGreaterThan(240)
    expect(at(pixels, 5, 77)[0]).toBeLessThan(15)
  })

  test('a shadow is below the subject and clipped at the canvas', async () => {
    const settings = { shadowEnabled: true, shadowOpacity: 100 }
    const { paths } = await run(removeBackground, folder, [await picture()], settings)
    const pixels = await rgba(paths[0]!)
    const below = at(pixels, 60, 62)
    expect(below.slice(0, 3)).toEqual([0, 0, 0])
    expect(below[3]).toBeGreaterThan(80)
    expect(at(pixels, 60, 14)[3]).toBeLessThan(below[3]!)
  })

  test('another picture covers the background', async () => {
    const behind = await put(
      folder,
      'behind.png',
      sharp({ create: { width: 50, height: 50, channels: 3, background: '#0000ff' } }).png(),
    )
    const settings = { backgroundType: 'image' }
    const { paths } = await run(removeBackground, folder, [await picture()], settings, {
      secondary: { backgroundImage: behind },
    })
    expect(await colours(paths[0]!)).toEqual({ subject: [255, 0, 0, 255], ground: [0, 0, 255, 255] })
    await expect(run(removeBackground, folder, [await picture()], settings)).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
    })
  })

  test('a blur only applies to the background, without a halo of the subject', async () => {
    const settings = { backgroundType: 'blur', blurIntensity: 20 }
    const { paths } = await run(removeBackground, folder, [await picture()], settings)
    const pixels = await rgba(paths[0]!)
    const near = at(pixels, 36, 40)
    expect(near[0]).toBeLessThan(12)
    expect(Math.abs(near[1]! - 200)).toBeLessThan(12)
    expect(near[3]).toBe(255)
    expect(at(pixels, 60, 40)).toEqual([255, 0, 0, 255])
  })

  test('names missing colours', async () => {
    const settings = { backgroundType: 'color' }
    await expect(run(removeBackground, folder, [await picture()], settings)).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
    })
  })
})

test('keeps 16 bit, and transparent parts', async () => {
  const data = Uint16Array.from({ length: 30 * 20 * 4 }, (_, i) => [60_123, 300, 300, i < 1200 ? 0 : 65535][i % 4]!)
  data.set([0, 60_000, 0, 65535], 20 * 30 * 4 - 4)
  const deep = await put(folder, 'deep.png', await png16({ data, width: 30, height: 20, channels: 4 }))
  const { paths } = await run(removeBackground, folder, [deep], { keepFringes: true })
  const result = await read16(paths[0]!)
  expect(at(result, 15, 15)[0]).toBe(60_123)
  expect(at(result, 15, 2)[3]).toBe(0)
})

test('background-replace and blur-background write opaque pictures', async () => {
  const replaced = await run(backgroundReplace, folder, [await picture()], { color: '#0000ff', feather: 2 })
  expect(replaced.names).toEqual(['scene_bg.png'])
  expect(await sharp(replaced.paths[0]!).metadata()).toMatchObject({ channels: 3 })
  expect(await colours(replaced.paths[0]!)).toMatchObject({ ground: [0, 0, 255, 255] })
  const blurred = await run(blurBackground, folder, [await picture()], { intensity: 20, format: 'webp' })
  expect(blurred.names).toEqual(['scene_blurbg.webp'])
  expect((await colours(blurred.paths[0]!)).subject).toEqual([255, 0, 0, 255])
})

test('cuts out every frame of an animation, and keeps its timing', async () => {
  const frames = await Promise.all(
    [10, 60].map((left) =>
      sharp({ create: { width: 120, height: 80, channels: 3, background: '#00c800' } })
        .composite([
          { input: { create: { width: 40, height: 40, channels: 3, background: '#ff0000' } }, left, top: 20 },
        ])
        .png()
        .toBuffer(),
    ),
  )
  const moving = await put(
    folder,
    'moving.gif',
    sharp(frames, { join: { animated: true } }).gif({ delay: [80, 120], loop: 0 }),
  )
  const { paths, names } = await run(removeGifBackground, folder, [moving])
  expect(names).toEqual(['moving_nobg.webp'])
  expect(await sharp(paths[0]!, { animated: true }).metadata()).toMatchObject({ pages: 2, delay: [80, 120] })
  const { data, info } = await sharp(paths[0]!, { animated: true })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const tall = { data, width: info.width, channels: 4 }
  expect([at(tall, 30, 40)[3], at(tall, 80, 40)[3], at(tall, 30, 120)[3], at(tall, 80, 120)[3]]).toEqual([
    255, 0, 0, 255,
  ])
  const still = await put(folder, 'still.gif', scene().gif())
  await expect(run(removeGifBackground, folder, [still])).rejects.toMatchObject({ code: 'NOT_ANIMATED' })
})

test('frames without a subject are transparent, with a warning; an animation without any fails', async () => {
  const frames = await Promise.all(
    ['with', 'without'].map((name) =>
      sharp({ create: { width: 60, height: 40, channels: 3, background: name === 'with' ? '#00c800' : '#000000' } })
        .composite(
          name === 'with'
            ? [{ input: { create: { width: 20, height: 20, channels: 3, background: '#ff0000' } }, left: 20, top: 10 }]
            : [],
        )
        .png()
        .toBuffer(),
    ),
  )
  const animated = (own: readonly Buffer[], name: string) =>
    put(folder, name, sharp([...own], { join: { animated: true } }).gif({ delay: [80, 120], loop: 0 }))
  const { paths, warnings } = await run(removeGifBackground, folder, [await animated(frames, 'leaves.gif')])
  expect(warnings).toEqual([expect.stringMatching(/No subject was found in 1 of 2 frames/)])
  const { data, info } = await sharp(paths[0]!, { animated: true })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const tall = { data, width: info.width, channels: 4 }
  expect([at(tall, 30, 20)[3], at(tall, 30, 60)[3]]).toEqual([255, 0])
  const none = await animated([frames[1]!, await sharp(frames[1]).negate().png().toBuffer()], 'none.gif')
  await expect(run(removeGifBackground, folder, [none])).rejects.toMatchObject({ code: 'PROCESSING_FAILED' })
})

test.each(['#000000', '#c82828', '#ffffff'])('a picture of only %s has no subject', async (background) => {
  const one = await put(folder, 'one.png', sharp({ create: { width: 40, height: 40, channels: 3, background } }).png())
  await expect(run(removeBackground, folder, [one])).rejects.toMatchObject({ message: /No subject/ })
})

test('reports a picture without a subject', async () => {
  const plain = await put(
    folder,
    'plain.png',
    sharp({ create: { width: 40, height: 40, channels: 3, background: '#000000' } }).png(),
  )
  await expect(run(removeBackground, folder, [plain])).rejects.toMatchObject({
    code: 'PROCESSING_FAILED',
    message: /No subject/,
  })
})

test('without models the report says what to install', async () => {
  replaceModel('u2netp', undefined)
  await expect(run(removeBackground, folder, [await picture()])).rejects.toMatchObject({
    code: 'FEATURE_NOT_INSTALLED',
    hint: /mediaproc models install background-removal/,
  })
})

test('an existing cut-out gets the same backgrounds later, pixel for pixel', async () => {
  stubModel(folder, 'u2netp', redIsSubject(320))
  const input = await picture()
  const cut = await run(removeBackground, folder, [input], { decontaminate: true }, { action: 'cut-out' })
  expect(cut.names).toEqual(['scene_mask.png', 'scene_original.png'])
  expect(cut.report).toEqual({ filename: 'scene.png', model: 'u2netp' })
  replaceModel('u2netp', 'absent')
  const settings = { backgroundType: 'blur', blurIntensity: 30, shadowEnabled: true, shadowOpacity: 60 }
  const secondary = { cutOut: cut.paths[0]! }
  const later = await run(removeBackground, folder, [cut.paths[1]!], settings, { action: 'effects', secondary })
  stubModel(folder, 'u2netp', redIsSubject(320))
  const atOnce = await run(removeBackground, folder, [input], { ...settings, decontaminate: true })
  expect((await rgba(later.paths[0]!)).data.equals((await rgba(atOnce.paths[0]!)).data)).toBe(true)
  const small = await put(folder, 'small.png', sharp(cut.paths[0]!).resize(30, 20).png())
  await expect(
    run(removeBackground, folder, [input], settings, { action: 'effects', secondary: { cutOut: small } }),
  ).rejects.toMatchObject({ code: 'INVALID_SETTINGS', message: /30 x 20 pixels, but its image has 120 x 80/ })
})
