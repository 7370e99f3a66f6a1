import sharp from 'sharp'
import { describe, expect, onTestFinished, test } from 'vitest'
import { replaceModel } from '../../../src/models/store/installed.ts'
import smartCrop from '../../../tools/image/geometry/smart-crop.ts'
import { animation, at, fromSamples, plain, png16, put, ramp16, readPixels, readRgba } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const cropped = (input: string, settings: Record<string, unknown>) => run(smartCrop, folder, [input], settings)
const sizeOf = async (path: string) => {
  const { width, height } = await sharp(path).metadata()
  return [width, height]
}

/** A grey wall with one lively square near the right edge. */
async function wall(): Promise<string> {
  const lively = Buffer.from(
    `<svg width="80" height="80">${Array.from({ length: 64 }, (_, i) => `<rect x="${(i % 8) * 10}" y="${Math.floor(i / 8) * 10}" width="10" height="10" fill="${(i + Math.floor(i / 8)) % 2 ? '#ff2020' : '#ffe0c0'}"/>`).join('')}</svg>`,
  )
  return put(
    folder,
    'wall.png',
    plain(600, 200, '#808080')
      .composite([{ input: lively, left: 500, top: 60 }])
      .png(),
  )
}

const reds = async (path: string): Promise<number> => {
  const { data } = await sharp(path).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  let count = 0
  for (let index = 0; index < data.length; index += 3) if (data[index]! > 200 && data[index + 2]! < 100) count += 1
  return count
}

describe('subject', () => {
  test.each(['attention', 'entropy'])('%s finds the salient part', async (strategy) => {
    const { paths, names } = await cropped(await wall(), { width: 200, height: 200, strategy })
    expect(await sizeOf(paths[0]!)).toEqual([200, 200])
    expect(names[0]).toBe('wall_smartcrop.png')
    expect(await reds(paths[0]!)).toBeGreaterThan(2500)
  })

  test('1080 x 1080 by default, also with only one side given', async () => {
    expect(await sizeOf((await cropped(await wall(), {})).paths[0]!)).toEqual([1080, 1080])
    expect(await sizeOf((await cropped(await wall(), { width: 300 })).paths[0]!)).toEqual([300, 1080])
  })

  test('padding gets closer', async () => {
    const none = await reds((await cropped(await wall(), { width: 200, height: 200 })).paths[0]!)
    const { paths } = await cropped(await wall(), { width: 200, height: 200, padding: 50 })
    expect(await sizeOf(paths[0]!)).toEqual([200, 200])
    expect(await reds(paths[0]!)).not.toBe(none)
  })

  test('supports deprecated names of modes', async () => {
    expect(await sizeOf((await cropped(await wall(), { mode: 'attention', width: 50, height: 50 })).paths[0]!)).toEqual(
      [50, 50],
    )
    expect(await sizeOf((await cropped(await wall(), { mode: 'content' })).paths[0]!)).toEqual([80, 80])
  })
})

describe('trim', () => {
  test('cuts plain borders exactly', async () => {
    const { paths } = await cropped(await wall(), { mode: 'trim' })
    expect(await sizeOf(paths[0]!)).toEqual([80, 80])
    expect(at(await readRgba(paths[0]!), 0, 0)).toEqual([255, 224, 192])
  })

  test('the threshold determines the border', async () => {
    const faint = await put(
      folder,
      'faint.png',
      plain(100, 100, '#808080')
        .composite([{ input: await plain(40, 40, '#949494').png().toBuffer(), left: 30, top: 30 }])
        .png(),
    )
    expect(await sizeOf((await cropped(faint, { mode: 'trim', threshold: 5 })).paths[0]!)).toEqual([40, 40])
    expect(await sizeOf((await cropped(faint, { mode: 'trim', threshold: 60 })).paths[0]!)).toEqual([100, 100])
  })

  test('a square of the longer side, or of the requested size, on a colour', async () => {
    const wide = await put(
      folder,
      'wide.png',
      plain(200, 100, '#ffffff')
        .composite([{ input: await plain(120, 40, '#000000').png().toBuffer(), left: 40, top: 30 }])
        .png(),
    )
    const padded = (await cropped(wide, { mode: 'trim', padToSquare: true, padColor: '#00ff00' })).paths[0]!
    expect(await sizeOf(padded)).toEqual([120, 120])
    const pixels = await readRgba(padded)
    expect([at(pixels, 60, 5), at(pixels, 60, 60)]).toEqual([
      [0, 255, 0],
      [0, 0, 0],
    ])
    expect(await sizeOf((await cropped(wide, { mode: 'trim', targetSize: 64 })).paths[0]!)).toEqual([64, 64])
  })

  test.each([
    ['1 x 1', 1, 1, [], [1, 1]],
    ['2 x 2', 2, 2, [], [2, 2]],
    ['1 x 9, plain', 1, 9, [], [1, 9]],
    ['1 x 9 with a spot', 1, 9, [3, 4], [1, 2]],
    ['9 x 2 with a spot', 9, 2, [4, 5, 13, 14], [2, 2]],
  ])('%s', async (name, width, height, spots, wanted) => {
    const data = new Uint8Array(width * height * 3).fill(255)
    for (const spot of spots) data.fill(0, spot * 3, spot * 3 + 3)
    const thin = await put(folder, `${name}.png`, fromSamples({ data, width, height, channels: 3 }).png())
    const { paths } = await cropped(thin, { mode: 'trim' })
    expect(await sizeOf(paths[0]!)).toEqual(wanted)
    if (spots.length > 0) expect(at(await readPixels(paths[0]!), 0, 0)).toEqual([0, 0, 0])
  })

  test('keeps a completely plain picture', async () => {
    const one = await put(folder, 'one.png', plain(30, 20, '#123456').png())
    expect(await sizeOf((await cropped(one, { mode: 'trim' })).paths[0]!)).toEqual([30, 20])
  })
})

test('faces require models', async () => {
  replaceModel('yunet-2023mar', 'absent')
  onTestFinished(() => replaceModel('yunet-2023mar', undefined))
  await expect(cropped(await wall(), { mode: 'face' })).rejects.toMatchObject({ code: 'FEATURE_NOT_INSTALLED' })
})

test('keeps 16 bit; takes the first frame of an animation; quality applies', async () => {
  const deep = await put(folder, 'deep.png', await png16(ramp16(80, 60, 3)))
  const { paths } = await cropped(deep, { width: 40, height: 40 })
  expect((await sharp(paths[0]!).metadata()).depth).toBe('ushort')
  const moving = await cropped(await animation(`${folder}/moving.gif`, ['#ff0000', '#00ff00']), {
    width: 20,
    height: 20,
  })
  expect((await sharp(moving.paths[0]!).metadata()).pages ?? 1).toBe(1)
  expect(moving.warnings).toHaveLength(1)
  const jpeg = await put(folder, 'wall.jpg', sharp(await wall()).jpeg())
  const sizes = await Promise.all(
    [20, 95].map(
      async (quality) =>
        (await sharp((await cropped(jpeg, { width: 200, height: 200, quality })).paths[0]!).toBuffer()).length,
    ),
  )
  expect(sizes[0]).toBeLessThan(sizes[1]!)
})
