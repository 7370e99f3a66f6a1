import { describe, expect, test } from 'vitest'
import { captureFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { colourFilter } from '../../../tools/video/adjust/video-color/filter.ts'
import videoColor from '../../../tools/video/adjust/video-color.ts'
import { meanColour, paintedVideo } from '../../helpers/av.ts'
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
