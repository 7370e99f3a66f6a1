import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import sharp from 'sharp'
import { afterEach, expect, test, vi } from 'vitest'
import svgToRaster from '../../../tools/image/convert/svg-to-raster.ts'
import { at, CORPUS, plain, put, readPixels, readRgba } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
afterEach(() => vi.unstubAllEnvs())

/** The left half red, the right half transparent. */
const drawing = (size: string, inside = '<rect width="50" height="50" fill="#ff0000"/>'): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${size} viewBox="0 0 100 50">${inside}</svg>`,
  )

const half = () => put(folder, 'half.svg', drawing('width="100" height="50"'))

async function made(path: string, settings: Record<string, unknown> = {}) {
  const { paths, names } = await run(svgToRaster, folder, [path], settings)
  const { width, height, format } = await sharp(paths[0]!).metadata()
  return { path: paths[0]!, name: names[0]!, size: [width, height], format }
}

test('300 dpi by default: 300 / 72 times its own size, as PNG without a background', async () => {
  const { path, name, size } = await made(await half())
  expect([name, ...size]).toEqual(['half.png', 417, 208])
  const pixels = await readRgba(path)
  expect(at(pixels, 100, 100)).toEqual([255, 0, 0])
  expect(at(pixels, 300, 100)[3]).toBe(0)
})

test.each([
  [{ dpi: 72 }, [100, 50]],
  [{ dpi: 36 }, [50, 25]],
  [{ dpi: 2400 }, [3333, 1667]],
  [{ dpi: 144, scale: 0.5 }, [100, 50]],
  [{ dpi: 72, scale: 100 }, [10000, 5000]],
  [{ dpi: 72, scale: 0.01 }, [1, 1]],
  [{ width: 333 }, [333, 167]],
  [{ height: 10 }, [20, 10]],
  [{ width: 1000, height: 100 }, [200, 100]],
  [{ width: 100, height: 1000 }, [100, 50]],
  [{ width: 1 }, [1, 1]],
  [{ width: 640, scale: 3, dpi: 36 }, [640, 320]],
])('%j is %j', async (settings, size) => {
  expect((await made(await half(), settings)).size).toEqual(size)
})

test('a size in inches equals a size in pixels', async () => {
  const inches = await put(folder, 'inches.svg', drawing('width="1in" height="0.5in"'))
  expect((await made(inches, { dpi: 72 })).size).toEqual([96, 48])
  expect((await made(inches, { dpi: 144 })).size).toEqual([192, 96])
  expect((await made(inches, { width: 500 })).size).toEqual([500, 250])
})

test('draws at the size of the result, without enlarging', async () => {
  const { path } = await made(await half(), { width: 2000, dpi: 36 })
  const pixels = await readRgba(path)
  // The edge between red and transparent is sharp.
  expect([at(pixels, 998, 500), at(pixels, 1001, 500)[3]]).toEqual([[255, 0, 0], 0])
})

test('a background fills transparent parts; its alpha only says that there is one', async () => {
  for (const background of ['#00ff00', '#00ff0080', '#00FF00FF'])
    expect(at(await readPixels((await made(await half(), { dpi: 72, background })).path), 75, 25)).toEqual([0, 255, 0])
  for (const background of ['#00000000', 'transparent'])
    expect(at(await readRgba((await made(await half(), { dpi: 72, background })).path), 75, 25)[3]).toBe(0)
  expect(at(await readPixels((await made(await half(), { dpi: 72, background: '#000000' })).path), 75, 25)).toEqual([
    0, 0, 0,
  ])
  await expect(made(await half(), { background: '#00000' })).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
    message: 'Expected a colour as #RRGGBB, #RRGGBBAA or in CSS (red, rgb(255 0 0 / 50%)) for background, got #00000',
  })
})

test.each([
  ['jpeg', 'half.jpg', 'jpeg'],
  ['jpg', 'half.jpg', 'jpeg'],
  ['webp', 'half.webp', 'webp'],
  ['avif', 'half.avif', 'heif'],
  ['tiff', 'half.tiff', 'tiff'],
  ['gif', 'half.gif', 'gif'],
])('as %s it is %s', async (format, name, read) => {
  const result = await made(await half(), { dpi: 72, outputFormat: format })
  expect([result.name, result.format, ...result.size]).toEqual([name, read, 100, 50])
  const [r, g, b] = at(await readRgba(result.path), 25, 25) as [number, number, number]
  expect(r).toBeGreaterThan(245)
  expect(Math.max(g, b)).toBeLessThan(12)
  const ground = at(await readRgba(result.path), 85, 25)
  // White where there is no alpha.
  if (read === 'jpeg') expect(Math.min(...ground)).toBeGreaterThan(245)
  else expect(ground[3]).toBe(0)
})

test('lossless TIFF', async () => {
  const { path } = await made(await half(), { dpi: 72, format: 'tiff' })
  expect(at(await readRgba(path), 25, 25)).toEqual([255, 0, 0])
})

test('decompresses SVGZ, except for a bomb', async () => {
  const packed = await put(folder, 'packed.svgz', gzipSync(drawing('width="100" height="50"')))
  const { name, size } = await made(packed, { dpi: 72 })
  expect([name, ...size]).toEqual(['packed.png', 100, 50])
  vi.stubEnv('MAX_SVG_SIZE_MB', '1')
  const bomb = await put(folder, 'bomb.svgz', gzipSync(drawing('width="9" height="9"', ' '.repeat(2_000_000))))
  await expect(made(bomb)).rejects.toMatchObject({
    code: 'FILE_TOO_LARGE',
    message: 'bomb.svgz is when unpacked larger than 1 MB',
  })
})

test('reads nothing outside of the drawing', async () => {
  const secret = await put(folder, 'secret.png', plain(50, 50, '#00ff00').png())
  const inside = [`file://${secret}`, 'secret.png', 'http://127.0.0.1:9/secret.png']
    .map((address) => `<image xlink:href="${address}" width="100" height="50"/>`)
    .join('')
  const path = await put(folder, 'outside.svg', drawing('width="100" height="50"', inside))
  const { data } = await readRgba((await made(path, { dpi: 72 })).path)
  expect(data.every((value) => value === 0)).toBe(true)
})

test('limits entity expansion', async () => {
  const levels = Array.from({ length: 9 }, (_, index) => `<!ENTITY e${index + 1} "${`&e${index};`.repeat(10)}">`)
  const text = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY e0 "ha">${levels.join('')}]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&e9;</text></svg>`
  const path = await put(folder, 'laughs.svg', Buffer.from(text))
  await expect(made(path)).rejects.toMatchObject({ code: 'INVALID_FILE' })
})

test('refuses a size beyond the limits before drawing', async () => {
  await expect(made(await half(), { width: 20000 })).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
  const line = await put(folder, 'line.svg', drawing('width="1000" height="1"'))
  await expect(made(line, { width: 65536 })).rejects.toMatchObject({
    code: 'LIMIT_EXCEEDED',
    message: expect.stringContaining('no side may be longer than 32767'),
  })
})

test('refuses other files', async () => {
  const path = await put(folder, 'not.svg', Buffer.from('hello'))
  await expect(made(path)).rejects.toMatchObject({ code: 'UNSUPPORTED_FILE_TYPE' })
})

test.skipIf(!existsSync(CORPUS))('a real drawing', async () => {
  expect((await made(join(CORPUS, 'formats/check.svg'), { width: 256 })).size[0]).toBe(256)
})
