import { readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { hasHeifEnc } from '../../../src/engines/pictures/heif-enc.ts'
import { hasCjxl } from '../../../src/engines/pictures/jxl.ts'
import { pngChunk } from '../../../src/media/codecs/png-chunks.ts'
import { gammaProfile } from '../../../src/media/image/metadata/gamma-profile.ts'
import convert from '../../../tools/image/convert/convert.ts'
import resize from '../../../tools/image/geometry/resize.ts'
import strip from '../../../tools/image/metadata/strip-metadata.ts'
import { exifBlock } from '../../helpers/exif.ts'
import {
  at,
  difference,
  fromSamples,
  jpegWithProfile,
  photo,
  png16,
  pngWithProfile,
  put,
  quarters,
  ramp16,
  read16,
  readPixels,
  readRgba,
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** The sRGB value of a number in a file with this exponent (IEC 61966-2-1). */
function inSrgb(value: number, exponent: number): number {
  const light = (value / 255) ** exponent
  return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055)
}

/** A row of blocks, grey or in three equal colours, that survive lossy formats. */
const LEVELS = [16, 48, 80, 112, 144, 176, 208, 240]
const blocks = (channels: 1 | 3) => {
  const data = Uint8Array.from({ length: 128 * 16 * channels }, (_, index) => {
    return LEVELS[Math.floor((Math.floor(index / channels) % 128) / 16)]!
  })
  const image = fromSamples({ data, width: 128, height: 16, channels })
  return (channels === 1 ? image.toColourspace('b-w') : image).png().toBuffer()
}

async function levelsOf(path: string): Promise<number[]> {
  const pixels = await readRgba(path)
  return LEVELS.map((_, index) => at(pixels, index * 16 + 8, 8)[0]!)
}

const insert = (png: Buffer, ...chunks: Buffer[]) => Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)])

const gamma = (value: number): Buffer => {
  const body = Buffer.alloc(4)
  body.writeUInt32BE(Math.round(value * 100_000))
  return pngChunk('gAMA', body)
}

function near(levels: readonly number[], exponent: number, most: number): void {
  levels.forEach((level, index) => {
    expect(Math.abs(level - inSrgb(LEVELS[index]!, exponent)), `level ${LEVELS[index]}: ${level}`).toBeLessThan(most)
  })
}

test.each(['webp', 'avif', 'gif', 'png', 'jpg', 'heic', 'jxl'] as const)(
  'grey with its own profile looks the same as %s',
  async (format) => {
    const source = await put(folder, 'grey.png', pngWithProfile(await blocks(1), gammaProfile(1, 'grey')))
    const { paths } = await run(convert, folder, [source], { format, quality: 95 })
    const shown =
      format === 'heic' || format === 'jxl' ? (await run(convert, folder, paths, { format: 'png' })).paths : paths
    // A curve this far from sRGB magnifies what lossy formats change in the dark.
    near(await levelsOf(shown[0]!), 1, format === 'jpg' ? 10 : 5)
  },
)

test('converts an RGB profile for GIF, which supports none', async () => {
  const source = await put(folder, 'swapped.png', pngWithProfile(await quarters(16, 16), swappedProfile()))
  const { paths } = await run(convert, folder, [source], { format: 'gif' })
  const [r, g] = at(await readRgba(paths[0]!), 2, 2) as [number, number]
  expect([r < 40, g > 230]).toEqual([true, true])
})

describe('gAMA of a PNG', () => {
  test.each([1, 3] as const)('displays linear light with %d channels correctly', async (channels) => {
    const source = await put(folder, `gamma-${channels}.png`, insert(await blocks(channels), gamma(1)))
    for (const format of ['png', 'webp', 'gif'] as const) {
      const { paths } = await run(convert, folder, [source], { format, quality: 100 })
      near(await levelsOf(paths[0]!), 1, 4)
    }
    const { paths } = await run(strip, folder, [source])
    near(await levelsOf(paths[0]!), 1, 3)
  })

  test.each([
    ['of sRGB', () => [gamma(0.45455)]],
    ['beside an sRGB chunk', () => [pngChunk('sRGB', Buffer.from([0])), gamma(1)]],
  ] as const)('%s changes nothing', async (_title, chunks) => {
    const source = await put(folder, 'same.png', insert(await blocks(3), ...chunks()))
    const { paths } = await run(convert, folder, [source], { format: 'png' })
    expect(await levelsOf(paths[0]!)).toEqual(LEVELS)
    expect((await sharp(paths[0]!).metadata()).icc).toBeUndefined()
  })
})

