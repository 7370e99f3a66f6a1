/** Moving AVIFs: their first picture is taken, and it is said. */
import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import convert from '../../../tools/image/convert.ts'
import resize from '../../../tools/image/resize.ts'
import { at, plain, put, readRgba } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const SENTENCE = /is a moving AVIF; only its first picture is used/

/** The brand is what libvips looks at; the tracks beside the picture are read by nobody. */
async function moving(): Promise<string> {
  const avif = await plain(40, 30, '#ff0000').avif({ lossless: true }).toBuffer()
  avif.write('avis', 8, 'latin1')
  return put(folder, 'moving.avif', avif)
}

test('the first picture comes, with a warning; --strict refuses', async () => {
  const source = await moving()
  const { paths, warnings } = await run(convert, folder, [source], { format: 'png' })
  expect(warnings).toEqual([expect.stringMatching(SENTENCE)])
  expect(at(await readRgba(paths[0]!), 20, 15)).toEqual([255, 0, 0])
  await expect(run(convert, folder, [source], { format: 'png' }, { strict: true })).rejects.toMatchObject({
    code: 'REFUSED_BY_STRICT',
  })
})

test('what is written as AVIF is still', async () => {
  const { paths } = await run(resize, folder, [await moving()], { width: 40 })
  expect(readFileSync(paths[0]!).toString('latin1', 8, 12)).toBe('avif')
  expect(await sharp(paths[0]!).metadata()).toMatchObject({ width: 40, height: 30 })
})

test('a still one is not spoken of', async () => {
  const source = await put(folder, 'still.avif', plain(40, 30, '#ff0000').avif())
  expect((await run(resize, folder, [source], { width: 20 })).warnings).toEqual([])
})
