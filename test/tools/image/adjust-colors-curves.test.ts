/** Levels, curves and look-up tables of adjust-colors. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { zip } from '../../../src/lists.ts'
import { parseCube } from '../../../src/media/colour/cube.ts'
import adjustColors from '../../../tools/image/colour/adjust-colors.ts'
import {
  at,
  difference,
  fromSamples,
  photo,
  plain,
  png16,
  put,
  ramp16,
  read16,
  readRgba,
  type Samples,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** One colour through the tool. */
async function patch(colour: string, settings: Record<string, unknown>, lut?: string): Promise<number[]> {
  const input = await put(folder, `patch-${colour.slice(1)}.png`, plain(4, 4, colour).png())
  const secondary: Record<string, string> = lut === undefined ? {} : { lut: join(folder, lut) }
  return at(await readRgba((await run(adjustColors, folder, [input], settings, { secondary })).paths[0]!), 1, 1)
}

/** Writes a table with `size` entries per axis. */
function cube(name: string, size: number, colour: (r: number, g: number, b: number) => number[], head = ''): string {
  const lines: string[] = [`TITLE "a test"`, `LUT_3D_SIZE ${size}`, head]
  for (let b = 0; b < size; b++)
    for (let g = 0; g < size; g++)
      for (let r = 0; r < size; r++) lines.push(colour(r / (size - 1), g / (size - 1), b / (size - 1)).join(' '))
  writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
  return name
}

describe('levels', () => {
  test.each([0, 30, 60, 128, 200, 255])('of the value %i', async (value) => {
    const colour = `#${value.toString(16).padStart(2, '0').repeat(3)}`
    const [found] = await patch(colour, { blackPoint: 20, whitePoint: 220, midtones: 1.5 })
    const share = Math.min(1, Math.max(0, (value - 20) / 200)) ** (1 / 1.5)
    expect(Math.abs(found! - 255 * share)).toBeLessThanOrEqual(0.51)
  })

  test('keep 16 bits', async () => {
    const input = await put(folder, 'ramp.png', await png16(ramp16(4096, 2)))
    const { paths } = await run(adjustColors, folder, [input], { whitePoint: 128 })
    const { data } = await read16(paths[0]!)
    expect(new Set(data).size).toBeGreaterThan(1000)
  })

  test('that are reversed are refused', async () => {
    await expect(patch('#808080', { blackPoint: 200, whitePoint: 100 })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
    })
  })
})

describe('curves', () => {
  test('pass through their points, without overshoot', async () => {
    const settings = { curve: '0,0 64,48 128,200 192,210 255,255' }
    const grey = async (value: number) =>
      (await patch(`#${value.toString(16).padStart(2, '0').repeat(3)}`, settings))[0]!
    for (const [x, y] of [
      [0, 0],
      [64, 48],
      [128, 200],
      [192, 210],
      [255, 255],
    ] as const)
      expect(await grey(x)).toBe(y)
    const between = await Promise.all([135, 150, 170, 185].map(grey))
    expect(between).toEqual(between.toSorted((one, other) => one - other))
    expect(Math.min(...between)).toBeGreaterThanOrEqual(200)
    expect(Math.max(...between)).toBeLessThanOrEqual(210)
  })

  test('of one channel change only that one, after the curve of all', async () => {
    const found = await patch('#804020', { curve: '0,255 255,0', curveRed: '0,0 127,10 255,255' })
    expect(found).toEqual([10, 191, 223])
  })

  test('of two points are lines, flat outside', async () => {
    expect(await patch('#204060', { curve: '64,10 192,250' })).toEqual([10, 10, 70])
  })

  test('give colour to a grey image', async () => {
    const input = await put(folder, 'grey.png', fromSamples(photo(20, 10, 1)).png())
    const { paths } = await run(adjustColors, folder, [input], { curveBlue: '0,40 255,255' })
    const [red, , blue] = at(await readRgba(paths[0]!), 2, 2)
    expect(blue! - red!).toBeGreaterThan(10)
  })

  test.each([
    ['0,0', '2 to 64 points'],
    ['0,0 300,10', '"300,10" is not a point'],
    ['0,0 10', '"10" is not a point'],
    ['0,0 10,20 10,30', 'the same x'],
    [Array.from({ length: 65 }, (_, x) => `${x},${x}`).join(' '), '2 to 64 points'],
  ])('"%s" is refused', async (curve, message) => {
    await expect(patch('#808080', { curve })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      message: expect.stringContaining(message),
    })
  })
})

