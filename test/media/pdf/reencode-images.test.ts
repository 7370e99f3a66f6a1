import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { loadMupdf, type PDFDocument } from '../../../src/engines/mupdf.ts'
import { openRawPixels, readMetadata } from '../../../src/engines/sharp.ts'
import { jpegQualityOf } from '../../../src/media/codecs/jpeg/jpeg-quality.ts'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { averageTo } from '../../../src/media/pdf/image/image-average.ts'
import { ImageReencoder } from '../../../src/media/pdf/image/reencode-images.ts'
import { complaints } from '../../helpers/pdf.ts'

type Value = number | boolean | string | Value[] | { [key: string]: Value }

interface Picture {
  /** Entries of the dictionary; strings are names. Width and Height default to 200, BitsPerComponent to 8. */
  entries?: Record<string, Value>
  /** Samples, compressed with Flate; `raw` is used unchanged. */
  samples?: Uint8Array
  raw?: Uint8Array
  softMask?: Picture
}

const SIDE = 200

const JPEG_2000 = '/work/shared/corpus/formats/relax.jp2'

/** Smooth colours with a little noise, so that Flate is poor and JPEG good at them. */
function samplesOf(components: number, width = SIDE, height = SIDE): Uint8Array {
  const samples = new Uint8Array(width * height * components)
  let state = 12345
  for (let index = 0; index < samples.length; index++) {
    state = (state * 1103515245 + 12345) % 2147483648
    const pixel = Math.floor(index / components)
    const slope = index % components === 0 ? (pixel % width) / width : Math.floor(pixel / width) / height
    samples[index] = 20 + Math.round(slope * 200) + ((state >> 20) % 8)
  }
  return samples
}

/** A document of one page, 300 x 300 points, with these pictures as /I0, /I1 …, numbered as given back. */
async function makeDocument(
  pictures: Picture[],
  build: (
    pdf: PDFDocument,
    numbers: number[],
  ) => { content?: string; resources?: Record<string, unknown> } = () => ({}),
): Promise<{ bytes: Uint8Array; numbers: number[]; masks: number[] }> {
  const { PDFDocument } = await loadMupdf()
  const pdf = new PDFDocument()
  const value = (one: Value) =>
    typeof one === 'string' ? pdf.newName(one) : Array.isArray(one) ? listOf(pdf, one) : pdf._toPDFObject(one)
  const listOf = (document: PDFDocument, items: Value[]) => {
    const list = document.newArray()
    for (const item of items) list.push(value(item) as ReturnType<typeof document.newArray>)
    return list
  }
  const masks: number[] = []
  const add = ({ entries = {}, samples, raw, softMask }: Picture): number => {
    const stream = pdf.addRawStream(raw ?? deflateSync(samples!), {})
    const all = { Type: 'XObject', Subtype: 'Image', Width: SIDE, Height: SIDE, BitsPerComponent: 8, ...entries }
    for (const [key, one] of Object.entries(all)) stream.put(key, value(one))
    if (!raw) stream.put('Filter', pdf.newName('FlateDecode'))
    if (softMask) {
      const number = add(softMask)
      masks.push(number)
      stream.put('SMask', pdf.newIndirect(number))
    }
    return stream.asIndirect()
  }
  const numbers = pictures.map(add)
  const { content, resources = {} } = build(pdf, numbers)
  const images = Object.fromEntries(numbers.map((number, index) => [`I${index}`, pdf.newIndirect(number)]))
  const shown = content ?? numbers.map((_, index) => `q 72 0 0 72 0 ${72 * index} cm /I${index} Do Q`).join('\n')
  const { XObject, ...others } = resources
  const page = pdf.addPage([0, 0, 300, 300], 0, { XObject: { ...images, ...(XObject as object) }, ...others }, shown)
  pdf.insertPage(-1, page)
  const buffer = pdf.saveToBuffer('')
  const bytes = buffer.asUint8Array().slice()
  pdf.destroy()
  return { bytes, numbers, masks }
}

/** Only the metadata is compared as a whole: a test runner takes minutes to describe how two long arrays differ. */
interface Found {
  facts: Facts
  raw: Uint8Array
  samples: Uint8Array
}

interface Facts {
  width: number
  height: number
  filter: string
  colors: string
  bits: number
  decode: string
  /** Of the stream as stored in the file. */
  hash: string
}

