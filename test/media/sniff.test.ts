import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeBmp } from '../../src/media/codecs/bmp/bmp.ts'
import { encodeEps } from '../../src/media/codecs/eps.ts'
import { encodeIco } from '../../src/media/codecs/ico.ts'
import { encodePnm } from '../../src/media/codecs/pnm.ts'
import { encodePsd } from '../../src/media/codecs/psd/psd.ts'
import { encodeQoi } from '../../src/media/codecs/qoi.ts'
import { encodeTga } from '../../src/media/codecs/tga.ts'
import { sniffBytes, sniffFile } from '../../src/media/sniff.ts'
import { typeOfName } from '../../src/media/type.ts'
import { hasProgram, little, picture, randomNumbers, throughProgram } from './codecs/helpers.ts'

const latin = (text: string) => Buffer.from(text, 'latin1')
const id = (bytes: Uint8Array | string, name?: string) =>
  sniffBytes(typeof bytes === 'string' ? latin(bytes) : bytes, name).id

function box(type: string, body: Buffer): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(body.length + 8)
  return Buffer.concat([size, latin(type), body])
}
const ftyp = (major: string, ...compatible: string[]) =>
  Buffer.concat([box('ftyp', latin(`${major}\0\0\0\0${compatible.join('')}`)), Buffer.alloc(64)])

function png(...chunks: string[]): Buffer {
  return Buffer.concat(
    [
      latin('\x89PNG\r\n\x1a\n'),
      ...['IHDR', ...chunks, 'IEND'].map((type) =>
        Buffer.concat([box(type, Buffer.alloc(type === 'IHDR' ? 13 : 8)), Buffer.alloc(4)]),
      ),
    ].map((part, index) => (index === 0 ? part : withChunkLength(part))),
  )
}
/** PNG counts only the body, without length, type and checksum. */
function withChunkLength(chunk: Buffer): Buffer {
  chunk.writeUInt32BE(chunk.length - 12)
  return chunk
}

function zip(...entries: [name: string, content?: string][]): Buffer {
  const locals = entries.map(([name, content = '']) =>
    Buffer.concat([
      little(
        [0x04034b50, 4],
        [20, 2],
        [0, 2],
        [0, 2],
        [0, 4],
        [0, 4],
        [content.length, 4],
        [content.length, 4],
        [name.length, 2],
        [0, 2],
      ),
      latin(name + content),
    ]),
  )
  const directory = Buffer.concat(
    entries.map(([name, content = '']) =>
      Buffer.concat([
        little(
          [0x02014b50, 4],
          [20, 2],
          [20, 2],
          [0, 2],
          [0, 2],
          [0, 4],
          [0, 4],
          [content.length, 4],
          [content.length, 4],
          [name.length, 2],
          [0, 2],
          [0, 2],
          [0, 2],
          [0, 2],
          [0, 4],
          [0, 4],
        ),
        latin(name),
      ]),
    ),
  )
  const start = Buffer.concat(locals).length
  const end = little(
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [entries.length, 2],
    [entries.length, 2],
    [directory.length, 4],
    [start, 4],
    [0, 2],
  )
  return Buffer.concat([...locals, directory, end])
}

/** A compound file whose directory is in sector 0 by default; `stated` is the value in the header. */
function compound(streams: string[], sector = 0, stated = sector): Buffer {
  const header = Buffer.alloc(512)
  header.write('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1')
  header.writeUInt16LE(9, 30)
  header.writeUInt32LE(stated, 48)
  const directory = Buffer.concat(
    ['Root Entry', ...streams].map((name) => {
      const entry = Buffer.alloc(128)
      entry.write(name, 'utf16le')
      entry.writeUInt16LE(name.length * 2 + 2, 64)
      return entry
    }),
  )
  return Buffer.concat([header, Buffer.alloc(sector * 512), directory])
}

