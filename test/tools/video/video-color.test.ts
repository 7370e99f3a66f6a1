import { expect, test } from 'vitest'
import videoColor from '../../../tools/video/video-color.ts'
import { meanColour, paintedVideo } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const brown = () => paintedVideo('color=0x804020:s=32x32:r=5:d=0.4')

const changed = async (settings: Record<string, unknown>): Promise<number[]> => {
  const { paths } = await run(videoColor, folder, [await brown()], settings)
  return meanColour(paths[0]!)
}

test('each of the four does what it says, and nothing without them', async () => {
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