/** The pictures after re-encoding, by their width order in `numbers` of the source. */
async function reencode(
  bytes: Uint8Array,
  dpi: number,
  quantisation = 0.4,
): Promise<{ result: Uint8Array; found: Found[] }> {
  const encoder = await ImageReencoder.open(bytes)
  const result = (await encoder.encode({ dpi, quantisation })) as Uint8Array
  encoder.close()
  expect(await complaints(result)).toEqual([])
  return { result, found: await picturesOf(result) }
}

/** All pictures in the order of their names on the page (I0, I1 …). */
async function picturesOf(bytes: Uint8Array): Promise<Found[]> {
  const document = await openPdf(bytes)
  const images = document.pdf.findPage(0).get('Resources', 'XObject')
  const found: Found[] = []
  for (let index = 0; !images.get(`I${index}`).isNull(); index++) {
    const image = images.get(`I${index}`)
    found.push(foundOf(image))
    if (image.get('SMask').isStream()) found.push(foundOf(image.get('SMask')))
  }
  document.close()
  return found
}

function foundOf(image: ReturnType<PDFDocument['newIndirect']>): Found {
  const raw = image.readRawStream().asUint8Array().slice()
  const isReadable = image.get('Width').asNumber() * image.get('Height').asNumber() < 1e6 && raw.length < 1e6
  return {
    facts: {
      width: image.get('Width').asNumber(),
      height: image.get('Height').asNumber(),
      filter: String(image.get('Filter')),
      colors: String(image.get('ColorSpace')),
      bits: image.get('BitsPerComponent').asNumber(),
      decode: String(image.get('Decode')),
      hash: createHash('sha256').update(raw).digest('hex'),
    },
    raw,
    samples: isReadable ? readSamples(image) : new Uint8Array(),
  }
}

/** Undefined for an unreadable stream. */
function readSamples(image: ReturnType<PDFDocument['newIndirect']>): Uint8Array {
  try {
    return image.readStream().asUint8Array().slice()
  } catch {
    return new Uint8Array()
  }
}

function factsOf(found: Found[]): Facts[] {
  return found.map(({ facts }) => facts)
}

function meanDistance(one: Uint8Array, other: Uint8Array): number {
  expect(one.length).toBe(other.length)
  return one.reduce((sum, value, index) => sum + Math.abs(value - other[index]!), 0) / one.length
}