describe('look-up tables', () => {
  const warm = (r: number, g: number, b: number) => [r ** 0.8, 0.9 * g + 0.1 * r * b, Math.max(0, b - 0.1 * r)]

  test.each([2, 17, 33])('of %i entries equal those of ffmpeg', async (size) => {
    const name = cube(`warm${size}.cube`, size, warm)
    const input = await put(folder, `photo${size}.png`, fromSamples(photo(120, 80)).png())
    const { paths } = await run(adjustColors, folder, [input], {}, { secondary: { lut: join(folder, name) } })
    const other = join(folder, `ffmpeg${size}.png`)
    const filter = `format=rgb24,lut3d=file=${join(folder, name)}:interp=tetrahedral`
    await runFfmpeg(['-i', `file:${input}`, '-vf', filter, '-y', `file:${other}`], { what: 'The look-up table' })
    const [ours, theirs] = [await readRgba(paths[0]!), await readRgba(other)]
    // ffmpeg truncates where we round.
    expect(difference(ours, theirs).most).toBeLessThanOrEqual(1)
  })

  test('with a domain, and one that changes nothing', async () => {
    const same = cube('same.cube', 5, (...colour) => colour)
    expect(await patch('#123456', {}, same)).toEqual([0x12, 0x34, 0x56])
    const half = cube('half.cube', 3, (...colour) => colour, 'DOMAIN_MAX 0.5 0.5 0.5')
    expect(await patch('#204080', {}, half)).toEqual([64, 128, 255])
  })

  test('of one dimension, alone and before three dimensions', async () => {
    writeFileSync(join(folder, 'one.cube'), 'LUT_1D_SIZE 2\n1 1 0\n0 1 1\n')
    expect(await patch('#204060', {}, 'one.cube')).toEqual([255 - 0x20, 255, 0x60])
    writeFileSync(
      join(folder, 'both.cube'),
      `# Resolve\nLUT_1D_SIZE 2\nLUT_1D_INPUT_RANGE 0.0 1.0\nLUT_3D_SIZE 2\n1 1 1\n0 0 0\n${'0 0 0\n'.repeat(4)}${'0.2 0.4 0.6\n'.repeat(4)}`,
    )
    expect(await patch('#000000', {}, 'both.cube')).toEqual([51, 102, 153])
  })

  test('at half strength, with alpha, and on grey', async () => {
    const black = cube('black.cube', 2, () => [0, 0, 0])
    expect(await patch('#80804020', { lutStrength: 50 }, black)).toEqual([64, 64, 32, 32])
    expect(await patch('#808040', { lutStrength: 0 }, black)).toEqual([128, 128, 64])
    const input = await put(folder, 'grey.png', fromSamples(photo(20, 10, 1)).png())
    const red = cube('red.cube', 2, (r) => [r, 0, 0])
    const { paths } = await run(adjustColors, folder, [input], {}, { secondary: { lut: join(folder, red) } })
    const [first, second] = at(await readRgba(paths[0]!), 10, 5)
    expect([first! > 50, second]).toEqual([true, 0])
  })

  test('keep 16 bits', async () => {
    const input = await put(folder, 'ramp.png', await png16(ramp16(4096, 2)))
    const same = cube('same.cube', 9, (...colour) => colour)
    const { paths } = await run(adjustColors, folder, [input], {}, { secondary: { lut: join(folder, same) } })
    const red = (samples: Samples) => [...samples.data].filter((_, index) => index % samples.channels === 0)
    const [before, after] = [red(await read16(input)), red(await read16(paths[0]!))]
    expect(Math.max(...zip(after, before).map(([one, other]) => Math.abs(one - other)))).toBeLessThanOrEqual(1)
  })

  test.each([
    ['LUT_3D_SIZE 2\n0 0 0\n', '1 of 8 entries'],
    ['LUT_3D_SIZE 2\n0 0\n', 'line 2: three numbers'],
    ['0 0 0\n', 'entries before a size'],
    ['LUT_1D_SIZE 2\n0 0 0\n1 1 1\n1 1 1\n', 'line 4: more than 2 entries'],
    ['LUT_1D_SIZE 2\n0 0 0\nNAN 1 1\n', 'line 3'],
    ['LUT_3D_SIZE 1\n', 'line 1: a size is'],
    ['LUT_1D_SIZE 2\nDOMAIN_MIN 1 1 1\n0 0 0\n1 1 1\n', 'DOMAIN_MIN'],
    ['LUT_1D_SIZE 2\nPICTURE 3\n', 'PICTURE is not a keyword'],
    ['LUT_1D_SIZE 2\nLUT_1D_INPUT_RANGE 1 0\n', 'the range is empty'],
    ['TITLE "nothing"\n', '0 of 0 entries'],
  ])('%j is an error', (text, message) => {
    expect(() => parseCube(text, 'a.cube')).toThrow(message)
  })

  test('larger than is read', () => {
    expect(() => parseCube('LUT_3D_SIZE 256\n', 'a.cube')).toThrow('at most 129')
  })
})
