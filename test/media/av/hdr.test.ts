/** High dynamic range: kept with 10 bits and its mastering data if the result can hold it, else tone-mapped. */
import { describe, expect, test } from 'vitest'
import { inputArguments, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { readLight } from '../../../src/engines/ffmpeg/light.ts'
import { MediaprocError } from '../../../src/errors.ts'
import watermarkVideo from '../../../tools/video/adjust/watermark-video.ts'
import compressVideo from '../../../tools/video/convert/compress-video.ts'
import convertVideo from '../../../tools/video/convert/convert-video.ts'
import videoToFrames from '../../../tools/video/convert/video-to-frames.ts'
import videoToGif from '../../../tools/video/convert/video-to-gif.ts'
import videoToWebp from '../../../tools/video/convert/video-to-webp.ts'
import resizeVideo from '../../../tools/video/geometry/resize-video.ts'
import mergeVideos from '../../../tools/video/time/merge-videos.ts'
import reverseVideo from '../../../tools/video/time/reverse-video.ts'
import trimVideo from '../../../tools/video/time/trim-video.ts'
import { infoOf, makeVideo, sharedMedia } from '../../helpers/av.ts'
import { BRIGHTNESS, hdrPatches, type Patch, sdrCode } from '../../helpers/hdr-patches.ts'
import { patchColour } from '../../helpers/moving.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const STAYS = 'the video stays HDR, as HEVC with 10 bits: set hdr to sdr for players without HDR'
const converted = (format: string) => `HDR is converted to SDR: ${format} is written without it`

/** Diffuse white and grey of ITU-R BT.2408, black, a highlight, and a skin-like red. */
const PATCHES: Patch[] = [
  [203, 203, 203],
  [26, 26, 26],
  [1, 1, 1],
  [800, 800, 800],
  [120, 60, 40],
]

/** What the first frames of the drawn video declare: a display of P3 and 1000 cd/m². */
const DECLARED = {
  mastering: {
    ...{ red: [34_000, 16_000], green: [13_250, 34_500], blue: [7500, 3000], white: [15_635, 16_450] },
    ...{ min: 50, max: 10_000_000 },
  },
  levels: { most: 1000, average: 400 },
}

const patches = () => hdrPatches(PATCHES)

/** One second without patches or mastering data. */
function plain(transfer: string, luma = 594): Promise<string> {
  return sharedMedia(['hdr', transfer, luma], 'hdr.mp4', async (path) => {
    const tags = ['-color_primaries', 'bt2020', '-color_trc', transfer, '-colorspace', 'bt2020nc', '-color_range', 'tv']
    const grey = `nullsrc=s=64x48:r=10:d=0.5,format=yuv420p10le,geq=lum=${luma}:cb=512:cr=512`
    await runFfmpeg(['-f', 'lavfi', '-i', grey, '-c:v', 'libx264', '-pix_fmt', 'yuv420p10le', ...tags, path])
  })
}

/** Compares each patch of a tone-mapped result with the codes that the curve gives for its brightness. */
async function expectPatches(path: string, tolerance: number, width = 64): Promise<void> {
  for (const [number, patch] of PATCHES.entries()) {
    const found = await patchColour(path, `${width / 2}:${width / 2}:${number * width + width / 4}:${width / 4}`)
    for (const [channel, code] of sdrCode(patch, BRIGHTNESS.peak).entries())
      expect(Math.abs(found[channel]! - code), `patch ${patch}: ${found}, not ${sdrCode(patch, 1000)}`).toBeLessThan(
        tolerance,
      )
  }
}

describe('kept', () => {
  test.each([
    ['smpte2084', 'mp4', 'hevc'],
    ['arib-std-b67', 'mkv', 'hevc'],
    ['smpte2084', 'webm', 'vp9'],
  ])('%s in %s as %s with 10 bits', async (transfer, format, codec) => {
    const { paths, warnings } = await run(convertVideo, folder, [await plain(transfer)], { format })
    const colour = { transfer, primaries: 'bt2020', matrix: 'bt2020nc' }
    expect(videoStream(await infoOf(paths[0]!))).toMatchObject({ codec, pixelFormat: 'yuv420p10le', colour })
    expect(warnings).toEqual([format === 'webm' ? STAYS.replace('HEVC', 'VP9') : STAYS])
  })

  test('with its mastering display, MaxCLL and MaxFALL, in every tool', async () => {
    const source = await patches()
    expect((await readLight(source, 0))?.light).toEqual(DECLARED)
    for (const [tool, settings] of [
      [convertVideo, { format: 'mp4' }],
      [convertVideo, { format: 'mkv' }],
      [compressVideo, {}],
      [resizeVideo, { width: 160 }],
      [trimVideo, { endS: 0.3, precise: true }],
      [reverseVideo, {}],
    ] as const) {
      const { paths, warnings } = await run(tool, folder, [source], settings)
      expect((await readLight(paths[0]!, 0))?.light, tool.id).toEqual(DECLARED)
      expect(
        warnings.filter((one) => !one.includes('not smaller')),
        tool.id,
      ).toEqual([STAYS])
    }
    const joined = await run(mergeVideos, folder, [source, source], { hdr: 'keep' })
    expect((await readLight(joined.paths[0]!, 0))?.light).toEqual(DECLARED)
    expect(videoStream(await infoOf(joined.paths[0]!))).toMatchObject({
      codec: 'hevc',
      colour: { transfer: 'smpte2084' },
    })
  })

  test('a watermark is as bright as diffuse white, and the video keeps 10 bits', async () => {
    const settings = { text: 'W', position: 'c', fontSize: 24, opacity: 1 }
    const { paths } = await run(watermarkVideo, folder, [await plain('smpte2084', 102)], settings)
    const luma = async (filters: string, name: string) => {
      const measured = `${filters}signalstats,metadata=print`
      const args = [...inputArguments(paths[0]!), '-vf', measured, '-frames:v', '1', '-f', 'null', '-']
      const text = await runFfmpeg(args, { logLevel: 'info' })
      return Number(new RegExp(`${name}=(\\d+)`).exec(text)?.[1])
    }
    expect(Math.abs((await luma('', 'YMAX')) - (64 + 876 * 0.58))).toBeLessThan(40)
    // With 8 bits it would be 100 or 104.
    expect(Math.abs((await luma('crop=8:8:0:0,', 'YAVG')) - 102)).toBeLessThan(1.5)
  })

  test('without a message if that was requested', async () => {
    const { warnings } = await run(convertVideo, folder, [await patches()], { format: 'mp4', hdr: 'keep' })
    expect(warnings).toEqual([])
  })

  test.each([
    ['AVI', convertVideo, { format: 'avi' }],
    ['GIF', videoToGif, {}],
    ['pictures', videoToFrames, {}],
  ] as const)('refused for %s', async (_, tool, settings) => {
    const refused = run(tool, folder, [await patches()], { ...settings, hdr: 'keep' })
    await expect(refused).rejects.toThrow('The HDR of the video cannot be kept')
    await expect(refused).rejects.toBeInstanceOf(MediaprocError)
  })
})

describe('tone-mapped', () => {
  test('on request: grey, white, highlights and a colour have the brightness of the curve', async () => {
    const settings = { format: 'mkv', quality: 'high', hdr: 'sdr' }
    const { paths, warnings } = await run(convertVideo, folder, [await patches()], settings)
    const colour = { transfer: 'bt709', primaries: 'bt709', matrix: 'bt709' }
    expect(videoStream(await infoOf(paths[0]!))).toMatchObject({ codec: 'h264', pixelFormat: 'yuv420p', colour })
    expect(warnings).toEqual([])
    await expectPatches(paths[0]!, 5)
  })

  test('for AVI, GIF, WebP and pictures, with a warning', async () => {
    const source = await patches()
    for (const [tool, settings, format] of [
      [convertVideo, { format: 'avi' }, 'AVI'],
      [videoToGif, { width: 320 }, 'GIF'],
      [videoToWebp, { width: 320 }, 'WEBP'],
      [videoToFrames, { mode: 'nth', n: 4 }, 'PNG'],
      [videoToFrames, { mode: 'timestamps', timestamps: '0.1', format: 'jpg' }, 'JPG'],
    ] as const) {
      const { paths, warnings } = await run(tool, folder, [source], settings)
      expect(warnings, tool.id).toEqual([converted(format)])
      // ffmpeg does not read animated WebP.
      if (tool !== videoToWebp) await expectPatches(paths[0]!, 8)
    }
  })

  test('joined with SDR', async () => {
    const [hdr, sdr] = [await patches(), await makeVideo({ seconds: 1 })]
    const { paths, warnings } = await run(mergeVideos, folder, [hdr, sdr])
    expect(warnings.filter((one) => one.includes('HDR'))).toEqual([
      `${hdr.split('/').at(-1)}: HDR is converted to SDR: not all joined videos have it in the same form`,
    ])
    expect(videoStream(await infoOf(paths[0]!))).toMatchObject({ codec: 'h264', colour: { transfer: 'bt709' } })
    await expectPatches(paths[0]!, 6)
    await expect(run(mergeVideos, folder, [hdr, sdr], { hdr: 'keep' })).rejects.toThrow('HDR cannot be kept')
  })

  test('HLG: its diffuse white, three quarters of the signal, is as bright as that of PQ', async () => {
    const source = await sharedMedia(['hlg white'], 'hlg.mp4', async (path) => {
      const tags = [
        '-color_primaries',
        'bt2020',
        '-color_trc',
        'arib-std-b67',
        '-colorspace',
        'bt2020nc',
        '-color_range',
        'tv',
      ]
      const white = `nullsrc=s=64x48:r=10:d=0.5,format=yuv420p10le,geq=lum=${64 + 876 * 0.75}:cb=512:cr=512`
      await runFfmpeg(['-f', 'lavfi', '-i', white, '-c:v', 'libx264', '-pix_fmt', 'yuv420p10le', ...tags, path])
    })
    const { paths } = await run(convertVideo, folder, [source], { format: 'mkv', hdr: 'sdr' })
    const [red] = await patchColour(paths[0]!, '32:32:8:8')
    expect(Math.abs(red - sdrCode([203, 203, 203], 1000)[0])).toBeLessThan(6)
  })

  test('reversed, for MPEG', async () => {
    const source = await sharedMedia(['hdr mpeg'], 'hdr.mpg', async (path) => {
      const tags = ['-color_primaries', 'bt2020', '-color_trc', 'smpte2084', '-colorspace', 'bt2020nc']
      const from = await plain('smpte2084')
      await runFfmpeg(['-i', from, '-c:v', 'mpeg2video', '-q:v', '2', '-r', '25', '-pix_fmt', 'yuv420p', ...tags, path])
    })
    const { paths, warnings } = await run(reverseVideo, folder, [source])
    expect(warnings).toEqual([converted('MPG')])
    expect(videoStream(await infoOf(paths[0]!))).toMatchObject({
      pixelFormat: 'yuv420p',
      colour: { transfer: 'bt709' },
    })
  })
})

test.each(['gbrp', 'yuv444p'])('%s becomes 4:2:0 for VP9, which players support', async (format) => {
  const source = await sharedMedia([format], 'full.mkv', async (path) => {
    await runFfmpeg(['-f', 'lavfi', '-i', `testsrc2=s=64x48:r=5:d=0.6,format=${format}`, '-c:v', 'ffv1', path])
  })
  const { paths } = await run(convertVideo, folder, [source], { format: 'webm' })
  expect(videoStream(await infoOf(paths[0]!))!.pixelFormat).toBe('yuv420p')
})