type Entry = [tag: number, type: number, count: number, value: number]
function tiff(entries: Entry[], make = ''): Buffer {
  const start = 8 + 2 + (entries.length + (make ? 1 : 0)) * 12 + 4
  const all: Entry[] = make ? [...entries, [271, 2, make.length + 1, start]] : entries
  const fields = all.map(([tag, type, count, value]) => little([tag, 2], [type, 2], [count, 4], [value, 4]))
  return Buffer.concat([latin('II*\0'), little([8, 4], [all.length, 2]), ...fields, little([0, 4]), latin(`${make}\0`)])
}

describe('pictures', () => {
  test('output of the codecs', () => {
    const raster = picture(20, 10, 3)
    expect(id(encodeBmp(raster))).toBe('bmp')
    expect(id(encodeQoi(raster))).toBe('qoi')
    expect(id(encodePsd(raster))).toBe('psd')
    expect(id(encodePnm(raster))).toBe('ppm')
    expect(id(encodePnm(picture(5, 5, 1)))).toBe('pgm')
    expect(id(encodeTga(raster))).toBe('tga')
    expect(id(encodeIco([{ png: png('IDAT'), width: 16, height: 16 }]))).toBe('ico')
    expect(id(encodeEps({ width: 1, height: 1, channels: 1, pixels: Uint8Array.of(1) }))).toBe('eps')
  })

  test('PNG is APNG only if acTL is before IDAT', () => {
    expect(id(png('IDAT'))).toBe('png')
    expect(id(png('gAMA', 'acTL', 'IDAT'))).toBe('apng')
    expect(id(png('IDAT', 'acTL'))).toBe('png')
  })

  test('signatures at the start', () => {
    const marks: [string, string][] = [
      ['jpg', '\xff\xd8\xff\xe0'],
      ['gif', 'GIF89a'],
      ['webp', 'RIFF\x10\0\0\0WEBPVP8 '],
      ['jxl', '\xff\x0a\0'],
      ['jxl', '\0\0\0\x0cJXL \x0d\x0a\x87\x0a'],
      ['jp2', '\0\0\0\x0cjP  \x0d\x0a\x87\x0a'],
      ['exr', '\x76\x2f\x31\x01'],
      ['hdr', '#?RADIANCE\n'],
      ['dds', 'DDS |'],
      ['fits', 'SIMPLE  =                    T'],
      ['dpx', 'XPDS'],
      ['psb', '8BPS\0\x02'],
      ['xcf', 'gimp xcf v011'],
      ['cur', '\0\0\x02\0\x01\0\x10\x10\0\0\0\0\0\0\x40\0\0\0\x16\0\0\0'],
      ['pbm', 'P1\n# comment\n2 2\n1 0 0 1\n'],
      ['pam', 'P7\nWIDTH 1\n'],
      ['orf', 'IIRO\x08\0\0\0'],
      ['rw2', 'IIU\0\x18\0\0\0'],
    ]
    for (const [wanted, bytes] of marks) expect(id(bytes)).toBe(wanted)
  })

  test('HEIF by its brands, regardless of the name', () => {
    expect(id(ftyp('heic', 'mif1'), 'a.jpg')).toBe('heic')
    expect(id(ftyp('mif1', 'mif1', 'heic'))).toBe('heic')
    expect(id(ftyp('mif1', 'mif1', 'avif', 'miaf'))).toBe('avif')
    expect(id(ftyp('avif', 'mif1', 'heic'))).toBe('avif')
    expect(id(ftyp('mif1', 'mif1'), 'a.heic')).toBe('heif')
    expect(id(ftyp('msf1', 'hevc'))).toBe('heic')
  })

  test('TIFF and the camera formats built on it', () => {
    const plain: Entry = [262, 3, 1, 2]
    const preview: Entry = [254, 4, 1, 1]
    expect(id(tiff([plain]))).toBe('tiff')
    expect(id(tiff([plain]), 'a.nef')).toBe('tiff')
    expect(id(tiff([plain, [50706, 1, 4, 0x401]]), 'a.tif')).toBe('dng')
    expect(id(tiff([preview, plain], 'NIKON CORPORATION'))).toBe('nef')
    expect(id(tiff([plain], 'NIKON CORPORATION'))).toBe('tiff')
    expect(id(tiff([plain], 'NIKON CORPORATION'), 'a.nef')).toBe('nef')
    expect(id(tiff([preview, plain], 'SONY'))).toBe('arw')
    expect(id(tiff([[262, 3, 1, 32803]], 'SONY'))).toBe('arw')
    expect(id('II*\0\x10\0\0\0CR\x02\0')).toBe('cr2')
    expect(id('MM\0*\xff\0\0\0', 'a.dng')).toBe('dng')
    expect(id('MM\0*\xff\0\0\0', 'a.png')).toBe('tiff')
  })

  test('TGA needs another sign besides a plausible header', () => {
    const bare = Buffer.from(encodeTga(picture(20, 10, 3))).subarray(0, -26)
    expect(id(bare)).toBe('unknown')
    expect(id(bare, 'a.tga')).toBe('tga')
    expect(id(bare, 'a.jpg')).toBe('unknown')
    bare[2] = 7
    expect(id(bare, 'a.tga')).toBe('unknown')
  })
})

