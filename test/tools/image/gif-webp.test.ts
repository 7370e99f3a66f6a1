import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import gifWebp from '../../../tools/image/convert/gif-webp.ts'
import { animation, at, fromSamples, photo, plain, put, readRgba } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const COLOURS = ['#ff0000', '#00ff00', '#0000ff', '#ffffff']

async function made(path: string, settings: Record<string, unknown> = {}) {
  const { paths, names } = await run(gifWebp, folder, [path], settings)
  const { format, pages, pageHeight, height, width, delay, loop } = await sharp(paths[0]!, {
    animated: true,
  }).metadata()
  return {
    path: paths[0]!,
    name: names[0]!,
    facts: { format, pages, width, height: pageHeight ?? height, delay, loop },
  }
}

test.each([
  ['gif', 'webp'],
  ['webp', 'gif'],
])('%s to %s: frames, delays, loop count and colours', async (from, to) => {
  const path = await animation(join(folder, `move.${from}`), COLOURS)
  const { path: result, name, facts } = await made(path)
  expect(name).toBe(`move.${to}`)
  expect(facts).toEqual({ format: to, pages: 4, width: 40, height: 24, delay: [50, 80, 110, 140], loop: 3 })
  for (const [page, wanted] of [
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
    [255, 255, 255],
  ].entries()) {
    const seen = at(await readRgba(result, page), 20, 12)
    for (const [channel, value] of wanted.entries()) expect(Math.abs(seen[channel]! - value)).toBeLessThan(6)
  }
})

test('endless stays endless', async () => {
  const path = await animation(join(folder, 'endless.gif'), COLOURS, { loop: 0 })
  expect((await made(path)).facts.loop).toBe(0)
})

test('resizePercent: rounds the width, the height follows, for every frame', async () => {
  const path = await animation(join(folder, 'size.gif'), COLOURS, { width: 41, height: 20 })
  const sizes: unknown[] = []
  for (const resizePercent of [10, 50, 100]) {
    const { facts } = await made(path, { resizePercent })
    sizes.push([facts.width, facts.height, facts.pages])
  }
  expect(sizes).toEqual([
    [4, 2, 4],
    [21, 10, 4],
    [41, 20, 4],
  ])
  const half = await made(path, { resizePercent: 50, lossless: true })
  // No colour of the next frame at the edges.
  expect(at(await readRgba(half.path, 1), 10, 0)).toEqual([0, 255, 0])
  expect(at(await readRgba(half.path, 1), 10, 9)).toEqual([0, 255, 0])
})

test('lossless keeps every pixel; otherwise quality determines the size', async () => {
  const path = await put(folder, 'still.gif', fromSamples(photo(80, 60)).gif())
  const { path: same } = await made(path, { lossless: true })
  expect((await readRgba(same)).data.equals((await readRgba(path)).data)).toBe(true)
  const sizes = await Promise.all(
    [1, 50, 100].map(async (quality) => (await readFile((await made(path, { quality })).path)).length),
  )
  expect(sizes).toEqual([...sizes].sort((a, b) => a - b))
  expect(new Set(sizes).size).toBe(3)
})

test('keeps transparency', async () => {
  const path = await put(folder, 'clear.webp', plain(20, 20, '#ff000000').webp({ lossless: true }))
  expect(at(await readRgba((await made(path)).path), 5, 5)[3]).toBe(0)
})

test('refuses other types', async () => {
  const path = await put(folder, 'still.png', plain(5, 5, '#ff0000').png())
  await expect(made(path)).rejects.toMatchObject({ code: 'UNSUPPORTED_FILE_TYPE' })
})
