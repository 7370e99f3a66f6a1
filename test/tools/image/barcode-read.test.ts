import bwip from 'bwip-js/node'
import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type BarcodeReader, type FoundCode, openBarcodeReader } from '../../../src/engines/pictures/zxing.ts'
import { openMediaFile } from '../../../src/media/file.ts'
import { decodeImage } from '../../../src/media/image/decode/decode.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { findCodes } from '../../../tools/image/codes/barcode-read/find-codes.ts'
import barcodeRead from '../../../tools/image/codes/barcode-read.ts'
import { fromSamples, photo, put, readRgba } from '../../helpers/picture.ts'
import { randomFrom } from '../../helpers/random.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const HARD = { tryHarder: true, onProgress: () => {} }

interface Point {
  x: number
  y: number
}
interface Report {
  filename: string
  barcodes: { type: string; text: string; rawText: string; bytes: string; position: Record<string, Point> }[]
  annotatedUrl: string | null
  previewUrl: string | null
}

async function read(input: string, settings: Record<string, unknown> = {}) {
  const { report, paths, names } = await run(barcodeRead, folder, [input], settings)
  return { ...(report as unknown as Report), paths, names }
}

type Produce = (...given: unknown[]) => Promise<{ report: Report; frame?: ImageFrame }>

/** The tool's own code, for a custom context. */
const produceOf = (tool: unknown): Produce => (tool as { step: { produce: Produce } }).step.produce

const LINEAR = new Set(['code128', 'ean13', 'code39', 'interleaved2of5', 'ean8', 'upca', 'upce', 'rationalizedCodabar'])

/** A code on white with its quiet zone. */
async function code(bcid: string, text: string, scale = 4): Promise<Buffer> {
  const height = LINEAR.has(bcid) ? { height: 14 } : {}
  const options = { bcid, text, scale, paddingwidth: 14, paddingheight: 10, backgroundcolor: 'ffffff', ...height }
  return sharp(await bwip.toBuffer(options))
    .flatten({ background: '#ffffff' })
    .png()
    .toBuffer()
}

const CODES: [bcid: string, text: string, type: string, read?: string][] = [
  ['qrcode', 'https://example.com/ü?b=42', 'QRCode'],
  ['microqrcode', '12345', 'MicroQRCode'],
  ['datamatrix', 'DM-12345', 'DataMatrix'],
  ['azteccode', 'Aztec 42', 'Aztec'],
  ['pdf417', 'PDF417 sample', 'PDF417'],
  ['maxicode', 'MaxiCode sample', 'MaxiCode'],
  ['code128', 'ABC-12345', 'Code128'],
  ['code39', 'CODE39', 'Code39'],
  ['rationalizedCodabar', 'A123B', 'Codabar'],
  ['ean8', '12345670', 'EAN-8'],
  ['ean13', '5901234123457', 'EAN-13'],
  ['interleaved2of5', '1234567890', 'ITF'],
  ['upca', '012345678905', 'UPC-A'],
]

describe('symbologies', () => {
  test.each(CODES)('%s', async (bcid, text, type) => {
    const { barcodes } = await read(await put(folder, `${bcid}.png`, await code(bcid, text)))
    expect(barcodes.map((one) => [one.type, one.text])).toEqual([[type, text]])
  })
})