describe('SVG and other text', () => {
  test('the root element decides', () => {
    expect(id('<svg xmlns="http://www.w3.org/2000/svg"/>')).toBe('svg')
    expect(
      id(
        '\xef\xbb\xbf<?xml version="1.0"?>\n<!-- <html> -->\n<!DOCTYPE svg [ <!ENTITY a "<b>"> ]>\n<svg:svg width="1">',
      ),
    ).toBe('svg')
    expect(id('<?xml version="1.0"?><feed><svg/></feed>')).toBe('xml')
    expect(id('<!DOCTYPE html><html><svg></svg></html>', 'a.svg')).toBe('html')
    expect(id('<html><body><svg/></body></html>')).toBe('html')
    expect(id('<?xml version="1.0"?><html xmlns="…">')).toBe('html')
    expect(id('<?xml version="1.0"?><!-- never closed')).toBe('xml')
    expect(id(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('<svg width="1"/>', 'utf16le')]))).toBe('svg')
    expect(id('no picture, but <svg> in words', 'a.svg')).toBe('txt')
  })

  test('svgz', () => {
    expect(id(gzipSync('<?xml version="1.0"?><svg/>'))).toBe('svgz')
    expect(id(gzipSync('hello'), 'a.svgz')).toBe('gz')
    const large = gzipSync(`<svg><path d="${'1 2 '.repeat(500000)}"/></svg>`)
    expect(id(large.subarray(0, 65536))).toBe('svgz')
    expect(id('\x1f\x8b\x08\0damaged')).toBe('gz')
  })

  test('text is typed by its name, but never becomes a picture, video or audio', () => {
    expect(id('hello', 'a.jpg')).toBe('txt')
    expect(id('const a = 1', 'a.ts')).toBe('txt')
    expect(id('a,b\n1,2\n', 'a.csv')).toBe('csv')
    expect(id('a\tb\n', 'a.tsv')).toBe('tsv')
    expect(id('# Title', 'a.markdown')).toBe('md')
    expect(id('<div>raw</div>\n\n# Title', 'a.md')).toBe('md')
    expect(id('a: 1', 'a.yml')).toBe('yaml')
    expect(id('{"a": 1}', 'a.json')).toBe('json')
    expect(id('{"a": 1}')).toBe('json')
    expect(id('{broken')).toBe('txt')
    expect(id('WEBVTT\n\n', 'a.txt')).toBe('vtt')
    expect(id('1\r\n00:00:01,000 --> 00:00:02,000\r\nHi')).toBe('srt')
    expect(id('[Script Info]\n')).toBe('ass')
    expect(id('na\xefve caf\xe9', 'a.csv')).toBe('csv')
    expect(id('BM is a text about bitmaps and such', 'a.bmp')).toBe('txt')
    expect(id('ID3 tags are a thing of the past', 'a.mp3')).toBe('txt')
    expect(id('P3 is what we had, P6 is what we got')).toBe('txt')
    expect(id('A PDF begins with %PDF-1.7, they say')).toBe('txt')
    expect(id('{\\rtf1 hi}')).toBe('rtf')
  })

  test('text cut in the middle of a character is still text', () => {
    const bytes = Buffer.from('é'.repeat(50))
    expect(id(bytes.subarray(0, 99))).toBe('txt')
  })

  test('nothing and noise', () => {
    expect(sniffBytes(new Uint8Array(), 'a.jpg')).toMatchObject({ id: 'empty', group: 'unknown' })
    expect(sniffBytes(Buffer.alloc(100), 'a.jpg')).toMatchObject({ id: 'unknown', group: 'unknown' })
  })
})

