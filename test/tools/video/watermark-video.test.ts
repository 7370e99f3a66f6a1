import { expect, test } from 'vitest'
import { videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import watermarkVideo from '../../../tools/video/adjust/watermark-video.ts'
import { grayFrame, infoOf, makeVideo, meanColour, paintedVideo } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const WIDTH = 320
const HEIGHT = 180
const black = () => paintedVideo(`color=black:s=${WIDTH}x${HEIGHT}:r=5:d=0.6`)

/** The bounding box of everything brighter than the background, in pixels. */
async function inkOf(path: string, frame = 0) {
  const pixels = await grayFrame(path, frame)
  const box = { left: WIDTH, right: 0, top: HEIGHT, bottom: 0, brightest: 0 }
  for (const [at, value] of pixels.entries()) {
    box.brightest = Math.max(box.brightest, value)
    if (value < 40) continue
    const [x, y] = [at % WIDTH, Math.floor(at / WIDTH)]
    Object.assign(box, { left: Math.min(box.left, x), right: Math.max(box.right, x + 1) })
    Object.assign(box, { top: Math.min(box.top, y), bottom: Math.max(box.bottom, y + 1) })
  }
  return box
}

const near = (value: number, expected: number) => expect(Math.abs(value - expected)).toBeLessThanOrEqual(3)

test.each([
  ['tl', { left: 24, top: 24 }],
  ['r', { right: WIDTH - 24, centre: HEIGHT / 2 }],
  ['c', { middle: WIDTH / 2, centre: HEIGHT / 2 }],
  ['br', { right: WIDTH - 24, bottom: HEIGHT - 24 }],
])('%s: 24 pixels from the edges, or in the middle', async (position, expected) => {
  const { paths, names } = await run(watermarkVideo, folder, [await black()], { text: 'HHHH', position, opacity: 1 })
  expect(names[0]).toMatch(/_watermarked\.mp4$/)
  const box = await inkOf(paths[0]!, 2)
  const own = { ...box, middle: (box.left + box.right) / 2, centre: (box.top + box.bottom) / 2 }
  for (const [edge, value] of Object.entries(expected)) near(own[edge as keyof typeof own], value)
  expect(box.bottom - box.top).toBeGreaterThan(20)
  expect(box.brightest).toBeGreaterThan(240)
})

test('half of the opacity is half as bright; the requested colour', async () => {
  const half = await run(watermarkVideo, folder, [await black()], { text: '█', position: 'c', opacity: 0.5 })
  // The coder rings by a few levels at the edges of the block.
  expect(Math.abs((await inkOf(half.paths[0]!)).brightest - 128)).toBeLessThanOrEqual(6)
  const inputs = [await black()]
  const red = await run(watermarkVideo, folder, inputs, {
    text: 'HHH',
    position: 'c',
    opacity: 1,
    color: '#ff0000',
    fontSize: 120,
  })
  const [r, g, b] = await meanColour(red.paths[0]!)
  expect(r).toBeGreaterThan(15)
  expect(g! + b!).toBeLessThan(r! / 5)
})

test.each(["%{pts} a:b 'c' \\d [e] ; f=g, h", 'Привет', '你好世界', 'مرحبا', 'नमस्ते'])(
  'draws %s literally',
  async (text) => {
    const { paths } = await run(watermarkVideo, folder, [await black()], {
      text,
      position: 'c',
      opacity: 1,
      fontSize: 24,
    })
    const box = await inkOf(paths[0]!)
    expect(box.right - box.left).toBeGreaterThan(30)
  },
)

test('text wider than the frame wraps; reports text higher than it', async () => {
  const long = { text: 'many words that follow each other', position: 'c', fontSize: 36 }
  const { paths, warnings } = await run(watermarkVideo, folder, [await black()], { ...long, opacity: 1 })
  const box = await inkOf(paths[0]!)
  expect(box.right - box.left).toBeLessThanOrEqual(WIDTH - 48 + 2)
  expect(box.bottom - box.top).toBeGreaterThan(50)
  expect(warnings).toEqual([])
  const high = await run(watermarkVideo, folder, [await black()], { ...long, fontSize: 120 })
  expect(high.warnings[0]).toContain('larger than the frame')
})

test('copies audio, and marks a rotated video as displayed', async () => {
  const source = await makeVideo({ width: 192, height: 96, rotation: 90, audio: true })
  const { paths } = await run(watermarkVideo, folder, [source], { text: 'x' })
  const info = await infoOf(paths[0]!)
  expect(videoStream(info)).toMatchObject({ displayWidth: 96, displayHeight: 192 })
  expect(info.streams.map(({ codec }) => codec)).toEqual(['h264', 'aac'])
})
