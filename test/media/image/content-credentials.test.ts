import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { pngChunk } from '../../../src/media/codecs/png-chunks.ts'
import convert from '../../../tools/image/convert/convert.ts'
import resize from '../../../tools/image/geometry/resize.ts'
import editMetadata from '../../../tools/image/metadata/edit-metadata.ts'
import stripMetadata from '../../../tools/image/metadata/strip-metadata.ts'
import { fromSamples, photo, put, readRgba } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const picture = fromSamples(photo(64, 48))

function box(type: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(body.length + 8, 0)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, body])
}

/** A manifest store without a signature: a JUMBF superbox of the type c2pa. */
const STORE = box(
  'jumb',
  box(
    'jumd',
    Buffer.from('63327061001100108000', 'hex'),
    Buffer.from('00aa00389b71', 'hex'),
    Buffer.from('\x03c2pa\0'),
  ),
)

function inJpeg(jpeg: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('JP\0\x01\0\0\0\x01', 'latin1'), STORE])
  const head = Buffer.from([0xff, 0xeb, 0, body.length + 2])
  return Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)])
}

const inPng = (png: Buffer): Buffer => Buffer.concat([png.subarray(0, 33), pngChunk('caBX', STORE), png.subarray(33)])

function inWebp(webp: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write('C2PA', 0, 'latin1')
  head.writeUInt32LE(STORE.length, 4)
  const whole = Buffer.concat([webp, head, STORE, Buffer.alloc(STORE.length % 2)])
  whole.writeUInt32LE(whole.length - 8, 4)
  return whole
}

const inAvif = (avif: Buffer): Buffer =>
  Buffer.concat([avif, box('uuid', Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex'), Buffer.alloc(4), STORE)])

const SOURCES: Record<string, () => Promise<Buffer>> = {
  jpg: async () =>
    inJpeg(
      await picture
        .clone()
        .withExif({ IFD0: { Artist: 'Ada' } })
        .jpeg()
        .toBuffer(),
    ),
  png: async () =>
    inPng(
      await picture
        .clone()
        .withExif({ IFD0: { Artist: 'Ada' } })
        .png()
        .toBuffer(),
    ),
  webp: async () =>
    inWebp(
      await picture
        .clone()
        .withExif({ IFD0: { Artist: 'Ada' } })
        .webp()
        .toBuffer(),
    ),
  avif: async () =>
    inAvif(
      await picture
        .clone()
        .withExif({ IFD0: { Artist: 'Ada' } })
        .avif({ effort: 0 })
        .toBuffer(),
    ),
}

const LEFT_OUT = /has Content Credentials \(C2PA\), which are valid for its own bytes only; they are left out/
const hasStore = async (path: string): Promise<boolean> => (await readFile(path)).includes('jumdc2pa')

describe.each(Object.keys(SOURCES))('%s', (format) => {
  const source = async () => put(folder, `signed.${format}`, await SOURCES[format]!())

  test('an edit of pixels drops them with a warning', async () => {
    const { paths, warnings } = await run(resize, folder, [await source()], { width: 32 })
    expect([await hasStore(paths[0]!), warnings.join()]).toEqual([false, expect.stringMatching(LEFT_OUT)])
  })

  test('an edit of metadata removes them with a warning; the pixels stay', async () => {
    const path = await source()
    const { paths, warnings } = await run(editMetadata, folder, [path], { title: 'New' })
    expect([await hasStore(paths[0]!), warnings.join()]).toEqual([false, expect.stringMatching(LEFT_OUT)])
    expect((await readRgba(paths[0]!)).data.equals((await readRgba(path)).data)).toBe(true)
  })

  test('no warning without a change, or if all metadata is removed on purpose', async () => {
    const path = await source()
    const same = await run(editMetadata, folder, [path], {})
    expect([await hasStore(same.paths[0]!), same.warnings.join()]).toEqual([true, expect.not.stringMatching(/C2PA/)])
    const bare = await run(stripMetadata, folder, [path])
    expect([await hasStore(bare.paths[0]!), bare.warnings.join()]).toEqual([false, expect.not.stringMatching(/C2PA/)])
  })
})

test('another format does not support them', async () => {
  const { paths, warnings } = await run(convert, folder, [await put(folder, 'a.jpg', await SOURCES.jpg!())], {
    format: 'tiff',
  })
  expect((await sharp(paths[0]!).metadata()).format).toBe('tiff')
  expect(warnings.join()).toMatch(LEFT_OUT)
})
