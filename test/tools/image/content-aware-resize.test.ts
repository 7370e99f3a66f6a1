import sharp from 'sharp'
import { describe, expect, onTestFinished, test } from 'vitest'
import { replaceModel } from '../../../src/models/store/installed.ts'
import contentAwareResize from '../../../tools/image/geometry/content-aware-resize.ts'
import { animation, fromSamples, photo, plain, png16, put, quarters, ramp16 } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const resized = (input: string, settings: Record<string, unknown>) => run(contentAwareResize, folder, [input], settings)
const sizeOf = async (path: string) => {
  const { width, height, format } = await sharp(path).metadata()
  return [width, height, format]
}

/** Flat blue with a striped red square that must be kept. */
async function scene(width = 300, height = 200): Promise<string> {
  const stripes = Buffer.from(
    `<svg width="60" height="60">${Array.from({ length: 10 }, (_, i) => `<rect x="${i * 6}" width="3" height="60" fill="#ff0000"/>`).join('')}</svg>`,
  )
  return put(
    folder,
    `scene-${width}.png`,
    plain(width, height, '#2040a0')
      .composite([{ input: stripes, left: 180, top: 70 }])
      .png(),
  )
}

const reds = async (path: string): Promise<number> => {
  const { data } = await sharp(path).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  let count = 0
  for (let at = 0; at < data.length; at += 3) if (data[at]! > 200 && data[at + 2]! < 60) count += 1
  return count
}

describe('size', () => {
  test.each([
    [{ width: 200 }, [200, 200, 'png']],
    [{ height: 120 }, [300, 120, 'png']],
    [{ width: 150, height: 150 }, [150, 150, 'png']],
    [{ square: true }, [200, 200, 'png']],
    [{ square: true, width: 90 }, [90, 90, 'png']],
    [{ width: 20 }, [20, 200, 'png']],
    [{ width: 1, height: 1 }, [1, 1, 'png']],
  ])('%j', async (settings, size) => {
    const { paths, names, report } = await resized(await scene(), settings)
    expect(await sizeOf(paths[0]!)).toEqual(size)
    expect(report).toMatchObject({ width: size[0], height: size[1] })
    expect(names[0]).toMatch(/_seam\.png$/)
  })

  test('never enlarges, with a note', async () => {
    const { paths, warnings } = await resized(await scene(), { width: 900, height: 150 })
    expect(await sizeOf(paths[0]!)).toEqual([300, 150, 'png'])
    expect(warnings[0]).toContain('300 x 200')
  })

  test('scales a longer side than 1200 down first', async () => {
    const input = await put(folder, 'large.jpg', fromSamples(photo(2400, 1200)).jpeg())
    expect(await sizeOf((await resized(input, { width: 1000 })).paths[0]!)).toEqual([1000, 600, 'png'])
  })

  test('refuses an unchanged size', async () => {
    await expect(resized(await scene(), {})).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  })
})

test('keeps areas with edges, removes flat ones', async () => {
  const input = await scene()
  const before = await reds(input)
  expect(await reds((await resized(input, { width: 150 })).paths[0]!)).toBe(before)
  expect(await reds((await resized(input, { height: 100 })).paths[0]!)).toBe(before)
  const plainly = await sharp(input).resize(150, 200, { fit: 'fill' }).png().toFile(`${folder}/plain.png`)
  expect(plainly.width).toBe(150)
  expect(await reds(`${folder}/plain.png`)).toBeLessThan(before * 0.7)
})

test('ignores grain if it is blurred', async () => {
  const { data, info } = await sharp(await scene())
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  for (let at = 0; at < data.length; at += 1) data[at] = Math.max(0, Math.min(255, data[at]! + ((at * 7919) % 31) - 15))
  const input = await put(folder, 'grain.png', sharp(data, { raw: info }).png())
  const kept = await reds((await resized(input, { width: 180, blurRadius: 2, sobelThreshold: 20 })).paths[0]!)
  expect(kept).toBeGreaterThan((await reds(input)) * 0.95)
})

test('faces: warns that they are not protected only on request', async () => {
  const input = await scene()
  replaceModel('yunet-2023mar', 'absent')
  onTestFinished(() => replaceModel('yunet-2023mar', undefined))
  expect((await resized(input, { width: 280 })).warnings).toEqual([])
  expect((await resized(input, { width: 280, protectFaces: true })).warnings[0]).toContain('face-detection')
  expect((await resized(input, { width: 280, protectFaces: false })).warnings).toEqual([])
})

test('alpha, 16 bit, CMYK and animations', async () => {
  const clear = await put(
    folder,
    'clear.png',
    sharp(await quarters(40, 40))
      .ensureAlpha(0.5)
      .png(),
  )
  const { channels, hasAlpha } = await sharp((await resized(clear, { width: 30 })).paths[0]!).metadata()
  expect([channels, hasAlpha]).toEqual([4, true])
  const deep = await put(folder, 'deep.png', await png16(ramp16(40, 40, 3)))
  const output = (await resized(deep, { width: 30 })).paths[0]!
  expect((await sharp(output).metadata()).depth).toBe('ushort')
  const cmyk = await put(folder, 'cmyk.jpg', plain(40, 40, '#ff0000').toColourspace('cmyk').jpeg())
  expect((await sharp((await resized(cmyk, { width: 30 })).paths[0]!).metadata()).space).toBe('srgb')
  const moving = await resized(await animation(`${folder}/moving.gif`, ['#ff0000', '#00ff00']), { square: true })
  expect(moving.warnings[0]).toContain('animation')
})