describe('encoded as JPEG', () => {
  test.each([
    ['DeviceGray', 1],
    ['DeviceRGB', 3],
    ['DeviceCMYK', 4],
  ])('%s: same space, half the size at half the dpi, same colours', async (space, components) => {
    const samples = samplesOf(components)
    const { bytes } = await makeDocument([{ entries: { ColorSpace: space }, samples }])
    const { found } = await reencode(bytes, 100)
    expect(factsOf(found)).toMatchObject([
      { width: 100, height: 100, filter: '/DCTDecode', colors: `/${space}`, bits: 8, decode: 'null' },
    ])
    expect((await readMetadata(found[0]!.raw)).channels).toBe(components)
    const expected = averageTo(samples, { width: SIDE, height: SIDE, components }, 100, 100)
    expect(meanDistance(found[0]!.samples, expected)).toBeLessThan(2)
  })

  test('never enlarged, and coarser factors are smaller', async () => {
    const { bytes } = await makeDocument([{ entries: { ColorSpace: 'DeviceRGB' }, samples: samplesOf(3) }])
    const fine = await reencode(bytes, 300, 0.1)
    const coarse = await reencode(bytes, 300, 2.5)
    expect(factsOf(fine.found)).toMatchObject([{ width: SIDE, height: SIDE, filter: '/DCTDecode' }])
    expect(coarse.found[0]!.raw.length).toBeLessThan(fine.found[0]!.raw.length / 2)
    expect(fine.result.length).toBeLessThan(bytes.length / 2)
  })

  test('each pass starts with the original pixels', async () => {
    const { bytes } = await makeDocument([{ entries: { ColorSpace: 'DeviceRGB' }, samples: samplesOf(3) }])
    const encoder = await ImageReencoder.open(bytes)
    const first = (await encoder.encode({ dpi: 300, quantisation: 0.2 })) as Uint8Array
    await encoder.encode({ dpi: 30, quantisation: 2.5 })
    const third = (await encoder.encode({ dpi: 300, quantisation: 0.2 })) as Uint8Array
    encoder.close()
    expect(factsOf(await picturesOf(third))).toEqual(factsOf(await picturesOf(first)))
  })

  test('an inverting Decode stays correct', async () => {
    const entries = { ColorSpace: 'DeviceCMYK', Decode: [1, 0, 1, 0, 1, 0, 1, 0] }
    const samples = samplesOf(4)
    const { bytes } = await makeDocument([{ entries, samples }])
    const { found } = await reencode(bytes, 300)
    expect(factsOf(found)).toMatchObject([{ filter: '/DCTDecode', decode: '[1 0 1 0 1 0 1 0]' }])
    expect(meanDistance(found[0]!.samples, samples)).toBeLessThan(4)
  })

  test('16 bits become 8', async () => {
    const samples = samplesOf(1)
    const wide = new Uint8Array(samples.length * 2)
    samples.forEach((value, index) => void wide.set([value, (index * 37) % 256], index * 2))
    const { bytes } = await makeDocument([
      { entries: { ColorSpace: 'DeviceGray', BitsPerComponent: 16 }, samples: wide },
    ])
    const { found } = await reencode(bytes, 300)
    expect(factsOf(found)).toMatchObject([{ filter: '/DCTDecode', bits: 8 }])
    expect(meanDistance(found[0]!.samples, samples)).toBeLessThan(4)
  })

  test('reverses a row predictor', async () => {
    const samples = samplesOf(3)
    const rows = new Uint8Array(SIDE * (SIDE * 3 + 1))
    for (let y = 0; y < SIDE; y++) {
      // Filter type 2: the difference to the row above.
      rows[y * (SIDE * 3 + 1)] = 2
      for (let x = 0; x < SIDE * 3; x++)
        rows[y * (SIDE * 3 + 1) + 1 + x] = samples[y * SIDE * 3 + x]! - (y > 0 ? samples[(y - 1) * SIDE * 3 + x]! : 0)
    }
    const parameters = { Predictor: 15, Colors: 3, BitsPerComponent: 8, Columns: SIDE }
    const { bytes } = await makeDocument([
      { entries: { ColorSpace: 'DeviceRGB', DecodeParms: parameters }, samples: rows },
    ])
    const { found } = await reencode(bytes, 300)
    expect(factsOf(found)).toMatchObject([{ filter: '/DCTDecode' }])
    expect(meanDistance(found[0]!.samples, samples)).toBeLessThan(5)
  })

  test('a JPEG under Flate, and without', async () => {
    const data = Buffer.from(samplesOf(3))
    const jpeg = await (await openRawPixels({ width: SIDE, height: SIDE, channels: 3, data }))
      .jpeg({ quality: 98 })
      .toBuffer()
    const { bytes } = await makeDocument([
      { entries: { ColorSpace: 'DeviceRGB', Filter: ['FlateDecode', 'DCTDecode'] }, raw: deflateSync(jpeg) },
      { entries: { ColorSpace: 'DeviceRGB', Filter: 'DCTDecode' }, raw: jpeg },
    ])
    const { found } = await reencode(bytes, 100, 1)
    expect(factsOf(found)).toMatchObject([
      { width: 100, filter: '/DCTDecode' },
      { width: 100, filter: '/DCTDecode' },
    ])
    expect(
      meanDistance(found[0]!.samples, averageTo(data, { width: SIDE, height: SIDE, components: 3 }, 100, 100)),
    ).toBeLessThan(4)
  })

  test('replaces a palette by its colours', async () => {
    const palette = Array.from({ length: 256 }, (_, index) => [index, 255 - index, 100]).flat()
    const samples = samplesOf(1)
    const { bytes } = await makeDocument([{ samples }], (pdf, numbers) => {
      const space = pdf.newArray()
      for (const item of [pdf.newName('Indexed'), pdf.newName('DeviceRGB'), 255, pdf.newByteString(palette)])
        space.push(item)
      pdf.newIndirect(numbers[0]!).put('ColorSpace', space)
      return {}
    })
    const { found } = await reencode(bytes, 100, 0.4)
    expect(factsOf(found)).toMatchObject([{ width: 100, filter: '/DCTDecode', colors: '/DeviceRGB' }])
    const colors = new Uint8Array(samples.length * 3)
    samples.forEach((value, index) => void colors.set([value, 255 - value, 100], index * 3))
    const expected = averageTo(colors, { width: SIDE, height: SIDE, components: 3 }, 100, 100)
    expect(meanDistance(found[0]!.samples, expected)).toBeLessThan(3)
  })

  test('a soft mask keeps its values, at the new size', async () => {
    const mask = Uint8Array.from(samplesOf(1), (value) => (value > 120 ? 255 : value))
    const softMask = { entries: { ColorSpace: 'DeviceGray' }, samples: mask }
    const { bytes } = await makeDocument([{ entries: { ColorSpace: 'DeviceRGB' }, samples: samplesOf(3), softMask }])
    const { found } = await reencode(bytes, 100, 2.5)
    expect(factsOf(found)).toMatchObject([
      { width: 100, filter: '/DCTDecode' },
      { width: 100, height: 100, filter: '/FlateDecode', colors: '/DeviceGray' },
    ])
    const expected = averageTo(mask, { width: SIDE, height: SIDE, components: 1 }, 100, 100)
    expect(Buffer.compare(found[1]!.samples, expected)).toBe(0)
  })
})

