import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import colorPalette from '../../../tools/image/colour/color-palette.ts'
import {
  animation,
  fromSamples,
  photo,
  plain,
  png16,
  pngWithProfile,
  put,
  quarters,
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** Columns of plain colours with given widths in pixels. */
async function columns(name: string, height: number, ...parts: [string, number][]): Promise<string> {
  const width = parts.reduce((sum, [, share]) => sum + share, 0)
  let left = 0
  const layers = []
  for (const [colour, share] of parts) {
    layers.push({ input: await plain(share, height, colour).png().toBuffer(), left, top: 0 })
    left += share
  }
  return put(folder, name, plain(width, height, '#000000').composite(layers).removeAlpha().png())
}

const FLAG: [string, number][] = [
  ['#c0392b', 60],
  ['#2e86c1', 25],
  ['#f4d03f', 15],
]

test('finds plain areas exactly, most frequent first', async () => {
  const input = await columns('flag.png', 100, ...FLAG)
  const { report, paths } = await run(colorPalette, folder, [input])
  expect(paths).toEqual([])
  const hex = ['#c0392b', '#2e86c1', '#f4d03f']
  expect(report).toEqual({ filename: 'flag.png', colors: hex, hex, count: 3 })
})

test('does not blur a small picture by enlarging it', async () => {
  const input = await columns('small.png', 2, ['#c0392b', 3], ['#2e86c1', 2])
  expect((await run(colorPalette, folder, [input])).report.hex).toEqual(['#c0392b', '#2e86c1'])
})

test('limits the count; merged colours are represented by an existing one', async () => {
  const input = await columns('reds.png', 100, ['#ff0000', 30], ['#fa0000', 30], ['#0000ff', 40])
  const { report } = await run(colorPalette, folder, [input], { count: 2 })
  // Their mean, #fd0000, is nowhere in the picture.
  expect(report).toMatchObject({ hex: ['#fa0000', '#0000ff'], count: 2 })
  const photoFile = await put(folder, 'photo.png', fromSamples(photo(300, 200)).png())
  for (const count of [2, 16]) {
    const hex = (await run(colorPalette, folder, [photoFile], { count })).report.hex as string[]
    expect(new Set(hex).size).toBe(count)
    for (const colour of hex) expect(colour).toMatch(/^#[0-9a-f]{6}$/)
  }
})

test('of equally typical colours, the first in the picture is taken', async () => {
  const input = await columns('tie.png', 2, ['#140a00', 30], ['#0a1400', 30], ['#0000ff', 40])
  expect((await run(colorPalette, folder, [input], { count: 2 })).report.hex).toEqual(['#140a00', '#0000ff'])
})

test('soft edges and noise of an area are not separate colours', async () => {
  const disc =
    '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="90"><circle cx="60" cy="45" r="33" fill="#e33"/></svg>'
  const input = await put(folder, 'disc.png', sharp(Buffer.from(disc)).png())
  expect((await run(colorPalette, folder, [input], { count: 5 })).report.hex).toEqual(['#ee3333'])
})

test('text forms', async () => {
  const input = await columns('flag2.png', 100, ...FLAG)
  const rgb = (await run(colorPalette, folder, [input], { format: 'rgb' })).report
  expect(rgb.colors).toEqual(['rgb(192, 57, 43)', 'rgb(46, 134, 193)', 'rgb(244, 208, 63)'])
  expect(rgb.hex).toEqual(['#c0392b', '#2e86c1', '#f4d03f'])
  expect((await run(colorPalette, folder, [input], { format: 'hsl' })).report.colors).toEqual([
    'hsl(6, 63%, 46%)',
    'hsl(204, 62%, 47%)',
    'hsl(48, 89%, 60%)',
  ])
  const plainOnes = await columns('plain.png', 100, ['#ffffff', 40], ['#000000', 35], ['#ff00ff', 25])
  expect((await run(colorPalette, folder, [plainOnes], { format: 'hsl' })).report.colors).toEqual([
    'hsl(0, 0%, 100%)',
    'hsl(0, 0%, 0%)',
    'hsl(300, 100%, 50%)',
  ])
})

test('one colour gives one', async () => {
  const input = await put(folder, 'one.png', plain(300, 200, '#123456').png())
  expect((await run(colorPalette, folder, [input], { count: 16 })).report).toMatchObject({ hex: ['#123456'], count: 1 })
})

test('drops alpha without blending', async () => {
  const data = Uint8Array.from({ length: 40 * 40 * 4 }, (_, index) => [200, 100, 50, 128][index % 4]!)
  const input = await put(folder, 'alpha.png', fromSamples({ width: 40, height: 40, channels: 4, data }).png())
  expect((await run(colorPalette, folder, [input])).report.hex).toEqual(['#c86432'])
})

test('returns only colours of the picture, at any size', async () => {
  const given = photo(701, 463)
  const input = await put(folder, 'large.png', fromSamples(given).png())
  const there = new Set<string>()
  for (let at = 0; at < given.data.length; at += 3)
    there.add(`#${Buffer.from(given.data.subarray(at, at + 3)).toString('hex')}`)
  const hex = (await run(colorPalette, folder, [input], { count: 16 })).report.hex as string[]
  expect(hex.filter((colour) => !there.has(colour))).toEqual([])
  // Fine stripes: a smaller copy of the picture would be grey.
  const stripes = new Uint8Array(900 * 600 * 3)
  for (let at = 0; at < stripes.length; at += 1) stripes[at] = (Math.floor(at / 3) % 900) % 3 === 0 ? 255 : 0
  const striped = await put(
    folder,
    'stripes.png',
    fromSamples({ width: 900, height: 600, channels: 3, data: stripes }).png(),
  )
  expect((await run(colorPalette, folder, [striped])).report.hex).toEqual(['#000000', '#ffffff'])
})

test('ignores transparent pixels, and counts semi-transparent ones half', async () => {
  // A third red, opaque; a sixth green, opaque; half of it blue, a quarter opaque; and as much again black, clear.
  const data = new Uint8Array(60 * 40 * 4)
  for (let at = 0; at < 60 * 20; at += 1) {
    const x = at % 60
    data.set(x < 20 ? [255, 0, 0, 255] : x < 30 ? [0, 255, 0, 255] : [0, 0, 255, 64], at * 4)
  }
  const input = await put(folder, 'clear.png', fromSamples({ width: 60, height: 40, channels: 4, data }).png())
  expect((await run(colorPalette, folder, [input])).report.hex).toEqual(['#ff0000', '#00ff00', '#0000ff'])
  const none = await put(folder, 'none.png', plain(20, 20, '#00000000').png())
  expect((await run(colorPalette, folder, [none])).report).toMatchObject({ colors: [], hex: [], count: 0 })
})

test('grey, 16 bit, CMYK, profiles and animations', async () => {
  const grey = await put(folder, 'grey.png', plain(50, 50, '#808080').toColourspace('b-w').png())
  expect((await run(colorPalette, folder, [grey])).report.hex).toEqual(['#808080'])
  const data = Uint16Array.from({ length: 60 * 60 * 3 }, (_, index) => [51400, 25700, 12850][index % 3]!)
  const deep = await put(folder, 'deep.png', await png16({ width: 60, height: 60, channels: 3, data }))
  expect((await run(colorPalette, folder, [deep])).report.hex).toEqual(['#c86432'])
  const cmyk = join(folder, 'cmyk.jpg')
  await sharp(await quarters(200, 200))
    .toColourspace('cmyk')
    .jpeg({ quality: 100 })
    .toFile(cmyk)
  expect((await run(colorPalette, folder, [cmyk], { count: 16 })).report.hex).toContain('#ffffff')
  const own = await put(
    folder,
    'own.png',
    pngWithProfile(await plain(20, 20, '#ff0000').png().toBuffer(), swappedProfile()),
  )
  const [seen] = (await run(colorPalette, folder, [own])).report.hex as string[]
  // The profile makes the file's red look green.
  expect([Number.parseInt(seen!.slice(1, 3), 16) < 10, Number.parseInt(seen!.slice(3, 5), 16) > 245]).toEqual([
    true,
    true,
  ])
  const moving = await animation(join(folder, 'moving.gif'), ['#ff0000', '#0000ff'])
  expect((await run(colorPalette, folder, [moving])).report.hex).toEqual(['#ff0000'])
})