describe('video and audio', () => {
  test('ISO media by brand; generic brands may use the type of the name', () => {
    expect(id(ftyp('isom', 'mp42'))).toBe('mp4')
    expect(id(ftyp('isom'), 'a.m4v')).toBe('m4v')
    expect(id(ftyp('isom'), 'a.avi')).toBe('mp4')
    expect(id(ftyp('qt  '), 'a.mp4')).toBe('mov')
    expect(id(ftyp('M4A ', 'isom'), 'a.mp4')).toBe('m4a')
    expect(id(ftyp('3gp5'))).toBe('3gp')
    expect(id(ftyp('crx '))).toBe('cr3')
    expect(id(box('moov', Buffer.alloc(20)))).toBe('mov')
  })

  test('other containers', () => {
    expect(id('\x1a\x45\xdf\xa3\x93\x42\x86\x81\x01\x42\x82\x84webm')).toBe('webm')
    expect(id('\x1a\x45\xdf\xa3\x93\x42\x82\x88matroska', 'a.webm')).toBe('mkv')
    expect(id('RIFF\0\0\0\0AVI LIST')).toBe('avi')
    expect(id('RF64\xff\xff\xff\xffWAVEds64')).toBe('wav')
    expect(id('FORM\0\0\0\0AIFCCOMM')).toBe('aiff')
    expect(id('OggS\0\x02                      \x01vorbis')).toBe('ogg')
    expect(id('OggS\0\x02                      OpusHead')).toBe('opus')
    expect(id('OggS\0\x02                      \x80theora OggS OpusHead')).toBe('ogv')
    expect(id('fLaC\0')).toBe('flac')
    expect(id('#!AMR\n')).toBe('amr')
    expect(id('FLV\x01\x05')).toBe('flv')
    expect(id('\0\0\x01\xba\x44')).toBe('mpg')
  })

  test('transport streams have three names and two packet lengths', () => {
    const stream = (step: number, first: number) => {
      const bytes = Buffer.alloc(step * 6, 0xff)
      for (let at = first; at < bytes.length; at += step) bytes[at] = 0x47
      return bytes
    }
    expect(id(stream(188, 0))).toBe('ts')
    expect(id(stream(188, 0), 'a.mts')).toBe('mts')
    expect(id(stream(192, 4))).toBe('m2ts')
    expect(id(stream(192, 4), 'a.mts')).toBe('mts')
    expect(id(stream(190, 0), 'a.ts')).toBe('unknown')
  })

  test('MP3 and AAC by two consecutive frames, also after a tag', () => {
    // 128 kbit/s at 44.1 kHz: 417 bytes per frame.
    const mp3 = Buffer.alloc(417 * 3)
    for (const at of [0, 417, 834]) mp3.write('\xff\xfb\x90\x00', at, 'latin1')
    expect(id(mp3)).toBe('mp3')
    const lone = Buffer.from(mp3)
    lone[417] = 0
    expect(id(lone)).toBe('unknown')
    const tag = latin('ID3\x04\0\0\0\0\0\x0a0123456789')
    expect(id(Buffer.concat([tag, mp3]))).toBe('mp3')
    expect(id(Buffer.concat([tag, latin('fLaC')]))).toBe('flac')
    expect(id('ID3\x03\0\0\0\x7f\x7f\x7f', 'a.aac')).toBe('aac')
    expect(id('ID3\x03\0\0\0\x7f\x7f\x7f', 'a.jpg')).toBe('mp3')
    const aac = Buffer.alloc(300)
    for (const at of [0, 100, 200]) aac.set([0xff, 0xf1, 0x50, 0x80, 100 >> 3, (100 & 7) << 5, 0xfc], at)
    expect(id(aac, 'a.mp3')).toBe('aac')
  })
})

