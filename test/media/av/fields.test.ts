/** Interlaced pictures: an encode keeps both fields and their order if the codec can, or reports that it does not. */
import { describe, expect, test } from 'vitest'
import { captureFfmpeg, inputArguments, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import videoColor from '../../../tools/video/adjust/video-color.ts'
import compressVideo from '../../../tools/video/convert/compress-video.ts'
import convertVideo from '../../../tools/video/convert/convert-video.ts'
import resizeVideo from '../../../tools/video/geometry/resize-video.ts'
import trimVideo from '../../../tools/video/time/trim-video.ts'
import { infoOf, makeVideo, sharedMedia } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** Two moments in every frame: the first field is the earlier one. */
function interlaced(first: 'top' | 'bottom', codec: string, extension: string, format = 'yuv420p'): Promise<string> {
  return sharedMedia(['fields', first, codec, format], `fields.${extension}`, async (path) => {
    const [mode, order] = first === 'top' ? ['interleave_top', 'tff'] : ['interleave_bottom', 'bff']
    const fields = ['-vf', `tinterlace=${mode},setfield=${order},format=${format}`, '-flags', '+ilme+ildct']
    const plain = await makeVideo({ width: 128, height: 96, seconds: 1, fps: 50 })
    await runFfmpeg(['-i', plain, ...fields, '-c:v', codec, '-q:v', '3', path])
  })
}

/** What a decoder reports for the first frame: whether it has two fields, and which is first. */
async function firstField(path: string): Promise<string | undefined> {
  const args = [...inputArguments(path), '-vf', 'showinfo', '-frames:v', '1', '-f', 'null', '-']
  return / i:([TBP]) /.exec(await runFfmpeg(args, { logLevel: 'info' }))?.[1]
}

/** The top field of the first frame, grey. */
const topField = (path: string): Promise<Uint8Array> =>
  captureFfmpeg(
    [...inputArguments(path), '-vf', 'field=top,format=gray', '-frames:v', '1', '-f', 'rawvideo', 'pipe:1'],
    { maxOutput: 1e6 },
  )

const differenceOf = (one: Uint8Array, other: Uint8Array): number =>
  one.reduce((sum, value, at) => sum + Math.abs(value - other[at]!), 0) / one.length

describe('kept', () => {
  test.each([
    ['top', 'T'],
    ['bottom', 'B'],
  ] as const)('%s field first, through every encode that leaves the rows as they are', async (first, mark) => {
    const source = await interlaced(first, 'mpeg2video', 'mpg')
    for (const [tool, settings] of [
      [convertVideo, { format: 'mp4' }],
      [convertVideo, { format: 'mkv' }],
      [convertVideo, { format: 'avi' }],
      [compressVideo, {}],
      [trimVideo, { endS: 0.5, precise: true }],
      [videoColor, { brightness: 0.1 }],
    ] as const) {
      const { paths, warnings } = await run(tool, folder, [source], settings)
      expect(await firstField(paths[0]!), tool.id).toBe(mark)
      expect(warnings.join('\n')).not.toContain('interlaced')
    }
  })

  test('MOV states it, too, and the picture is the same', async () => {
    const source = await interlaced('top', 'mpeg2video', 'mpg')
    const { paths } = await run(convertVideo, folder, [source], { format: 'mov' })
    expect(videoStream(await infoOf(paths[0]!))!.isInterlaced).toBe(true)
    expect(differenceOf(await topField(paths[0]!), await topField(source))).toBeLessThan(4)
  })

  test('the colours of 4:2:2 stay in their fields', async () => {
    const source = await interlaced('top', 'mpeg2video', 'mkv', 'yuv422p')
    const { paths } = await run(convertVideo, folder, [source], { format: 'mp4' })
    expect(await firstField(paths[0]!)).toBe('T')
  })
})

describe('not kept: a warning', () => {
  test.each([
    ['a codec without fields', convertVideo, { format: 'webm' }],
    ['another number of rows', resizeVideo, { width: 64 }],
  ] as const)('%s', async (_, tool, settings) => {
    const source = await interlaced('top', 'libx264', 'mp4')
    const { warnings } = await run(tool, folder, [source], settings)
    expect(warnings).toEqual([expect.stringContaining('the picture is interlaced')])
  })
})
