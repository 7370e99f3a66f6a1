/** crop-video, rotate-video, aspect-pad and blur-pad: which pixel goes where. */
import { describe, expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import aspectPad from '../../../tools/video/geometry/aspect-pad.ts'
import blurPad from '../../../tools/video/geometry/blur-pad.ts'
import cropVideo from '../../../tools/video/geometry/crop-video.ts'
import rotateVideo from '../../../tools/video/geometry/rotate-video.ts'
import { infoOf, makeVideo, meanColour, paintedVideo, pictureHash, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const COLOURS = { red: [254, 0, 0], green: [0, 128, 0], blue: [0, 0, 254], white: [255, 255, 255] }

/** Red and green above, blue and white below; 64 x 48. */
const quarters = () =>
  paintedVideo(
    'color=red:s=64x48:r=5:d=0.4,drawbox=32:0:32:24:green:fill,drawbox=0:24:32:24:blue:fill,drawbox=32:24:32:24:white:fill',
  )

const near = (one: readonly number[], other: readonly number[]): boolean =>
  one.every((value, channel) => Math.abs(value - other[channel]!) < 24)

/** The name of the colour in the middle of every quarter: upper left, upper right, lower left, lower right. */
async function quartersOf(path: string): Promise<(string | undefined)[]> {
  const { width = 0, height = 0 } = videoStream(await infoOf(path))!
  const at = (x: number, y: number) =>
    meanColour(path, { area: `4:4:${Math.round(width * x) - 2}:${Math.round(height * y) - 2}` })
  const places = [at(0.25, 0.25), at(0.75, 0.25), at(0.25, 0.75), at(0.75, 0.75)]
  return (await Promise.all(places)).map(
    (colour) => Object.entries(COLOURS).find(([, known]) => near(colour, known))?.[0],
  )
}

const sizeOf = async (path: string) => {
  const { width, height, rotation } = videoStream(await infoOf(path))!
  return { width, height, rotation }
}

describe('rotate-video', () => {
  test.each([
    ['cw90', 48, 64, ['blue', 'red', 'white', 'green']],
    ['ccw90', 48, 64, ['green', 'white', 'red', 'blue']],
    ['180', 64, 48, ['white', 'blue', 'green', 'red']],
    ['hflip', 64, 48, ['green', 'red', 'white', 'blue']],
    ['vflip', 64, 48, ['blue', 'white', 'red', 'green']],
  ])('%s', async (transform, width, height, expected) => {
    const { paths, names } = await run(rotateVideo, folder, [await quarters()], { transform })
    expect(names[0]).toMatch(/_rotated\.mp4$/)
    expect(await sizeOf(paths[0]!)).toEqual({ width, height, rotation: 0 })
    expect(await quartersOf(paths[0]!)).toEqual(expected)
  })

  test('applies an existing rotation first and removes it', async () => {
    const turned = temporaryPath('turned.mp4')
    await runFfmpeg(['-i', await quarters(), '-c', 'copy', '-metadata:s:v:0', 'rotate=270', turned])
    expect((await sizeOf(turned)).rotation).toBe(90)
    const { paths } = await run(rotateVideo, folder, [turned], { transform: 'ccw90' })
    expect(await sizeOf(paths[0]!)).toEqual({ width: 64, height: 48, rotation: 0 })
    expect(await quartersOf(paths[0]!)).toEqual(['red', 'green', 'blue', 'white'])
  })
})

describe('crop-video', () => {
  test('the exact rectangle, also from an odd position', async () => {
    const { paths } = await run(cropVideo, folder, [await quarters()], { width: 32, height: 25, x: 16, y: 11 })
    expect(await sizeOf(paths[0]!)).toEqual({ width: 32, height: 24, rotation: 0 })
    expect(await quartersOf(paths[0]!)).toEqual(['red', 'green', 'blue', 'white'])
  })

  test('positions refer to the displayed video', async () => {
    const turned = temporaryPath('turned.mp4')
    await runFfmpeg(['-i', await quarters(), '-c', 'copy', '-metadata:s:v:0', 'rotate=270', turned])
    const { paths } = await run(cropVideo, folder, [turned], { width: 24, height: 32, x: 24, y: 0 })
    expect(await quartersOf(paths[0]!)).toEqual(['red', 'red', 'red', 'red'])
    await expect(run(cropVideo, folder, [turned], { width: 64, height: 48 })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      message: 'A rectangle of 64x48 at 0,0 is not inside the frame of 48x64',
    })
  })

  test('makes pixels square first', async () => {
    const wide = temporaryPath('wide.mp4')
    await runFfmpeg(['-i', await quarters(), '-vf', 'setsar=2', wide])
    const { paths } = await run(cropVideo, folder, [wide], { width: 64, height: 24, x: 64, y: 24 })
    expect(await quartersOf(paths[0]!)).toEqual(['white', 'white', 'white', 'white'])
    expect(videoStream(await infoOf(paths[0]!))).toMatchObject({ displayWidth: 64, displayHeight: 24 })
  })
})

describe('aspect-pad', () => {
  test.each([
    ['16:9', 86, 48],
    ['9:16', 64, 114],
    ['1:1', 64, 64],
    ['3:4', 64, 86],
  ])('%s: the picture is centred, unscaled', async (target, width, height) => {
    const { paths } = await run(aspectPad, folder, [await quarters()], { target, color: '#ffff00' })
    expect(await sizeOf(paths[0]!)).toEqual({ width, height, rotation: 0 })
    expect(near(await meanColour(paths[0]!, { area: '4:4:0:0' }), [255, 255, 0])).toBe(true)
    const [left, top] = [Math.round((width - 64) / 2), Math.round((height - 48) / 2)]
    expect(near(await meanColour(paths[0]!, { area: `8:8:${left + 4}:${top + 4}` }), COLOURS.red)).toBe(true)
    expect(near(await meanColour(paths[0]!, { area: `8:8:${left + 52}:${top + 36}` }), COLOURS.white)).toBe(true)
  })

  test('copies one that has the shape', async () => {
    const source = await quarters()
    const { paths } = await run(aspectPad, folder, [source], { target: '4:3' })
    expect(await pictureHash(paths[0]!)).toBe(await pictureHash(source))
  })
})

describe('blur-pad', () => {
  test('the picture is centred, with its own blur at the sides', async () => {
    const { paths, names } = await run(blurPad, folder, [await quarters()], { target: '16:9', blur: 4 })
    expect(names[0]).toMatch(/_blurpad\.mp4$/)
    expect(await sizeOf(paths[0]!)).toEqual({ width: 86, height: 48, rotation: 0 })
    expect(near(await meanColour(paths[0]!, { area: '8:8:20:4' }), COLOURS.red)).toBe(true)
    // At the left edge: red above, blue below, and a mixture where they meet.
    expect(near(await meanColour(paths[0]!, { area: '4:4:1:1' }), COLOURS.red)).toBe(true)
    expect(near(await meanColour(paths[0]!, { area: '4:4:1:43' }), COLOURS.blue)).toBe(true)
    const [red, , blue] = await meanColour(paths[0]!, { area: '4:4:1:22' })
    expect(red).toBeGreaterThan(60)
    expect(blue).toBeGreaterThan(60)
  })

  test('a small blur is weaker than a large one', async () => {
    const spread = async (blur: number): Promise<number> => {
      const { paths } = await run(blurPad, folder, [await quarters()], { blur })
      return (await meanColour(paths[0]!, { area: '4:4:1:12' }))[2]!
    }
    expect(await spread(30)).toBeGreaterThan((await spread(2)) + 20)
  })

  test('copies the audio', async () => {
    const { paths } = await run(blurPad, folder, [await makeVideo({ width: 64, height: 48, fps: 5, audio: true })])
    expect((await infoOf(paths[0]!)).streams.map(({ type }) => type)).toEqual(['video', 'audio'])
  })
})
