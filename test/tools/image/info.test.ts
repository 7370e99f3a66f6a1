import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { encodeBmp } from '../../../src/media/codecs/bmp/bmp.ts'
import info from '../../../tools/image/metadata/info.ts'
import { ARTIST, exifBlock, jpegWithExif } from '../../helpers/exif.ts'
import {
  animation,
  fromSamples,
  jpegWithProfile,
  photo,
  png16,
  put,
  ramp16,
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const reportOf = async (path: string) => {
  const { report, paths } = await run(info, folder, [path])
  expect(paths).toEqual([])
  return report as Record<string, unknown> & { histogram: Record<string, number | string>[] }
}

test('statistics of known pixels', async () => {
  const data = Uint8Array.of(10, 20, 30, 255, 50, 20, 90, 0)
  const path = await put(folder, 'known.png', fromSamples({ width: 2, height: 1, channels: 4, data }).png())
  const report = await reportOf(path)
  const { size } = await stat(path)
  expect(report).toMatchObject({
    ...{ filename: 'known.png', fileSize: size, size, width: 2, height: 1, format: 'png', channels: 4, hasAlpha: true },
    ...{ colorSpace: 'srgb', isProgressive: false, orientation: null, bitDepth: '8', pages: 1, exif: null },
    ...{ hasProfile: false, hasExif: false, hasIcc: false, hasXmp: false },
  })
  // libvips computes the sample deviation: two values 40 apart deviate by 28.28.
  expect(report.histogram).toEqual([
    { channel: 'red', min: 10, max: 50, mean: 30, stdev: 28.28 },
    { channel: 'green', min: 20, max: 20, mean: 20, stdev: 0 },
    { channel: 'blue', min: 30, max: 90, mean: 60, stdev: 42.43 },
    { channel: 'alpha', min: 0, max: 255, mean: 127.5, stdev: 180.31 },
  ])
})

test('sizes as stored, orientation, EXIF, profile and density', async () => {
  const jpeg = await fromSamples(photo(60, 40)).jpeg({ progressive: true }).toBuffer()
  const report = await reportOf(
    await put(folder, 'held.jpg', jpegWithExif(jpegWithProfile(jpeg, swappedProfile()), exifBlock(6))),
  )
  expect(report).toMatchObject({
    ...{ width: 60, height: 40, format: 'jpeg', orientation: 6, isProgressive: true, density: 72, dpi: 72 },
    ...{ hasExif: true, hasIcc: true, hasProfile: true, exif: { Artist: ARTIST } },
  })
})

test('depth, grey, frames', async () => {
  const deep = await reportOf(await put(folder, 'deep.png', await png16(ramp16(1000, 2))))
  expect(deep).toMatchObject({ bitDepth: '16', channels: 1, colorSpace: 'grey16' })
  expect(deep.histogram).toHaveLength(1)
  expect(deep.histogram[0]).toMatchObject({ channel: 'grey', min: 33, max: 65502 })
  expect(await reportOf(await animation(join(folder, 'moving.gif'), ['#ff0000', '#00ff00', '#0000ff']))).toMatchObject({
    format: 'gif',
    pages: 3,
    width: 40,
    height: 24,
  })
})

test('formats that sharp does not read', async () => {
  const path = await put(folder, 'old.bmp', encodeBmp({ ...photo(30, 20), channels: 3, depth: 8 }))
  expect(await reportOf(path)).toMatchObject({ format: 'bmp', width: 30, height: 20, channels: 3, bitDepth: '8' })
})