describe('documents and archives', () => {
  test('ZIP containers by their entries', () => {
    expect(id(zip(['[Content_Types].xml', 'x'], ['word/document.xml']), 'a.zip')).toBe('docx')
    expect(id(zip(['_rels/.rels'], ['xl/workbook.xml']))).toBe('xlsx')
    expect(id(zip(['ppt/presentation.xml']))).toBe('pptx')
    expect(id(zip(['mimetype', 'application/epub+zip']))).toBe('epub')
    expect(id(zip(['mimetype', 'application/vnd.oasis.opendocument.spreadsheet']))).toBe('ods')
    expect(id(zip(['photo.jpg', 'x']), 'a.docx')).toBe('zip')
    expect(id(zip())).toBe('zip')
  })

  test('an Office document stored in an archive does not make the archive one', () => {
    const inner = zip(['[Content_Types].xml', 'x'], ['xl/workbook.xml', 'x']).toString('latin1')
    expect(id(zip(['people.csv', 'a,b'], ['people.xlsx', inner]))).toBe('zip')
    expect(id(zip(['people.xlsx', inner]))).toBe('zip')
    expect(id(inner)).toBe('xlsx')
  })

  test('old Office files by their streams; an encrypted new one by its name', () => {
    expect(id(compound(['WordDocument']), 'a.xls')).toBe('doc')
    expect(id(compound(['Workbook']))).toBe('xls')
    expect(id(compound(['PowerPoint Document']))).toBe('ppt')
    expect(id(compound(['EncryptedPackage']), 'a.xlsx')).toBe('xlsx')
    expect(id(compound(['EncryptedPackage']))).toBe('docx')
    expect(id(compound(['Something']))).toBe('unknown')
  })

  test('PDF, also after other bytes; PostScript', () => {
    expect(id('%PDF-1.7\n')).toBe('pdf')
    expect(id(`${'\0'.repeat(500)}%PDF-1.4\n`)).toBe('pdf')
    expect(id('HTTP/1.1 200 OK\r\n\r\n%PDF-1.4\r')).toBe('pdf')
    expect(id('junk%PDF-1.4\n', 'a.pdf')).toBe('pdf')
    expect(id('%!PS-Adobe-3.0\n')).toBe('ps')
    expect(id('%!PS-Adobe-3.0\n', 'a.eps')).toBe('eps')
    expect(id('\xc5\xd0\xd3\xc6')).toBe('eps')
  })
})

test('no truncated file throws', () => {
  const random = randomNumbers(7)
  const starts = [
    png('acTL'),
    tiff([[271, 2, 0xffffffff, 0xffffffff]]),
    ftyp('mif1'),
    zip(['mimetype', 'a']),
    compound(['a'], 0, 0xfffffffe),
    encodeTga(picture(4, 4, 3)),
    gzipSync('<svg>'),
  ]
  for (const start of starts) {
    for (let length = 0; length < start.length; length++)
      expect(sniffBytes(start.subarray(0, length)).id).toBeTypeOf('string')
    for (let round = 0; round < 200; round++) {
      const changed = Uint8Array.from(start)
      changed[Math.floor(random() * changed.length)] = Math.floor(random() * 256)
      expect(sniffBytes(changed).id).toBeTypeOf('string')
    }
  }
})