test.skipIf(!existsSync(JPEG_2000))('JPEG 2000 becomes JPEG', async () => {
  const raw = readFileSync(JPEG_2000)
  const entries = { ColorSpace: 'DeviceRGB', Filter: 'JPXDecode', Width: 320, Height: 240 }
  const { bytes } = await makeDocument([{ entries, raw }])
  const { Image } = await loadMupdf()
  const expected = new Uint8Array(new Image(raw).toPixmap().getPixels())
  const { found } = await reencode(bytes, 400, 0.4)
  expect(factsOf(found)).toMatchObject([{ width: 320, height: 240, filter: '/DCTDecode', colors: '/DeviceRGB' }])
  expect(meanDistance(found[0]!.samples, expected)).toBeLessThan(5)
})

describe('displayed size', () => {
  const picture = { entries: { ColorSpace: 'DeviceRGB' }, samples: samplesOf(3) }

  test('the largest use decides, rotated or not', async () => {
    const { bytes } = await makeDocument([picture], () => ({
      content: 'q 36 0 0 36 0 0 cm /I0 Do Q q 0 144 -144 0 200 100 cm /I0 Do Q',
    }))
    expect(factsOf((await reencode(bytes, 50)).found)).toMatchObject([{ width: 100, height: 100 }])
  })

  test('inside a form and a pattern', async () => {
    const { bytes } = await makeDocument([picture, picture], (pdf, numbers) => {
      const drawn = (index: number) => ({ XObject: { P: pdf.newIndirect(numbers[index]!) } })
      const form = pdf.addStream('q 10 0 0 10 0 0 cm /P Do Q', { BBox: [0, 0, 10, 10], Matrix: [7.2, 0, 0, 7.2, 0, 0] })
      form.put('Subtype', pdf.newName('Form'))
      form.put('Resources', drawn(0))
      const pattern = pdf.addStream('q 36 0 0 36 0 0 cm /P Do Q', {
        PatternType: 1,
        PaintType: 1,
        TilingType: 1,
        BBox: [0, 0, 36, 36],
        XStep: 36,
        YStep: 36,
      })
      pattern.put('Resources', drawn(1))
      return {
        content: '/F Do /Pattern cs /T scn 100 100 150 150 re f',
        resources: { XObject: { F: form }, Pattern: { T: pattern } },
      }
    })
    expect(factsOf((await reencode(bytes, 100)).found)).toMatchObject([
      { width: 100, height: 100 },
      { width: 50, height: 50 },
    ])
  })

  test('in the appearance of an annotation', async () => {
    const { bytes } = await makeDocument([picture], (pdf, numbers) => {
      const look = pdf.addStream('q 72 0 0 72 0 0 cm /P Do Q', { BBox: [0, 0, 72, 72] })
      look.put('Subtype', pdf.newName('Form'))
      look.put('Resources', { XObject: { P: pdf.newIndirect(numbers[0]!) } })
      const stamp = pdf.addObject({ Rect: [10, 10, 154, 154], AP: { N: look }, F: 4 })
      stamp.put('Subtype', pdf.newName('Stamp'))
      pdf.getTrailer().get('Root').put('Stamp', stamp)
      return { content: ' ' }
    })
    const { PDFDocument } = await loadMupdf()
    const pdf = new PDFDocument(bytes)
    const list = pdf.newArray()
    list.push(pdf.getTrailer().get('Root', 'Stamp'))
    pdf.findPage(0).put('Annots', list)
    const stamped = pdf.saveToBuffer('').asUint8Array().slice()
    pdf.destroy()
    expect(factsOf((await reencode(stamped, 50)).found)).toMatchObject([{ width: 100, height: 100 }])
  })

  test('an unused picture keeps its pixels', async () => {
    const { bytes } = await makeDocument([picture], () => ({ content: ' ' }))
    expect(factsOf((await reencode(bytes, 20)).found)).toMatchObject([{ width: SIDE, filter: '/DCTDecode' }])
  })
})