describe('the orientation of a PNG', () => {
  const block = exifBlock(6)
  const hexadecimal = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), block]).toString('hex')
  const note = `\nexif\n${String(block.length + 6).padStart(8)}\n${hexadecimal.replace(/.{72}/g, '$&\n')}\n`
  const PLACES: Record<string, (png: Buffer) => Buffer> = {
    'in front': (png) => insert(png, pngChunk('eXIf', block)),
    'behind the pixels': (png) => Buffer.concat([png.subarray(0, -12), pngChunk('eXIf', block), png.subarray(-12)]),
    'in a note': (png) => insert(png, pngChunk('tEXt', Buffer.from(`Raw profile type exif\0${note}`, 'latin1'))),
    'in a packed note': (png) => {
      const head = Buffer.from('Raw profile type APP1\0\0', 'latin1')
      return insert(png, pngChunk('zTXt', Buffer.concat([head, deflateSync(Buffer.from(note, 'latin1'))])))
    },
  }

  test.each(Object.entries(PLACES))('%s is honoured', async (_title, place) => {
    const source = await put(folder, 'held.png', place(await quarters(64, 48)))
    const { paths } = await run(resize, folder, [source], { width: 48 })
    const pixels = await readPixels(paths[0]!)
    expect(pixels).toMatchObject({ width: 48, height: 64 })
    // Rotated clockwise, the blue quarter (bottom left) is at the top left.
    expect(at(pixels, 5, 5)).toEqual([0, 0, 255])
    expect((await sharp(paths[0]!).metadata()).orientation).toBe(1)
  })
})

