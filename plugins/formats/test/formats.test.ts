/** The formats of this plugin against files of other programs, files made by script, and damaged files. */
import { formatTests } from 'mediaproc/test'
import type { FormatPicture, PictureFormat } from 'mediaproc/tool'
import { describe, expect, test } from 'vitest'
import plugin from '../src/index.ts'
import { BLP_FILES, FTEX_FILES, HEIGHT, PCX_FILES, pcx, pfm, sgi16, WIDTH } from './files.ts'
import { BLOCKS, FILES, MONOCHROME, PIXELS } from './foreign.ts'

const XPM_NAMES = Buffer.from(`/* XPM */ static char * a[] = { /* size */ "4 1 4 2 0 0", "aa c green m black",
  "bb c None", "c\\" s mask c #1234abcdffff", "/* c gray50", "aabbc\\"/*" };`)
const XBM_SHORT = Buffer.from(`#define a_width 18\n#define a_height 1\nstatic short a_bits[] = { 0x0101, 0x0002 };`)
const FLOATS = [0, 0.5, 1, -1, Number.NaN, 0.25]

const SAMPLES: Readonly<Record<string, readonly Uint8Array[]>> = {
  sgi: [FILES.sgiPacked, FILES.sgiPlain, sgi16(1), sgi16(2), sgi16(4)],
  pcx: PCX_FILES,
  pfm: [pfm(FLOATS, 'f', true), pfm(FLOATS, 'F', false)],
  xbm: [FILES.xbm, XBM_SHORT],
  xpm: [FILES.xpm, XPM_NAMES],
  blp: Object.values(BLP_FILES),
  ftex: Object.values(FTEX_FILES),
}

function formatOf(id: string): PictureFormat {
  const format = plugin.formats?.find((one) => one.id === id)
  if (!format) throw new Error(`no format ${id}`)
  return format
}
const decode = (id: string, file: Uint8Array): Promise<FormatPicture> =>
  Promise.resolve(formatOf(id).decode(file, { limits: { maxPixels: 1e6, maxBytes: 1e9 } }))
const pixelsOf = async (id: string, file: Uint8Array): Promise<number[]> => [...(await decode(id, file)).pixels]

for (const format of plugin.formats ?? [])
  for (const { name, run } of formatTests(format, { files: SAMPLES[format.id] ?? [] })) test(name, run)

test.each<[string, Uint8Array]>([
  ['sgi', FILES.sgiPacked],
  ['sgi', FILES.sgiPlain],
  ['pcx', FILES.pcxPalette],
  ['pcx', FILES.pcxDirect],
  ['xpm', FILES.xpm],
])('%s of ImageMagick has its pixels', async (id, file) => {
  expect(Buffer.from((await decode(id, file)).pixels as Uint8Array).equals(PIXELS)).toBe(true)
})

test('X bitmaps: bytes of ImageMagick, and the shorts of X10', async () => {
  expect(Buffer.from(await pixelsOf('xbm', FILES.xbm)).equals(MONOCHROME)).toBe(true)
  const dark = [0, 8, 17]
  expect(await pixelsOf('xbm', XBM_SHORT)).toEqual(Array.from({ length: 18 }, (_, x) => (dark.includes(x) ? 0 : 255)))
})

test('SGI of 16 bits keeps all of them', async () => {
  const { bitDepth, channels, pixels } = await decode('sgi', sgi16(4))
  expect([bitDepth, channels, pixels[0], pixels[(2 * WIDTH + 3) * 4 + 1]]).toEqual([16, 4, 0, 21_201])
})

test.each([
  [1, 1],
  [2, 1],
  [4, 1],
  [1, 4],
  [2, 2],
])('PCX of %s bits in %s planes', async (bits, planes) => {
  const { pixels } = await decode('pcx', pcx(bits, planes))
  const colours = 2 ** (bits * planes)
  const expected = Array.from({ length: WIDTH * HEIGHT }, (_, at) => {
    const index = ((at % WIDTH) + Math.floor(at / WIDTH)) % colours
    return colours === 2 ? [255 * index, 255 * index, 255 * index] : [index, index * 2, index * 3]
  })
  expect([...pixels]).toEqual(expected.flat())
})

test('X pixmaps: X11 names, no colour, 16 bits a channel, escapes, and what looks like a comment', async () => {
  const grey = [128, 128, 128, 255]
  expect(await pixelsOf('xpm', XPM_NAMES)).toEqual([0, 255, 0, 255, 0, 0, 0, 0, 0x12, 0xab, 0xff, 255, ...grey])
})

test('float maps: 0 to 1 is the range of sRGB, and brighter pictures are scaled', async () => {
  expect(await pixelsOf('pfm', pfm(FLOATS, 'f', true))).toEqual([0, 48_192, 65_535, 0, 0, 35_199])
  expect(await pixelsOf('pfm', pfm([0, 150, 300, Number.POSITIVE_INFINITY], 'f', false))).toEqual([
    0, 48_192, 65_535, 65_535,
  ])
})

test('long damaged source is refused at once', async () => {
  const start = '#define a_width 9\n#define a_height 7\n'
  const bombs = ['/*', '/**/', 'char ', 'char a', '"\\', ' '].map((part) => part.repeat(200_000))
  for (const bomb of bombs) {
    await expect(async () => decode('xbm', Buffer.from(start + bomb))).rejects.toMatchObject({ code: 'INVALID_FILE' })
    const pixmap = Buffer.from(`/* XPM */ "9 7 2 1", "a ${bomb}`)
    await expect(async () => decode('xpm', pixmap)).rejects.toMatchObject({ code: 'INVALID_FILE' })
    expect(formatOf('xbm').detect(Buffer.from(bomb))).toBe(false)
  }
})

describe('textures', () => {
  test.each(['BC1', 'BC2', 'BC3'] as const)('BLP of %s has the pixels of Pillow', async (kind) => {
    expect(Buffer.from(await pixelsOf('blp', BLP_FILES[kind])).equals(BLOCKS[kind].pixels)).toBe(true)
  })

  test('BLP of a palette, BGRA and JPEG', async () => {
    const palette = await pixelsOf('blp', BLP_FILES.palette)
    expect(palette.slice(20 * 4, 22 * 4)).toEqual([60, 40, 20, 255, 63, 42, 21, 34])
    expect((await pixelsOf('blp', BLP_FILES.bgra)).slice(-4)).toEqual([3, 2, 1, 63])
    for (const [index, value] of [200, 80, 20, 128].entries())
      expect(Math.abs(((await pixelsOf('blp', BLP_FILES.jpeg))[index] ?? 0) - value)).toBeLessThan(2)
  })

  test('FTEX of blocks and RGB', async () => {
    expect(Buffer.from(await pixelsOf('ftex', FTEX_FILES.blocks)).equals(BLOCKS.BC1.pixels)).toBe(true)
    expect((await decode('ftex', FTEX_FILES.rgb)).pixels[191]).toBe(191)
  })
})

test('encoding dithers for X bitmaps, and uses a palette for few colours and run lengths', async () => {
  const grey = { width: 64, height: 64, channels: 1, bitDepth: 8, pixels: new Uint8Array(4096).fill(64) } as const
  const [bits, pcxFile, sgiFile] = await Promise.all(['xbm', 'pcx', 'sgi'].map((id) => formatOf(id).encode?.(grey, {})))
  const white = (await pixelsOf('xbm', bits ?? new Uint8Array())).filter((value) => value === 255).length
  expect(white / 4096).toBeCloseTo(64 / 255, 2)
  expect(pcxFile?.length).toBeLessThan(1200)
  expect(sgiFile?.length).toBeLessThan(1400)
})
