import { statSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { hasExiftool } from '../../../src/engines/exiftool.ts'
import { pngChunk } from '../../../src/media/codecs/png-chunks.ts'
import { encodeImage } from '../../../src/media/image/encode/encode.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { frameOf, fromSamples, photo, put } from '../../helpers/picture.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const drawn = () => fromSamples(photo(24, 16))

/** A PNG whose pixels are twice as high as wide, by its pHYs chunk after the header. */
async function tallPixels(): Promise<Buffer> {
  const png = await drawn().png().toBuffer()
  const perMetre = Buffer.alloc(9, 1)
  perMetre.writeUInt32BE(8000, 0)
  perMetre.writeUInt32BE(4000, 4)
  return Buffer.concat([png.subarray(0, 33), pngChunk('pHYs', perMetre), png.subarray(33)])
}

const described = () =>
  drawn()
    .jpeg()
    .withExif({ IFD0: { Artist: 'Somebody' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 0/1' } })

const untouched: Record<string, () => Promise<ImageFrame>> = {
  'nothing is written into it': async () => frameOf(await put(folder, 'plain.png', drawn().png())),
}
const byExiftool: Record<string, () => Promise<ImageFrame>> = {
  'its resolution is': async () => frameOf(await put(folder, 'tall.png', await tallPixels())),
  'places are taken out of it': async () =>
    (await frameOf(await put(folder, 'place.jpg', described()))).withTarget({ metadata: { drop: ['gps'] } }),
  'tags are copied into it': async () =>
    (await frameOf(await put(folder, 'tags.jpg', described()))).withTarget({ format: 'tiff' }),
}
const cases = { ...untouched, ...((await hasExiftool()) && byExiftool) }

test.each(Object.entries(cases))('the reported size is that of the file: %s', async (name, frameFor) => {
  const frame = await frameFor()
  const turned = await frame.apply((image) => image.flip())
  const path = join(folder, `${name.replaceAll(' ', '-')}.out`)
  const { bytes, loss } = await encodeImage(turned, path)
  expect([bytes, loss]).toEqual([statSync(path).size, undefined])
  expect((await sharp(path).metadata()).width).toBe(24)
})