describe('photographed', () => {
  // One shared reader: its thread and its WebAssembly take longer to start than a picture to read.
  let reader: BarcodeReader
  beforeAll(async () => {
    reader = openBarcodeReader(new AbortController().signal)
  })
  afterAll(() => reader.close())

  const ANGLES = [0, 20, 45, 90, 118]
  const KINDS: Record<string, (picture: Sharp) => Sharp> = {
    clean: (picture) => picture,
    blurred: (picture) => picture.blur(0.8),
    pale: (picture) => picture.linear(0.4, 130),
    askew: (picture) =>
      picture.affine(
        [
          [1, 0.15],
          [0.05, 0.88],
        ] as never,
        { background: '#b0a890' },
      ),
  }
  test.each(['qrcode', 'datamatrix', 'pdf417', 'code128', 'ean13'])(
    '%s at all angles: at least nine of ten',
    async (bcid) => {
      const [, text] = CODES.find(([name]) => name === bcid)!
      // Two pixels per point: the difficulty is the angles and the blur, not the size.
      const plain = await sharp(await code(bcid, text, 2))
        .extend({ top: 15, bottom: 15, left: 15, right: 15, background: '#ffffff' })
        .png()
        .toBuffer()
      const missed: string[] = []
      for (const angle of ANGLES)
        for (const [kind, change] of Object.entries(KINDS)) {
          const turned = await sharp(plain).rotate(angle, { background: '#b0a890' }).removeAlpha().png().toBuffer()
          const input = await put(folder, `${bcid}-${angle}-${kind}.jpg`, change(sharp(turned)).jpeg({ quality: 75 }))
          const frame = await decodeImage(await openMediaFile(input, input))
          const { found } = await findCodes(await frame.toSrgb(), reader, HARD)
          if (!found.some((one) => one.text === text)) missed.push(`${angle} ${kind}`)
        }
      expect(missed.length, missed.join(', ')).toBeLessThanOrEqual((ANGLES.length * Object.keys(KINDS).length) / 10)
    },
  )
})

describe('camera defects', () => {
  let reader: BarcodeReader
  beforeAll(async () => {
    reader = openBarcodeReader(new AbortController().signal)
  })
  afterAll(() => reader.close())

  /** A code on a picture with soft light, in grey. */
  async function label(contrast: number, blur: number): Promise<{ data: Buffer; width: number; height: number }> {
    const bars = await sharp(await code('ean13', '5901234123457', 3))
      .linear(contrast, 160 - 255 * contrast)
      .toBuffer()
    const scene = sharp({ create: { width: 480, height: 260, channels: 3, background: '#a8a098' } })
    const placed = await scene
      .composite([{ input: bars, gravity: 'centre' }])
      .png()
      .toBuffer()
    const soft = blur ? sharp(placed).blur(blur) : sharp(placed)
    const { data, info } = await soft
      .greyscale()
      .toColourspace('b-w')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    return { data, width: info.width, height: info.height }
  }

  test.each([
    { kind: 'noise', contrast: 0.6, blur: 0, noise: 120 },
    { kind: 'blur of three quarters of a module', contrast: 0.5, blur: 2.3, noise: 10 },
    { kind: 'little contrast', contrast: 0.1, blur: 0, noise: 14 },
  ])('$kind', async ({ contrast, blur, noise }) => {
    const { data, width, height } = await label(contrast, blur)
    const random = randomFrom(7).next
    for (let at = 0; at < data.length; at += 1)
      data[at] = Math.max(0, Math.min(255, data[at]! + (random() + random() - 1) * noise))
    const input = await put(folder, 'spoilt.png', sharp(data, { raw: { width, height, channels: 1 } }).png())
    const frame = await (await decodeImage(await openMediaFile(input, input))).toSrgb()
    const { found } = await findCodes(frame, reader, HARD)
    expect(found.map(({ text }) => text)).toEqual(['5901234123457'])
  })
})

describe('large pictures', () => {
  test('12 megapixels without a code: passes less than three times as many to the reader', async () => {
    // Soft noise everywhere, as of grass or gravel: no region can be skipped as plain.
    const random = randomFrom(3).next
    const grain = Uint8Array.from({ length: 500 * 375 }, () => random() * 255)
    const coarse = sharp(grain, { raw: { width: 500, height: 375, channels: 1 } })
    const input = await put(folder, 'texture.jpg', coarse.resize(4000, 3000, { kernel: 'cubic' }).jpeg())
    let pixels = 0
    const counting = {
      read: async ({ width, height }: { width: number; height: number }) => {
        pixels += width * height
        return []
      },
      close: async () => {},
    }
    const frame = await (await decodeImage(await openMediaFile(input, input))).toSrgb()
    await findCodes(frame, counting, HARD)
    expect(pixels).toBeGreaterThan(12e6)
    expect(pixels).toBeLessThan(3 * 12e6)
  })

  test('finds fine and rotated codes', async () => {
    const turned = await sharp(await code('code128', 'TURNED-27'))
      .rotate(27, { background: '#ffffff' })
      .png()
      .toBuffer()
    const scene = sharp({ create: { width: 2800, height: 1600, channels: 3, background: '#ffffff' } }).composite([
      { input: await code('ean13', '5901234123457', 2), left: 100, top: 1300 },
      { input: await code('datamatrix', 'FINE', 2), left: 2500, top: 100 },
      { input: turned, left: 900, top: 300 },
    ])
    const { barcodes } = await read(await put(folder, 'large.jpg', scene.jpeg()))
    expect(barcodes.map(({ text }) => text).sort()).toEqual(['5901234123457', 'FINE', 'TURNED-27'])
    const { topLeft, bottomRight } = barcodes.find(({ text }) => text === 'TURNED-27')!.position
    const middle = [(topLeft!.x + bottomRight!.x) / 2, (topLeft!.y + bottomRight!.y) / 2]
    const { width = 0, height = 0 } = await sharp(turned).metadata()
    expect(Math.abs(middle[0]! - (900 + width / 2))).toBeLessThan(30)
    expect(Math.abs(middle[1]! - (300 + height / 2))).toBeLessThan(60)
  })
})

