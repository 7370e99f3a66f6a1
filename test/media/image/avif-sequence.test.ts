/** AVIF sequences: all frames if ffmpeg reads AV1, else their first picture with a warning. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { abilities, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import convert from '../../../tools/image/convert/convert.ts'
import resize from '../../../tools/image/geometry/resize.ts'
import { at, plain, put, readRgba } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const SENTENCE = /is an animated AVIF; only its first picture is used/

/** libvips checks only the brand; no decoder reads the tracks next to the picture. */
async function moving(): Promise<string> {
  const avif = await plain(40, 30, '#ff0000').avif({ lossless: true }).toBuffer()
  avif.write('avis', 8, 'latin1')
  return put(folder, 'moving.avif', avif)
}

test('decodes the first picture with a warning; --strict refuses', async () => {
  const source = await moving()
  const { paths, warnings } = await run(convert, folder, [source], { format: 'png' })
  expect(warnings).toEqual([expect.stringMatching(SENTENCE)])
  expect(at(await readRgba(paths[0]!), 20, 15)).toEqual([255, 0, 0])
  await expect(run(convert, folder, [source], { format: 'png' }, { strict: true })).rejects.toMatchObject({
    code: 'REFUSED_BY_STRICT',
  })
})

test('a written AVIF is still', async () => {
  const { paths } = await run(resize, folder, [await moving()], { width: 40 })
  expect(readFileSync(paths[0]!).toString('latin1', 8, 12)).toBe('avif')
  expect(await sharp(paths[0]!).metadata()).toMatchObject({ width: 40, height: 30 })
})

test('a still one causes no warning', async () => {
  const source = await put(folder, 'still.avif', plain(40, 30, '#ff0000').avif())
  expect((await run(resize, folder, [source], { width: 20 })).warnings).toEqual([])
})

test('decodes the frames with their times, if this ffmpeg supports AV1', async () => {
  const path = join(folder, 'track.avif')
  const { encoders, muxers } = await abilities()
  // Old builds support neither: the first test covers them.
  const isAble = encoders.has('libaom-av1') && muxers.has('avif')
  if (!isAble) return
  const colours = ['red', 'lime', 'blue'].map((colour) => `color=${colour}:s=64x48:r=4:d=0.25[${colour}]`)
  const joined = `${colours.join(';')};[red][lime][blue]concat=n=3`
  const coded = ['-c:v', 'libaom-av1', '-cpu-used', '8', '-crf', '20', '-pix_fmt', 'yuv444p', '-f', 'avif']
  await runFfmpeg(['-filter_complex', joined, ...coded, path])
  const { paths, warnings } = await run(convert, folder, [path], { format: 'webp' })
  expect(warnings).toEqual([])
  expect(await sharp(paths[0]!, { animated: true }).metadata()).toMatchObject({
    ...{ width: 64, pageHeight: 48, pages: 3, delay: [250, 250, 250] },
  })
  const pages = await sharp(paths[0]!, { animated: true }).removeAlpha().raw().toBuffer()
  const middles = [0, 1, 2].map((page) => [...pages.subarray(((page * 48 + 24) * 64 + 32) * 3).subarray(0, 3)])
  const expected = [
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
  ]
  for (const [index, middle] of middles.entries())
    for (const [channel, value] of middle.entries())
      expect(Math.abs(value - expected[index]![channel]!)).toBeLessThan(12)
  // The last frame is damaged: reports the missing part.
  const cut = readFileSync(path)
  const damaged = await run(convert, folder, [await put(folder, 'cut.avif', cut.subarray(0, -20))], { format: 'webp' })
  expect(damaged.warnings).toEqual([expect.stringMatching(/cut\.avif: a part of the source is damaged or missing/)])
})