describe('unchanged', () => {
  const bilevel = samplesOf(1).subarray(0, (SIDE * SIDE) / 8)
  test.each<[string, Picture]>([
    ['bilevel', { entries: { ColorSpace: 'DeviceGray', BitsPerComponent: 1 }, samples: bilevel }],
    ['a stencil', { entries: { ImageMask: true, BitsPerComponent: 1 }, samples: bilevel }],
    [
      'transparent by colour',
      { entries: { ColorSpace: 'DeviceRGB', Mask: [0, 0, 0, 0, 0, 0] }, samples: samplesOf(3) },
    ],
    ['smaller already', { entries: { ColorSpace: 'DeviceRGB' }, samples: new Uint8Array(SIDE * SIDE * 3) }],
    ['Lab', { entries: { ColorSpace: ['Lab', { WhitePoint: [0.95, 1, 1.09] }] }, samples: samplesOf(3) }],
    ['cut off', { entries: { ColorSpace: 'DeviceRGB' }, samples: samplesOf(3).subarray(0, 60_000) }],
    ['more than it declares', { entries: { ColorSpace: 'DeviceGray' }, samples: new Uint8Array(50_000_000) }],
    ['damaged', { entries: { ColorSpace: 'DeviceGray', Filter: 'FlateDecode' }, raw: samplesOf(1) }],
    [
      'too wide for JPEG',
      {
        entries: { ColorSpace: 'DeviceGray', Width: 70_000, Height: 5 },
        samples: samplesOf(1, 70_000, 5),
      },
    ],
    ['of no size', { entries: { ColorSpace: 'DeviceGray', Width: 1e9, Height: 1e9 }, samples: samplesOf(1) }],
  ])('%s', async (_, picture) => {
    const { bytes } = await makeDocument([picture])
    const before = factsOf(await picturesOf(bytes))
    // So much that nothing is averaged.
    const { found } = await reencode(bytes, 100_000, 1)
    expect(factsOf(found)).toEqual(before)
  })

  test('a JPEG whose header declares a larger size than the dictionary', async () => {
    const data = Buffer.from(samplesOf(3))
    const jpeg = await (await openRawPixels({ width: SIDE, height: SIDE, channels: 3, data })).jpeg().toBuffer()
    const header = jpeg.indexOf(Buffer.from([0xff, 0xc0]))
    jpeg.writeUInt16BE(65_000, header + 5)
    jpeg.writeUInt16BE(65_000, header + 7)
    const { bytes } = await makeDocument([{ entries: { ColorSpace: 'DeviceRGB', Filter: 'DCTDecode' }, raw: jpeg }])
    const encoder = await ImageReencoder.open(bytes)
    const result = (await encoder.encode({ dpi: 72, quantisation: 1 })) as Uint8Array
    encoder.close()
    expect(Buffer.from(result).includes(jpeg)).toBe(true)
  })
})

describe('fractions', () => {
  test('averages the area, edges by their fraction', () => {
    const samples = Uint8Array.from([0, 90, 240, 30, 60, 90])
    expect([...averageTo(samples, { width: 3, height: 2, components: 1 }, 1, 1)]).toEqual([85])
    // 1.5 pixels each: (0 + 90 / 2) / 1.5 and (90 / 2 + 240) / 1.5.
    expect([...averageTo(samples, { width: 3, height: 2, components: 1 }, 2, 2)]).toEqual([30, 190, 40, 80])
    expect([...averageTo(samples, { width: 1, height: 2, components: 3 }, 1, 1)]).toEqual([15, 75, 165])
  })

  test("libjpeg's quality for a factor", () => {
    expect([0.1, 0.5, 1, 2.5, 100].map(jpegQualityOf)).toEqual([95, 75, 50, 20, 1])
  })
})