describe('positions', () => {
  test('several codes, and their positions', async () => {
    const scene = sharp({ create: { width: 900, height: 500, channels: 3, background: '#ffffff' } }).composite([
      { input: await code('qrcode', 'left'), left: 40, top: 60 },
      { input: await code('code128', 'RIGHT-1', 2), left: 420, top: 300 },
    ])
    const { barcodes } = await read(await put(folder, 'two.png', scene.png()))
    expect(barcodes.map(({ text }) => text).sort()).toEqual(['RIGHT-1', 'left'])
    const { position } = barcodes.find(({ text }) => text === 'left')!
    // 14 points of padding at four pixels each are on the left of the code, 10 above it.
    expect(Math.abs(position.topLeft!.x - (40 + 56))).toBeLessThanOrEqual(4)
    expect(Math.abs(position.topLeft!.y - (60 + 40))).toBeLessThanOrEqual(4)
    expect(position.bottomRight!.x).toBeGreaterThan(position.topLeft!.x)
  })

  test('the position of a rotated code is that in the picture', async () => {
    const bars = await code('code128', 'TURNED-30')
    const { width = 0, height = 0 } = await sharp(bars).metadata()
    const turned = await sharp(bars).rotate(30, { background: '#ffffff' }).png().toBuffer({ resolveWithObject: true })
    const scene = sharp({ create: { width: 1000, height: 800, channels: 3, background: '#ffffff' } }).composite([
      { input: turned.data, left: 200, top: 100 },
    ])
    const { barcodes } = await read(await put(folder, 'turned.png', scene.png()))
    const corners = Object.values(barcodes[0]!.position)
    const middle = { x: 0, y: 0 }
    for (const { x, y } of corners) Object.assign(middle, { x: middle.x + x / 4, y: middle.y + y / 4 })
    expect(Math.abs(middle.x - (200 + turned.info.width / 2))).toBeLessThan(width / 10)
    expect(Math.abs(middle.y - (100 + turned.info.height / 2))).toBeLessThan(height / 2)
  })

  test('applies the orientation first', async () => {
    const picture = sharp(await code('qrcode', 'upright')).extend({ right: 300, background: '#ffffff' })
    const upright = await put(folder, 'upright.png', picture.png())
    const held = await put(
      folder,
      'held.jpg',
      sharp(await sharp(upright).rotate(-90).png().toBuffer())
        .withMetadata({ orientation: 6 })
        .jpeg(),
    )
    const [one, other] = [await read(upright), await read(held)]
    expect(Math.abs(one.barcodes[0]!.position.topLeft!.x - other.barcodes[0]!.position.topLeft!.x)).toBeLessThanOrEqual(
      3,
    )
  })
})

test('the annotated picture outlines the codes', async () => {
  const input = await put(folder, 'marked.png', await code('qrcode', 'marked'))
  const { paths, names, barcodes } = await read(input)
  expect(names).toEqual(['annotated-marked.png'])
  const [before, after] = [await readRgba(input), await readRgba(paths[0]!)]
  expect([after.width, after.height]).toEqual([before.width, before.height])
  const { x, y } = barcodes[0]!.position.topLeft!
  const offset = (y * after.width + x + 10) * 4
  expect([...after.data.subarray(offset, offset + 3)]).toEqual([0xe6, 0x19, 0x4b])
})

