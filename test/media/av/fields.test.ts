/** Interlaced video: deinterlaced by default when it is encoded, or kept with both fields and their order. */
import { describe, expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import videoColor from '../../../tools/video/adjust/video-color.ts'
import watermarkVideo from '../../../tools/video/adjust/watermark-video.ts'
import muteVideo from '../../../tools/video/audio/mute-video.ts'
import compressVideo from '../../../tools/video/convert/compress-video.ts'
import convertVideo from '../../../tools/video/convert/convert-video.ts'
import videoToFrames from '../../../tools/video/convert/video-to-frames.ts'
import videoToGif from '../../../tools/video/convert/video-to-gif.ts'
import videoToWebp from '../../../tools/video/convert/video-to-webp.ts'
import cropVideo from '../../../tools/video/geometry/crop-video.ts'
import resizeVideo from '../../../tools/video/geometry/resize-video.ts'
import rotateVideo from '../../../tools/video/geometry/rotate-video.ts'
import mergeVideos from '../../../tools/video/time/merge-videos.ts'
import reverseVideo from '../../../tools/video/time/reverse-video.ts'
import trimVideo from '../../../tools/video/time/trim-video.ts'
import { infoOf, temporaryPath } from '../../helpers/av.ts'
import { FIRST_MOMENTS, firstField, MARKED, movingFields, movingOriginal, psnr } from '../../helpers/moving.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const ANNOUNCED = 'the video is interlaced and was deinterlaced: set interlace to keep for both fields'

const mpeg = (first: 'top' | 'bottom' = 'top') =>
  movingFields(first, { codec: 'mpeg2video', extension: 'mpg', options: MARKED })

describe('deinterlaced', () => {
  test.each([
    ['top', 'mpeg2video', 'mpg'],
    ['bottom', 'mpeg2video', 'mpg'],
    ['top', 'libx264', 'mp4'],
    ['bottom', 'libx264', 'mkv'],
  ] as const)('%s field first, %s in %s: near the original, and no longer combed', async (first, codec, extension) => {
    const source = await movingFields(first, { codec, extension, options: MARKED })
    const original = await movingOriginal()
    const { paths, warnings } = await run(convertVideo, folder, [source], { format: 'mkv', quality: 'high' })
    expect(warnings).toEqual([ANNOUNCED])
    expect(videoStream(await infoOf(paths[0]!))?.isInterlaced).toBeUndefined()
    const [after, before] = [
      await psnr(paths[0]!, original, FIRST_MOMENTS),
      await psnr(source, original, FIRST_MOMENTS),
    ]
    expect(after).toBeGreaterThan(before + 8)
    // A wrong field order would be as far from the original as the combed frames.
    expect(after).toBeGreaterThan(24)
  })

  test('in every tool, before its own filters', async () => {
    const source = await mpeg()
    for (const [tool, settings] of [
      [compressVideo, {}],
      [trimVideo, { endS: 0.5, precise: true }],
      [videoColor, { brightness: 0.1 }],
      [watermarkVideo, { text: 'x' }],
      [resizeVideo, { width: 96 }],
      [rotateVideo, { transform: 'cw90' }],
      [videoToGif, { width: 64, durationS: 1 }],
      [videoToWebp, { width: 64 }],
      [reverseVideo, {}],
    ] as const) {
      const { paths, warnings } = await run(tool, folder, [source], settings)
      expect(warnings, tool.id).toEqual([ANNOUNCED])
      if (tool !== videoToGif && tool !== videoToWebp) expect(await firstField(paths[0]!), tool.id).toBe('P')
    }
    const joined = await run(mergeVideos, folder, [source, source])
    expect(joined.warnings.filter((one) => one.includes(ANNOUNCED))).toHaveLength(2)
  })

  test('reversed, and as pictures', async () => {
    const [source, original] = [await mpeg(), await movingOriginal()]
    const reversed = await run(reverseVideo, folder, [source])
    expect(await psnr(reversed.paths[0]!, original, [...FIRST_MOMENTS, 'reverse'])).toBeGreaterThan(24)
    const film = await movingFields('top', { codec: 'libx264', extension: 'mp4', options: MARKED })
    const { paths, warnings } = await run(videoToFrames, folder, [film], { mode: 'timestamps', timestamps: '0.4' })
    expect(warnings).toEqual([ANNOUNCED])
    const moment = ['select=eq(n\\,20)']
    const [frame, woven] = [
      await psnr(paths[0]!, original, moment),
      await psnr(film, original, moment, ['select=eq(n\\,10)']),
    ]
    expect(frame).toBeGreaterThan(woven + 8)
  })

  test('on request, a progressive video, too; without announcement', async () => {
    const original = await movingOriginal()
    const { paths, warnings } = await run(convertVideo, folder, [original], { interlace: 'deinterlace', format: 'mkv' })
    expect(warnings).toEqual([])
    // A deinterlacer interpolates every second row.
    expect(await psnr(paths[0]!, original)).toBeLessThan(35)
  })
})

describe('measured', () => {
  const tape = { width: 720, height: 576, frames: 30, codec: 'ffv1', extension: 'mkv' }

  test.each(['top', 'bottom'] as const)('%s field first, not marked in the file', async (first) => {
    const marked = await movingFields(first, tape)
    const source = temporaryPath('tape.avi')
    const unmarked = ['-vf', 'setfield=prog', '-c:v', 'rawvideo', '-pix_fmt', 'yuv420p']
    await runFfmpeg(['-i', marked, ...unmarked, source])
    expect(videoStream(await infoOf(source))?.isInterlaced).toBeUndefined()
    const { paths, warnings } = await run(convertVideo, folder, [source], { format: 'mkv', quality: 'high' })
    expect(warnings).toEqual([
      'the video is interlaced, although it is not marked as such, and was deinterlaced: set interlace to keep for both fields',
    ])
    const original = await movingOriginal({ width: 720, height: 576, frames: 30 })
    expect(await psnr(paths[0]!, original, FIRST_MOMENTS)).toBeGreaterThan(
      (await psnr(source, original, FIRST_MOMENTS)) + 8,
    )
    const kept = await run(convertVideo, folder, [source], { format: 'mkv', interlace: 'keep' })
    expect(await firstField(kept.paths[0]!)).toBe(first === 'top' ? 'T' : 'B')
  })

  test('a progressive one stays as it is', async () => {
    const source = temporaryPath('film.avi')
    const original = await movingOriginal({ width: 720, height: 576, frames: 30 })
    await runFfmpeg([
      '-i',
      original,
      '-vf',
      'setpts=2*PTS',
      '-r',
      '25',
      '-c:v',
      'rawvideo',
      '-pix_fmt',
      'yuv420p',
      source,
    ])
    const { warnings } = await run(convertVideo, folder, [source], { format: 'mkv' })
    expect(warnings).toEqual([])
  })
})

describe('kept on request', () => {
  test.each([
    ['top', 'T'],
    ['bottom', 'B'],
  ] as const)('%s field first, through every encode that leaves the rows as they are', async (first, mark) => {
    const source = await mpeg(first)
    for (const [tool, settings] of [
      [convertVideo, { format: 'mp4' }],
      [convertVideo, { format: 'avi' }],
      [compressVideo, {}],
      [trimVideo, { endS: 0.5, precise: true }],
      [videoColor, { brightness: 0.1 }],
      [watermarkVideo, { text: 'x' }],
      [cropVideo, { width: 96, height: 96, y: 8 }],
      [resizeVideo, { width: 96 }],
    ] as const) {
      const { paths, warnings } = await run(tool, folder, [source], { ...settings, interlace: 'keep' })
      expect(await firstField(paths[0]!), tool.id).toBe(mark)
      // Old builds drop the last frames of MPEG, which is reported.
      expect(warnings.join('\n'), tool.id).not.toContain('interlaced')
    }
  })

  test('MOV states it, and each field is the same', async () => {
    const source = await mpeg()
    const settings = { format: 'mov', quality: 'high', interlace: 'keep' }
    const { paths } = await run(convertVideo, folder, [source], settings)
    expect(videoStream(await infoOf(paths[0]!))).toMatchObject({ isInterlaced: true, fieldOrder: 'tff' })
    for (const field of ['field=top', 'field=bottom'])
      expect(await psnr(paths[0]!, source, [field], [field])).toBeGreaterThan(38)
  })

  test('scaled field by field', async () => {
    const source = await mpeg()
    const { paths } = await run(resizeVideo, folder, [source], { width: 96, height: 72, interlace: 'keep' })
    for (const field of ['field=top', 'field=bottom']) {
      const apart = await psnr(paths[0]!, source, [field, 'scale=96:36:flags=lanczos'], [field])
      // As whole frames, both moments would be mixed.
      const mixed = await psnr(paths[0]!, source, ['scale=96:72:flags=lanczos', field], [field])
      expect(apart).toBeGreaterThan(32)
      expect(apart).toBeGreaterThan(mixed + 4)
    }
  })

  test('the colours of 4:2:2 stay in their fields', async () => {
    const options = [...MARKED, '-pix_fmt', 'yuv422p']
    const source = await movingFields('top', { codec: 'mpeg2video', extension: 'mkv', options })
    const { paths } = await run(convertVideo, folder, [source], { format: 'mp4', interlace: 'keep' })
    expect(await firstField(paths[0]!)).toBe('T')
  })

  test.each([
    ['top', 'mpeg2video', 'mpg', 'B'],
    ['bottom', 'mpeg2video', 'mpg', 'T'],
    ['top', 'libx264', 'avi', 'B'],
    ['bottom', 'libx264', 'avi', 'T'],
  ] as const)('reversed, %s field first, %s in %s: the other one is first', async (first, codec, extension, mark) => {
    const source = await movingFields(first, { codec, extension, options: MARKED })
    const { paths } = await run(reverseVideo, folder, [source], { interlace: 'keep' })
    expect(await firstField(paths[0]!)).toBe(mark)
    for (const field of ['field=top', 'field=bottom'])
      expect(await psnr(paths[0]!, source, [field, 'reverse'], [field])).toBeGreaterThan(32)
  })

  test('by a copy, which is never changed', async () => {
    const source = await mpeg()
    const { paths, warnings } = await run(muteVideo, folder, [source])
    expect(await firstField(paths[0]!)).toBe('T')
    expect(warnings).toEqual([])
  })

  test.each([
    ['a codec without fields', convertVideo, { format: 'webm' }],
    ['a rotation', rotateVideo, { transform: 'cw90' }],
    ['another number of rows', resizeVideo, { width: 64, height: 50 }],
    ['a crop that would swap the fields', cropVideo, { width: 64, height: 64, y: 3 }],
    ['a GIF', videoToGif, { width: 64 }],
  ] as const)('refused for %s', async (_, tool, settings) => {
    const source = await mpeg()
    await expect(run(tool, folder, [source], { ...settings, interlace: 'keep' })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      message: expect.stringContaining('The fields of the interlaced video cannot be kept'),
    })
  })
})