describe('sniffFile', () => {
  let folder: string
  const file = (name: string, bytes: Uint8Array) => {
    writeFileSync(join(folder, name), bytes)
    return join(folder, name)
  }
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'mediaproc-test-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('reads beyond the first 64 KiB if the start is ambiguous', async () => {
    const padding = 'x'.repeat(100_000)
    expect((await sniffFile(file('a.bin', zip(['customXml/item1.xml', padding], ['xl/workbook.xml'])))).id).toBe('xlsx')
    expect((await sniffFile(file('b.bin', zip(['readme', padding])))).id).toBe('zip')
    const inner = zip(['xl/workbook.xml', 'x']).toString('latin1')
    expect((await sniffFile(file('f.bin', zip(['people.xlsx', inner], ['readme', padding])))).id).toBe('zip')
    expect((await sniffFile(file('g.bin', zip(['xl/workbook.xml', padding])))).id).toBe('xlsx')
    expect((await sniffFile(file('c.bin', compound(['PowerPoint Document'], 300)))).id).toBe('ppt')
    expect((await sniffFile(file('d.bin', encodeTga(picture(300, 200, 4), { compress: false })))).id).toBe('tga')
    expect((await sniffFile(file('e.bin', compound(['Workbook'], 300, 0xfffffffe)))).id).toBe('unknown')
  })

  test('a given name replaces the path; empty files; missing files; folders', async () => {
    expect((await sniffFile(file('upload-1', latin('a,b')), 'table.csv')).id).toBe('csv')
    expect((await sniffFile(file('f.csv', latin('a,b')))).id).toBe('csv')
    expect((await sniffFile(file('g.jpg', new Uint8Array()))).id).toBe('empty')
    await expect(sniffFile(join(folder, 'absent'))).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
    mkdirSync(join(folder, 'sub'))
    await expect(sniffFile(join(folder, 'sub'))).rejects.toMatchObject({ code: 'IS_A_FOLDER' })
  })
})

test.skipIf(!hasProgram('ffmpeg'))("detects ffmpeg's output without its name", () => {
  const silence = Buffer.alloc(48000 * 2)
  const audio = (extension: string, ...codec: string[]) =>
    throughProgram(
      'ffmpeg',
      ['-v', 'error', '-f', 's16le', '-ar', '48000', '-ac', '1', '-i', '{in}', ...codec, '{out}'],
      silence,
      'raw',
      extension,
    )
  for (const extension of [
    'mp3',
    'wav',
    'flac',
    'aac',
    'm4a',
    'ogg',
    'opus',
    'wma',
    'aiff',
    'ac3',
    'avi',
    'mov',
    'mkv',
    'm2ts',
  ]) {
    const wanted = extension === 'm2ts' ? 'm2ts' : extension
    expect(id(audio(extension)), extension).toBe(wanted)
  }
  const video = (extension: string, ...codec: string[]) =>
    throughProgram(
      'ffmpeg',
      [
        '-v',
        'error',
        '-f',
        'rawvideo',
        '-pix_fmt',
        'gray',
        '-s',
        '160x120',
        '-r',
        '25',
        '-i',
        '{in}',
        ...codec,
        '{out}',
      ],
      Buffer.alloc(160 * 120 * 3),
      'raw',
      extension,
    )
  for (const extension of [
    'mp4',
    'm4v',
    'mov',
    'webm',
    'mkv',
    'avi',
    'ts',
    'flv',
    'wmv',
    'mpg',
    'ogv',
    'gif',
    'apng',
    'webp',
  ]) {
    expect(id(video(extension)), extension).toBe(extension)
  }
})

const corpus = '/work/shared/corpus'
test.skipIf(!existsSync(corpus))('real files have the type of their extension, also without it', async () => {
  const damaged = new Set(['bad-corrupt-header.jpg'])
  for (const folder of ['audio', 'documents', 'faces', 'formats', 'metadata', 'ocr', 'office', 'photos', 'video']) {
    for (const name of readdirSync(join(corpus, folder)).filter((file) => !damaged.has(file))) {
      const claimed = typeOfName(`a${extname(name)}`)
      expect((await sniffFile(join(corpus, folder, name), 'upload')).id, name).toBe(claimed?.id)
    }
  }
})

test('record and unit separators separate the cells of a table', () => {
  expect(sniffBytes(Buffer.from('a\u001eb\n1\u001e2\n'), 'table.csv').id).toBe('csv')
  expect(sniffBytes(Buffer.from('a\u001fb\n1\u001f2\n'), 'table.csv').id).toBe('csv')
  expect(sniffBytes(Buffer.from('a\u0001b\n'), 'table.csv').id).toBe('unknown')
})
