/** High dynamic range: kept with 10 bits if the encoder supports it, else converted to BT.709 with a warning. */
import { expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import convertVideo from '../../../tools/video/convert/convert-video.ts'
import videoToGif from '../../../tools/video/convert/video-to-gif.ts'
import mergeVideos from '../../../tools/video/time/merge-videos.ts'
import reverseVideo from '../../../tools/video/time/reverse-video.ts'
import { infoOf, meanColour, sharedMedia, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** Half a second of grey: 594 of 1023 is diffuse white in PQ, 203 nits (ITU-R BT.2408). */
function video(transfer: string): Promise<string> {
  return sharedMedia(['hdr', transfer], 'hdr.mp4', async (path) => {
    const tags = ['-color_primaries', 'bt2020', '-color_trc', transfer, '-colorspace', 'bt2020nc', '-color_range', 'tv']
    const grey = 'nullsrc=s=64x48:r=10:d=0.5,format=yuv420p10le,geq=lum=594:cb=512:cr=512'
    await runFfmpeg(['-f', 'lavfi', '-i', grey, '-c:v', 'libx264', '-pix_fmt', 'yuv420p10le', ...tags, path])
  })
}

test.each([
  ['smpte2084', 'mp4'],
  ['arib-std-b67', 'mkv'],
  ['smpte2084', 'webm'],
])('%s in %s is kept, in 10 bits', async (transfer, format) => {
  const { paths, warnings } = await run(convertVideo, folder, [await video(transfer)], { format })
  expect(videoStream(await infoOf(paths[0]!))).toMatchObject({ pixelFormat: 'yuv420p10le', colour: { transfer } })
  expect(warnings).toEqual([])
})

test('white is bright in a GIF, not the raw grey value', async () => {
  const { paths, warnings } = await run(videoToGif, folder, [await video('smpte2084')], { width: 64, durationS: 0.5 })
  expect((await meanColour(paths[0]!))[1]).toBeGreaterThan(165)
  expect(warnings).toEqual(['HDR is converted to SDR: the codec has only 8 bits'])
})

test.each(['gbrp', 'yuv444p'])('%s becomes 4:2:0 for VP9, which players support', async (format) => {
  const source = await sharedMedia([format], 'full.mkv', async (path) => {
    await runFfmpeg(['-f', 'lavfi', '-i', `testsrc2=s=64x48:r=5:d=0.6,format=${format}`, '-c:v', 'ffv1', path])
  })
  const { paths } = await run(convertVideo, folder, [source], { format: 'webm' })
  expect(videoStream(await infoOf(paths[0]!))!.pixelFormat).toBe('yuv420p')
})

test('joined and, for MPEG, reversed: tone-mapped and reported', async () => {
  const source = await video('smpte2084')
  const reported = 'HDR is converted to SDR: the codec has only 8 bits'
  const joined = await run(mergeVideos, folder, [source, source])
  expect(joined.warnings).toEqual(Array(2).fill(`${source.split('/').at(-1)}: ${reported}`))
  const mpeg = temporaryPath('hdr.mpg')
  const tags = ['-color_primaries', 'bt2020', '-color_trc', 'smpte2084', '-colorspace', 'bt2020nc']
  await runFfmpeg(['-i', source, '-c:v', 'mpeg2video', '-q:v', '2', '-r', '25', '-pix_fmt', 'yuv420p', ...tags, mpeg])
  const reversed = await run(reverseVideo, folder, [mpeg])
  expect(reversed.warnings).toEqual([reported])
  for (const path of [...joined.paths, ...reversed.paths]) {
    expect(videoStream(await infoOf(path))).toMatchObject({ pixelFormat: 'yuv420p', colour: { transfer: 'bt709' } })
    // 203 nits, of which 100 are white: bright, and not clipped.
    const [red] = await meanColour(path)
    expect(red).toBeGreaterThan(150)
    expect(red).toBeLessThan(255)
  }
})