test('no code: an empty list and no file', async () => {
  const input = await put(folder, 'empty.jpg', fromSamples(photo(400, 300)).jpeg())
  const { barcodes, annotatedUrl, previewUrl, paths } = await read(input)
  expect([barcodes, annotatedUrl, previewUrl, paths]).toEqual([[], null, null, []])
})

test('without tryHarder does not search for a rotated linear code', async () => {
  const turned = sharp(await code('code128', 'HARD-1')).rotate(40, { background: '#ffffff' })
  const input = await put(folder, 'hard.png', turned.png())
  expect((await read(input, { tryHarder: false })).barcodes).toEqual([])
  expect((await read(input)).barcodes.map(({ text }) => text)).toEqual(['HARD-1'])
})

test('returns a UPC-E as printed', async () => {
  // One number for all forms of omitted zeros (GS1 General Specifications, 5.2.2.4).
  for (const text of ['01234505', '01230032', '01234534', '01234545', '01234565']) {
    const checked = `${text.slice(0, 7)}`
    const { barcodes } = await read(await put(folder, `upce-${text}.png`, await code('upce', checked)), {
      tryHarder: false,
    })
    expect(barcodes.map((one) => [one.type, one.text.slice(0, 7), one.text.length])).toEqual([['UPC-E', checked, 8]])
  }
})

test('keeps control characters, and returns the bytes', async () => {
  const options = { bcid: 'qrcode', text: 'a^029b^255', parse: true, binarytext: true, scale: 4 }
  const png = await sharp(
    await bwip.toBuffer({ ...options, paddingwidth: 14, paddingheight: 14, backgroundcolor: 'ffffff' }),
  )
    .flatten({ background: '#ffffff' })
    .png()
    .toBuffer()
  const { barcodes } = await read(await put(folder, 'control.png', png), { tryHarder: false })
  expect(Buffer.from(barcodes[0]!.bytes, 'base64')).toEqual(Buffer.from([0x61, 29, 0x62, 255]))
  expect(barcodes[0]!.text.startsWith('a\u001db')).toBe(true)
})

test('never reads remains of an earlier picture', async () => {
  // The last passes gave the reader fewer samples than it read, so it continued in the remains of the previous picture.
  const barcode = await put(folder, 'before.png', await code('ean13', '5901234123457'))
  const reader = openBarcodeReader(new AbortController().signal)
  try {
    const { data, info } = await sharp(barcode)
      .greyscale()
      .toColourspace('b-w')
      .raw()
      .toBuffer({ resolveWithObject: true })
    const { width, height } = info
    expect((await reader.read({ data: new Uint8Array(data), width, height })).map(({ text }) => text)).toEqual([
      '5901234123457',
    ])
    for (const length of [(width * height) / 4, width * height * 4])
      await expect(reader.read({ data: new Uint8Array(length), width, height })).rejects.toMatchObject({
        code: 'PROCESSING_FAILED',
      })
  } finally {
    await reader.close()
  }
})

test('out of focus', async () => {
  const sharpPicture = await sharp(await code('ean13', '5901234123457', 3))
    .extend({ top: 60, bottom: 60, left: 60, right: 60, background: '#c8c0b0' })
    .removeAlpha()
    .png()
    .toBuffer()
  const input = await put(folder, 'unfocused.jpg', sharp(sharpPicture).blur(2.4).jpeg({ quality: 85 }))
  expect((await read(input, { tryHarder: false })).barcodes).toEqual([])
  expect((await read(input)).barcodes.map(({ text }) => text)).toEqual(['5901234123457'])
})

