import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import upscale from '../../../tools/image/restore/upscale.ts'
import { fromSamples, photo, png16, put, read16, readPixels } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** Slanted edges and letters: resampling blurs them, and networks were trained for them. */
const edges = (size: number) =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" width="${size}" height="${size}"><rect width="96" height="96" fill="#e8d8b0"/><path d="M5 90 40 8 60 70 92 4" stroke="#203040" stroke-width="5" fill="none"/><circle cx="66" cy="60" r="17" fill="#b03020"/></svg>`,
    ),
  ).removeAlpha()

const half = async () => {
  const reference = await edges(96).raw().toBuffer()
  return put(
    folder,
    'half.png',
    fromSamples({ data: reference, width: 96, height: 96, channels: 3 }).resize(48, 48).png(),
  )
}

/** Mean squared error: lower is better. */
async function error(path: string, reference: Buffer): Promise<number> {
  const { data } = await readPixels(path)
  return data.reduce((sum, value, at) => sum + (value - reference[at]!) ** 2, 0) / data.length
}

test('the network restores more than resampling', async () => {
  const input = await half()
  const reference = await edges(96).raw().toBuffer()
  const network = await run(upscale, folder, [input])
  const plain = await run(upscale, folder, [input], { model: 'lanczos' })
  expect(network.names).toEqual(['half_2x.png'])
  expect(network.report).toMatchObject({ width: 96, height: 96, method: 'rdn' })
  expect(plain.report).toMatchObject({ width: 96, height: 96, method: 'lanczos' })
  expect(network.warnings).toEqual([])
  // 1.5 dB less error at least.
  expect(await error(network.paths[0]!, reference)).toBeLessThan((await error(plain.paths[0]!, reference)) / 1.41)
})

test.each([2, 3, 4])('a flat colour stays flat up to the border, ×%i', async (scale) => {
  const plain = sharp({ create: { width: 21, height: 17, channels: 3, background: { r: 200, g: 10, b: 10 } } })
  const { paths, report } = await run(upscale, folder, [await put(folder, 'flat.png', plain.png())], { scale })
  expect(report).toMatchObject({ method: 'rdn' })
  const { data } = await readPixels(paths[0]!)
  const off = Array.from(data, (value, at) => Math.abs(value - [200, 10, 10][at % 3]!))
  expect(Math.max(...off)).toBeLessThanOrEqual(6)
})

describe('sizes and formats', () => {
  test.each([
    [1, 24, 16],
    [1.5, 36, 24],
    [3, 72, 48],
    [3.3, 79, 53],
    [4, 96, 64],
  ])('%d times', async (scale, width, height) => {
    const input = await put(folder, 'photo.jpg', fromSamples(photo(24, 16)).jpeg({ quality: 95 }))
    const { paths, report, names } = await run(upscale, folder, [input], { scale, format: 'webp' })
    expect(report).toMatchObject({ width, height, method: 'rdn' })
    expect(names).toEqual([`photo_${scale}x.webp`])
    expect(await sharp(paths[0]!).metadata()).toMatchObject({ width, height, format: 'webp' })
  })

  test('enlarges alpha with the colours', async () => {
    const given = photo(20, 20, 4)
    const { paths } = await run(upscale, folder, [await put(folder, 'alpha.png', fromSamples(given).png())])
    const alpha = await sharp(paths[0]!).extractChannel(3).raw().toBuffer()
    const wanted = await fromSamples(given).resize(40, 40, { kernel: 'lanczos3' }).extractChannel(3).raw().toBuffer()
    expect(Math.max(...alpha.map((value, at) => Math.abs(value - wanted[at]!)))).toBeLessThanOrEqual(2)
  })

  test('keeps 16 bit and grey', async () => {
    const { data: shallow, ...shape } = photo(24, 16)
    const samples = { ...shape, data: Uint16Array.from(shallow, (value, at) => value * 256 + (at % 200)) }
    const deep = await put(folder, 'deep.png', await png16(samples))
    const { paths } = await run(upscale, folder, [deep])
    const { data } = await read16(paths[0]!)
    expect(new Set(data.map((value) => value % 257)).size).toBeGreaterThan(1)
    const grey = await put(
      folder,
      'grey.png',
      fromSamples(photo(24, 16, 1))
        .toColourspace('b-w')
        .png(),
    )
    const enlarged = await run(upscale, folder, [grey])
    expect(await sharp(enlarged.paths[0]!).metadata()).toMatchObject({ channels: 1, width: 48 })
  })
})

test('tiles of a large picture equal a single run', async () => {
  const wide = photo(300, 24)
  const whole = await run(upscale, folder, [await put(folder, 'wide.png', fromSamples(wide).png())])
  // The middle, around the seam of the two tiles, as a separate picture: far from its own edges it must be equal.
  const cut = fromSamples(wide).extract({ left: 80, top: 0, width: 140, height: 24 })
  const middle = await run(upscale, folder, [await put(folder, 'middle.png', cut.png())])
  const options = { resolveWithObject: false } as const
  const seam = { left: 240, top: 0, width: 120, height: 48 }
  const a = await sharp(whole.paths[0]!).extract(seam).raw().toBuffer(options)
  const b = await sharp(middle.paths[0]!)
    .extract({ ...seam, left: 80 })
    .raw()
    .toBuffer(options)
  expect(Math.max(...a.map((value, at) => Math.abs(value - b[at]!)))).toBeLessThanOrEqual(1)
})

test('refuses an unknown model', async () => {
  const input = await half()
  await expect(run(upscale, folder, [input], { model: 'nobody' })).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
})