describe('a gain map', () => {
  /** The index of a first picture and one more (CIPA DC-007): sizes, and the offset of the second. */
  function multiPicture(sizes: [number, number], second: number): Buffer {
    const body = Buffer.alloc(8 + 2 + 3 * 12 + 4 + 32)
    body.write('MM\0*\0\0\0\x08\0\x03', 0, 'latin1')
    const entries = [
      [0xb000, 7, 4, 0x30313030],
      [0xb001, 4, 1, 2],
      [0xb002, 7, 32, 50],
    ] as const
    entries.forEach(([tag, type, count, value], index) => {
      const start = 10 + index * 12
      body.writeUInt16BE(tag, start)
      body.writeUInt16BE(type, start + 2)
      body.writeUInt32BE(count, start + 4)
      body.writeUInt32BE(value, start + 8)
    })
    body.writeUInt32BE(0x030000, 50)
    body.writeUInt32BE(sizes[0], 54)
    body.writeUInt32BE(sizes[1], 70)
    body.writeUInt32BE(second, 74)
    const head = Buffer.from([0xff, 0xe2, 0, 0])
    head.writeUInt16BE(body.length + 6, 2)
    return Buffer.concat([head, Buffer.from('MPF\0', 'latin1'), body])
  }

  /** A JPEG with Ultra HDR: XMP that announces the map, the index, and the map at the end. */
  async function ultraHdr(): Promise<Buffer> {
    const segment = (marker: number, text: string) => {
      const body = Buffer.from(text, 'latin1')
      const head = Buffer.from([0xff, marker, 0, 0])
      head.writeUInt16BE(body.length + 2, 2)
      return Buffer.concat([head, body])
    }
    const map = await fromSamples(photo(16, 12)).jpeg().toBuffer()
    const packet = `http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="kept" xmlns:Container="http://ns.google.com/photos/1.0/container/" xmlns:Item="http://ns.google.com/photos/1.0/container/item/" xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0"><Container:Directory><rdf:Seq><rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="Primary" Item:Mime="image/jpeg"/></rdf:li><rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="GainMap" Item:Mime="image/jpeg" Item:Length="${map.length}"/></rdf:li></rdf:Seq></Container:Directory></rdf:Description></rdf:RDF></x:xmpmeta>`
    const first = jpegWithProfile(await fromSamples(photo(64, 48)).jpeg({ quality: 95 }).toBuffer(), swappedProfile())
    const mapped = map.subarray(2)
    const figures = `http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0" hdrgm:GainMapMin="0" hdrgm:GainMapMax="2" hdrgm:Gamma="1" hdrgm:OffsetSDR="0.015" hdrgm:OffsetHDR="0.015" hdrgm:HDRCapacityMin="0" hdrgm:HDRCapacityMax="2" hdrgm:BaseRenditionIsHDR="False"/></rdf:RDF></x:xmpmeta>`
    const second = Buffer.concat([map.subarray(0, 2), segment(0xe1, figures), mapped])
    const front = Buffer.concat([first.subarray(0, 2), segment(0xe1, packet)])
    const length = front.length + multiPicture([0, 0], 0).length + first.length - 2
    // Positions count from the byte order mark of the index.
    const index = multiPicture([length, second.length], length - front.length - 8)
    return Buffer.concat([front, index, first.subarray(2), second])
  }

  test('is removed with a warning, together with its XMP; keeps profile and other XMP', async () => {
    const source = await put(folder, 'bright.jpg', await ultraHdr())
    expect((await sharp(source).metadata()).gainMap).toBeDefined()
    for (const [tool, settings] of [
      [convert, { format: 'jpg', quality: 90 }],
      [resize, { width: 32 }],
    ] as const) {
      const { paths, warnings } = await run(tool, folder, [source], settings)
      expect(warnings.join()).toContain('gain map')
      const bytes = readFileSync(paths[0]!)
      expect([bytes.includes('hdrgm:Version'), bytes.includes('GainMap'), bytes.includes('kept')]).toEqual([
        false,
        false,
        true,
      ])
      const { icc, gainMap } = await sharp(paths[0]!).metadata()
      expect([icc?.equals(swappedProfile()), gainMap]).toEqual([true, undefined])
    }
  })
})

describe.skipIf(!(await hasCjxl()))('JPEG XL by cjxl', () => {
  test('keeps the profile, 16 bit and alpha', async () => {
    const profile = swappedProfile()
    const source = await put(folder, 'deep.png', pngWithProfile(await png16(ramp16(2000, 4, 3)), profile))
    const { paths } = await run(convert, folder, [source], { format: 'jxl', quality: 100 })
    const back = await run(convert, folder, paths, { format: 'png' })
    expect(difference(await read16(back.paths[0]!), await read16(source)).most).toBe(0)
    expect((await sharp(back.paths[0]!).metadata()).icc).toBeDefined()
    const clear = await put(folder, 'clear.png', fromSamples(photo(20, 10, 4)).png())
    const { paths: alpha } = await run(convert, folder, [clear], { format: 'jxl', quality: 100 })
    const again = await run(convert, folder, alpha, { format: 'png' })
    expect(difference(await readPixels(again.paths[0]!), await readPixels(clear)).most).toBe(0)
  })
})

describe.skipIf(!(await hasHeifEnc()))('HEIC by heif-enc', () => {
  test('keeps the profile: clips nothing', async () => {
    const profile = swappedProfile()
    const source = await put(folder, 'wide.png', pngWithProfile(await quarters(64, 64), profile))
    const { paths } = await run(convert, folder, [source], { format: 'heic', quality: 95 })
    const back = await run(convert, folder, paths, { format: 'png' })
    expect((await sharp(back.paths[0]!).metadata()).icc?.equals(profile)).toBe(true)
    expect(at(await readPixels(back.paths[0]!), 10, 10)[0]).toBeGreaterThan(245)
  })
})