test('returns the codes found so far when its time is over', async () => {
  const frame = await decodeImage(await openMediaFile(await put(folder, 'slow.png', await code('qrcode', 'ONE', 6))))
  let asked = 0
  const one: FoundCode = {
    ...{ format: 'QRCode', text: 'ONE', rawText: 'ONE', bytes: Buffer.from('ONE') },
    corners: [
      { x: 10, y: 10 },
      { x: 90, y: 10 },
      { x: 90, y: 90 },
      { x: 10, y: 90 },
    ],
  }
  // The second pass never ends.
  const slow = {
    read: () => (++asked === 1 ? Promise.resolve([one]) : new Promise<never>(() => {})),
    close: async () => {},
  }
  const { found, isWhole } = await findCodes(await frame.toSrgb(), slow, { ...HARD, budgetMs: 400 })
  expect([found.map(({ text }) => text), isWhole, asked]).toEqual([['ONE'], false, 2])
})

test('a large noisy picture returns the code found within the budget, and a warning that the search was cut short', async () => {
  const size = { width: 2600, height: 1950 }
  let state = 1
  const grey = new Uint8Array(size.width * size.height).map(() => {
    // A linear congruential generator (Numerical Recipes): millions of values in milliseconds.
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state >>> 24
  })
  const placed = fromSamples({ data: grey, ...size, channels: 1 })
    .toColourspace('srgb')
    .composite([{ input: await code('qrcode', 'IN THE NOISE', 20), left: 900, top: 500 }])
  const source = await openMediaFile(await put(folder, 'noise.jpg', placed.jpeg({ quality: 90 })))
  const warnings: string[] = []
  const picture = { name: source.name, open: () => decodeImage(source) }
  // After the first passes, the clock is beyond the end of the budget of 90 s.
  const { now } = performance
  let lateMs = 0
  let further = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + lateMs)
  const progress = (_part: number, phase?: string): void => {
    if (phase !== 'looking') return
    further += 1
    lateMs = 90_000
  }
  const context = {
    ...{ signal: new AbortController().signal, progress, timeLeftS: () => Number.POSITIVE_INFINITY },
    warn: (message: string) => warnings.push(message),
  }
  try {
    const { report, frame } = await produceOf(barcodeRead)([picture], { tryHarder: true, timeBudget: 90 }, context)
    expect(report.barcodes.map(({ type, text }) => [type, text])).toEqual([['QRCode', 'IN THE NOISE']])
    const { topLeft, bottomRight } = report.barcodes[0]!.position
    expect([topLeft!.x > 900, topLeft!.y > 500, bottomRight!.x > topLeft!.x]).toEqual([true, true, true])
    expect([frame?.width, frame?.height]).toEqual([size.width, size.height])
  } finally {
    clock.mockRestore()
  }
  expect(warnings).toEqual(['The search in noise.jpg was stopped after 90 s: there may be more codes than the 1 found'])
  expect(further).toBe(1)
})

test('timeBudget ends the search with a warning', async () => {
  const input = await put(folder, 'short.jpg', fromSamples(photo(2000, 1500)).jpeg())
  const { warnings } = await run(barcodeRead, folder, [input], { timeBudget: 0.1 })
  expect(warnings).toEqual([
    'The search in short.jpg was stopped after 0.1 s: there may be more codes than the 0 found',
  ])
})

test('a job with little remaining time ends with a warning, not with TIMEOUT', async () => {
  const source = await openMediaFile(await put(folder, 'hurry.png', fromSamples(photo(2000, 1500)).png()))
  const warnings: string[] = []
  const picture = { name: source.name, open: () => decodeImage(source) }
  const context = {
    ...{ signal: new AbortController().signal, progress: () => {}, timeLeftS: () => 0.01 },
    warn: (message: string) => warnings.push(message),
  }
  const { report } = await produceOf(barcodeRead)([picture], { tryHarder: true, timeBudget: 90 }, context)
  expect(report.barcodes).toEqual([])
  expect(warnings).toEqual([
    expect.stringMatching(/^The search in hurry\.png was stopped after 0 s: there may be more codes/),
  ])
})

test('the text as stored, next to the readable one', async () => {
  const { barcodes } = await read(await put(folder, 'gs1.png', await code('gs1-128', '(01)09501101530003(10)AB-123')))
  expect(barcodes.map(({ text, rawText }) => [text, rawText])).toEqual([
    ['(01)09501101530003(10)AB-123', '010950110153000310AB-123'],
  ])
})
