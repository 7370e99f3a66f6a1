import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { captureFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { mainVideo } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { filterValue } from '../../../src/engines/ffmpeg/filter.ts'
import { onRgb } from '../../../src/media/av/filters/colour.ts'
import { colourFilter } from '../../../tools/video/adjust/video-color/filter.ts'
import videoColor from '../../../tools/video/adjust/video-color.ts'
import { infoOf, meanColour, paintedVideo } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const brown = () => paintedVideo('color=0x804020:s=32x32:r=5:d=0.4')

const changed = async (settings: Record<string, unknown>): Promise<number[]> => {
  const { paths } = await run(videoColor, folder, [await brown()], settings)
  return meanColour(paths[0]!)
}

test('each of the four has its effect, and none without them', async () => {
  const before = await meanColour(await brown())
  const plain = await changed({})
  for (const channel of [0, 1, 2]) expect(Math.abs(plain[channel]! - before[channel]!)).toBeLessThan(4)
  const [red, green, blue] = await changed({ saturation: 0 })
  expect(Math.abs(red! - green!)).toBeLessThan(4)
  expect(Math.abs(green! - blue!)).toBeLessThan(4)
  // 0.2 of the range of 219 steps of luma, which are 255 of the screen.
  expect((await changed({ brightness: 0.2 }))[1]! - before[1]!).toBeGreaterThan(40)
  expect((await changed({ brightness: -0.2 }))[0]! - before[0]!).toBeLessThan(-40)
  expect((await changed({ gamma: 2 }))[1]).toBeGreaterThan(before[1]! + 20)
  expect((await changed({ gamma: 0.5 }))[1]).toBeLessThan(before[1]! - 20)
  const [highest, , lowest] = await changed({ saturation: 2 })
  expect(highest! - lowest!).toBeGreaterThan(before[0]! - before[2]! + 30)
  const flat = await changed({ contrast: 0, saturation: 0 })
  expect(flat[0]).toBeGreaterThan(110)
  expect(flat[0]).toBeLessThan(145)
})

describe('the filter', () => {
  /** A row with all values of a depth, filtered. */
  const row = async (filter: string, format: string, values: number): Promise<number[]> => {
    const ramp = `nullsrc=s=${values}x2:r=1:d=1,format=${format},geq=lum=X:cb=X*2:cr=${values - 1}-X*2`
    const output = ['-pix_fmt', format, '-f', 'rawvideo', 'pipe:1']
    const bytes = await captureFfmpeg(['-f', 'lavfi', '-i', ramp, '-vf', filter, ...output], { maxOutput: 100_000 })
    return [...(values > 256 ? new Uint16Array(Uint8Array.from(bytes).buffer) : bytes)]
  }
  const settings = [
    { brightness: 0, contrast: 1, saturation: 1, gamma: 1 },
    { brightness: 0.25, contrast: 0.5, saturation: 0, gamma: 2.2 },
    { brightness: -0.4, contrast: 3, saturation: 2.5, gamma: 0.4 },
  ]

  test.each(settings)('%o equals eq', async (setting) => {
    const { brightness, contrast, saturation, gamma } = setting
    const eq = `eq=brightness=${brightness}:contrast=${contrast}:saturation=${saturation}:gamma=${gamma}`
    const [ours, theirs] = [await row(colourFilter(setting), 'yuv420p', 256), await row(eq, 'yuv420p', 256)]
    expect(ours).toHaveLength(256 * 3)
    // Without a gamma, eq itself computes with small integers, which a steep contrast shows: by one in a hundred.
    for (const [index, value] of ours.entries()) expect(Math.abs(value - theirs[index]!)).toBeLessThanOrEqual(3)
  })

  test('keeps 10 bits', async () => {
    const same = await row(colourFilter(settings[0]!), 'yuv420p10le', 1024)
    expect(same.slice(0, 1024)).toEqual(Array.from({ length: 1024 }, (_, value) => value))
    const darker = await row(colourFilter({ ...settings[0]!, contrast: 0.5 }), 'yuv420p10le', 1024)
    expect(new Set(darker.slice(0, 1024)).size).toBeGreaterThanOrEqual(512)
  })
})

describe('look-up tables', () => {
  /** A table of two entries per axis; its name has characters that have a meaning in filters. */
  const cube = (name: string, colour: (r: number, g: number, b: number) => number[]): string => {
    const path = join(folder, `it's, a: [${name}].cube`)
    const corners = Array.from({ length: 8 }, (_, at) => colour(at & 1, (at >> 1) & 1, at >> 2).join(' '))
    writeFileSync(path, `LUT_3D_SIZE 2\n${corners.join('\n')}\n`)
    return path
  }
  const looked = async (video: string, lut: string): Promise<string> =>
    (await run(videoColor, folder, [video], {}, { secondary: { lut } })).paths[0]!

  test.each([
    ['of SD', 'color=0x804020:s=64x64:r=5:d=0.4'],
    ['of HD without tags', 'color=0x804020:s=1280x720:r=5:d=0.4,scale=out_color_matrix=bt709,format=yuv420p'],
  ])('one that changes nothing keeps colours %s', async (_what, graph) => {
    const video = await paintedVideo(graph)
    const [before, after] = [
      await meanColour(video),
      await meanColour(
        await looked(
          video,
          cube('same', (...all) => all),
        ),
      ),
    ]
    for (const channel of [0, 1, 2]) expect(Math.abs(after[channel]! - before[channel]!)).toBeLessThanOrEqual(2)
  })

  test('of three dimensions and of one', async () => {
    const before = await meanColour(await brown())
    const swapped = await meanColour(
      await looked(
        await brown(),
        cube('swap', (r, g, b) => [b, g, r]),
      ),
    )
    for (const channel of [0, 1, 2]) expect(Math.abs(swapped[channel]! - before[2 - channel]!)).toBeLessThanOrEqual(4)
    const path = join(folder, 'negative.cube')
    writeFileSync(path, 'LUT_1D_SIZE 2\n1 1 1\n0 0 0\n')
    const negative = await meanColour(await looked(await brown(), path))
    for (const channel of [0, 1, 2])
      expect(Math.abs(255 - negative[channel]! - before[channel]!)).toBeLessThanOrEqual(5)
  })

  test('keep 10 bits', async () => {
    const stream = { ...mainVideo(await infoOf(await brown())), pixelFormat: 'yuv420p10le' }
    const lut = `lut3d=file=${filterValue(cube('same', (...all) => all))}`
    const ramp = 'nullsrc=s=1024x2:r=1:d=1,format=yuv420p10le,geq=lum=X:cb=512:cr=512'
    const filter = [ramp, ...onRgb(stream, false, [lut])].join(',')
    const output = ['-frames:v', '1', '-pix_fmt', 'yuv420p10le', '-f', 'rawvideo', 'pipe:1']
    const bytes = await captureFfmpeg(['-f', 'lavfi', '-i', filter, ...output], { maxOutput: 100_000 })
    const values = new Uint16Array(Uint8Array.from(bytes).buffer).subarray(64, 941)
    values.forEach((value, index) => void expect(Math.abs(value - 64 - index)).toBeLessThanOrEqual(2))
  })

  test.each(['DOMAIN_MAX 0.5 0.5 0.5', 'DOMAIN_MIN -1 0 0', 'LUT_3D_INPUT_RANGE 0 2'])(
    '%s is refused',
    async (range) => {
      const path = join(folder, 'range.cube')
      writeFileSync(path, `LUT_3D_SIZE 2\n${range}\n${'0 0 0\n'.repeat(8)}`)
      await expect(looked(await brown(), path)).rejects.toMatchObject({
        ...{ code: 'INVALID_FILE', message: expect.stringContaining('inputs from 0 to 1') },
      })
    },
  )

  test('two in one file are refused', async () => {
    const path = join(folder, 'two.cube')
    writeFileSync(path, `LUT_1D_SIZE 2\nLUT_3D_SIZE 2\n${'0 0 0\n'.repeat(10)}`)
    await expect(looked(await brown(), path)).rejects.toMatchObject({ code: 'INVALID_FILE' })
  })
})
