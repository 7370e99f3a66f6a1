import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { abilities, findFfmpeg, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { findFfprobe } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { ladderOf } from '../../../tools/video/convert/video-to-hls/ladder.ts'
import { peakRate } from '../../../tools/video/convert/video-to-hls/playlists.ts'
import videoToHls from '../../../tools/video/convert/video-to-hls.ts'
import { frameTimes, grayFrames, makeVideo, sharedMedia, temporaryPath } from '../../helpers/av.ts'
import { MARKED, movingFields } from '../../helpers/moving.ts'
import { type Outcome, run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
let program = 'ffprobe'
beforeAll(async () => {
  program = (await findFfprobe())?.path ?? program
})

/** What ffprobe's own reader of playlists finds; with other files than those of the folder it fails. */
function probe(path: string, ...entries: string[]) {
  const asked = ['-v', 'error', '-protocol_whitelist', 'file', '-allowed_extensions', 'ALL', '-of', 'json']
  return JSON.parse(execFileSync(program, [...asked, ...entries, path], { encoding: 'utf8' }))
}

/** Attributes of a playlist tag. */
function attributes(line: string): Record<string, string> {
  const list = line.slice(line.indexOf(':') + 1)
  return Object.fromEntries([...list.matchAll(/([A-Z-]+)=("[^"]*"|[^,]*)/g)].map(([, name, value]) => [name, value]))
}

/** 2.4 s with two audio tracks. */
const film = (): Promise<string> =>
  sharedMedia(['hls-film'], 'film.mkv', async (path) => {
    const video = await makeVideo({ seconds: 2.4, width: 320, height: 240, audioTracks: 2 })
    const labels = ['-metadata:s:a:0', 'language=eng', '-metadata:s:a:1', 'language=ger']
    await runFfmpeg(['-i', video, '-map', '0', '-c', 'copy', ...labels, path])
  })

let whole: Promise<{ outcome: Outcome; at: string; master: string }> | undefined
const result = () => {
  whole ??= (async () => {
    const outcome = await run(videoToHls, folder, [await film()], { resolutions: '480,160', segmentS: 1 })
    const at = dirname(outcome.paths[0]!)
    return { outcome, at, master: readFileSync(join(at, 'master.m3u8'), 'utf8') }
  })()
  return whole
}

test('one set: playlists first, each segment named by a playlist, none larger than the source', async () => {
  const { outcome, at, master } = await result()
  expect(outcome.set).toMatch(/film_hls$/)
  expect(outcome.warnings).toEqual([])
  expect(outcome.names.slice(0, 6)).toEqual([
    ...['master.m3u8', 'manifest.mpd', 'media_0.m3u8', 'media_1.m3u8', 'media_2.m3u8', 'media_3.m3u8'],
  ])
  const named = outcome.names
    .filter((name) => name.startsWith('media_'))
    .flatMap((name) => [...readFileSync(join(at, name), 'utf8').matchAll(/[\w-]+\.(?:m4s|mp4)/g)].map(([file]) => file))
  expect(named.sort()).toEqual(
    readdirSync(at)
      .filter((name) => /\.(m4s|mp4)$/.test(name))
      .sort(),
  )
  expect(master.match(/RESOLUTION=\d+x\d+/g)).toEqual(['RESOLUTION=320x240', 'RESOLUTION=214x160'])
})

test('ffprobe plays each variant and audio track; the durations are equal, and segments begin with key frames', async () => {
  const { at } = await result()
  for (const [number, expected] of [
    [0, '320x240'],
    [1, '214x160'],
    [2, 'aac'],
    [3, 'aac'],
  ] as const) {
    const { streams, packets } = probe(join(at, `media_${number}.m3u8`), '-show_streams', '-show_packets')
    expect(streams).toHaveLength(1)
    const [{ width, height, codec_name: codec }] = streams
    expect(width ? `${width}x${height}` : codec).toBe(expected)
    const times = packets.map(({ pts_time: time }: { pts_time: string }) => Number(time))
    expect(Math.min(...times)).toBeLessThan(0.06)
    if (!width) continue
    const keys = packets.filter(({ flags }: { flags: string }) => flags.startsWith('K'))
    expect(packets).toHaveLength(60)
    expect(keys.map(({ pts_time: time }: { pts_time: string }) => Math.round(Number(time) - times[0]))).toEqual([
      0, 1, 2,
    ])
  }
  const lasts = [0, 1, 2, 3].map((number) => {
    const text = readFileSync(join(at, `media_${number}.m3u8`), 'utf8')
    expect(text).toMatch(/^#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:[12]\n/)
    expect(text).toMatch(/#EXT-X-ENDLIST\n$/)
    return [...text.matchAll(/#EXTINF:([\d.]+)/g)].reduce((sum, [, length]) => sum + Number(length), 0)
  })
  for (const length of lasts) expect(Math.abs(length - 2.4)).toBeLessThan(0.06)
  // The whole, from the master playlist.
  const { programs, format } = probe(join(at, 'master.m3u8'), '-show_programs', '-show_format')
  expect(programs).toHaveLength(2)
  expect(Number(format.duration)).toBeCloseTo(2.4, 1)
})

test('the tags of the master playlist are measured: codecs of the streams, bit rates of the files', async () => {
  const { at, master, outcome } = await result()
  const variants = master.split('\n').filter((line) => line.startsWith('#EXT-X-STREAM-INF'))
  const sizeOf = (number: number): number =>
    readdirSync(at)
      .filter((name) => name.startsWith(`segment-${number}-`))
      .reduce((sum, name) => sum + statSync(join(at, name)).size, 0)
  for (const [number, line] of variants.entries()) {
    const { BANDWIDTH, 'AVERAGE-BANDWIDTH': average, CODECS, AUDIO, 'FRAME-RATE': rate } = attributes(line)
    const [{ profile, level }] = probe(join(at, `media_${number}.m3u8`), '-show_streams').streams
    const idc = { 'Constrained Baseline': '42c0', Main: '4d40', High: '6400' }[profile as string]
    expect(CODECS).toBe(`"avc1.${idc}${level.toString(16).padStart(2, '0')},mp4a.40.2"`)
    const measured = ((sizeOf(number) + Math.max(sizeOf(2), sizeOf(3))) * 8) / 2.4
    expect(Math.abs(Number(average) / measured - 1)).toBeLessThan(0.03)
    expect(Number(BANDWIDTH)).toBeGreaterThan(Number(average))
    expect(Number(BANDWIDTH)).toBeLessThan(Number(average) * 2)
    expect([AUDIO, rate]).toEqual(['"audio"', '25.000'])
  }
  const audios = master.split('\n').filter((line) => line.startsWith('#EXT-X-MEDIA:'))
  expect(audios.map(attributes)).toMatchObject([
    { TYPE: 'AUDIO', LANGUAGE: '"en"', DEFAULT: 'YES', URI: '"media_2.m3u8"' },
    { TYPE: 'AUDIO', LANGUAGE: '"de"', DEFAULT: 'NO', URI: '"media_3.m3u8"' },
  ])
  expect(outcome.report).toMatchObject({ renditions: [{ width: 320, height: 240, segments: 3 }, {}], audioTracks: 2 })
})

test('the DASH manifest names the same segments with the measured bit rates', async () => {
  const { at } = await result()
  const manifest = readFileSync(join(at, 'manifest.mpd'), 'utf8')
  const rates = [...manifest.matchAll(/<Representation id="(\d)"[^>]* bandwidth="(\d+)"/g)]
  expect(rates.map(([, id]) => id)).toEqual(['0', '1', '2', '3'])
  expect(manifest.match(/<AdaptationSet/g)).toHaveLength(3)
  expect(manifest.match(/lang="\w+"/g)).toEqual(['lang="eng"', 'lang="ger"'])
  expect(Number(rates[0]![2])).toBeGreaterThan(Number(rates[1]![2]))
  // Debian's ffmpeg reads manifests; the build of 2018 does not.
  const { path } = (await findFfmpeg())!
  const demuxers = execFileSync(path, ['-hide_banner', '-demuxers'], { encoding: 'utf8' })
  if (!/ dash /.test(demuxers)) return
  const { streams } = probe(join(at, 'manifest.mpd'), '-show_streams')
  expect(streams.map(({ codec_type: type }: { codec_type: string }) => type)).toEqual([
    ...['video', 'video', 'audio', 'audio'],
  ])
})

/** The segments of a rendition as one file. */
function joinedSegments(at: string, number: number): string {
  const names = readFileSync(join(at, `media_${number}.m3u8`), 'utf8').matchAll(/[\w-]+\.(?:m4s|mp4)/g)
  const path = temporaryPath('joined.mp4')
  writeFileSync(path, Buffer.concat([...names].map(([name]) => readFileSync(join(at, name)))))
  return path
}

test('a screencast with few frames: pictures keep their times, and what a stream does not hold is reported', async () => {
  const source = await sharedMedia(['hls screencast'], 'screencast.mkv', async (path) => {
    const picture = "color=black:s=320x240:r=25:d=8,drawbox=c=white:t=fill:enable='gte(t,5.19)'"
    const few = "select='lt(n,3)+eq(n,60)+eq(n,130)'"
    const still = temporaryPath('still.png')
    await runFfmpeg(['-f', 'lavfi', '-i', 'color=red:s=32x32', '-frames:v', '1', still])
    const inputs = ['-f', 'lavfi', '-i', `${picture},${few}`, '-f', 'lavfi', '-i', 'sine=d=8:r=48000']
    const other = ['-f', 'lavfi', '-i', 'color=s=64x48:r=25:d=8']
    const attached = [
      '-attach',
      still,
      '-metadata:s:t',
      'mimetype=application/x-font',
      '-metadata:s:t',
      'filename=a.ttf',
    ]
    const maps = ['-map', '0:v', '-map', '1:a', '-map', '2:v', '-metadata:s:a:0', 'language=de"><x']
    const codecs = ['-vsync', 'vfr', '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac']
    await runFfmpeg([...inputs, ...other, ...maps, ...attached, ...codecs, path])
  })
  const { paths, warnings } = await run(videoToHls, folder, [source], { resolutions: '144', segmentS: 2 })
  const at = dirname(paths[0]!)
  expect(warnings).toEqual([
    expect.stringMatching(/of 2 video tracks only the first/),
    expect.stringMatching(/1 attached file is left out/),
    expect.stringMatching(/language of a track is left out/),
  ])
  for (const name of ['master.m3u8', 'manifest.mpd']) expect(readFileSync(join(at, name), 'utf8')).not.toContain('<x')
  const lengths = [0, 1].map((number) => {
    const text = readFileSync(join(at, `media_${number}.m3u8`), 'utf8')
    return [...text.matchAll(/#EXTINF:([\d.]+)/g)].map(([, length]) => Number(length))
  })
  const [video = [], audio = []] = lengths
  expect(Math.max(...video)).toBeLessThan(2.1)
  const sum = (list: readonly number[]): number => list.reduce((total, one) => total + one, 0)
  // Builds of 2018 cannot hold the last frame.
  const isHeld = (await abilities()).filters.has('tpad')
  expect(Math.abs(sum(video) - (isHeld ? 8 : 5.24))).toBeLessThan(0.1)
  expect(Math.abs(sum(audio) - 8)).toBeLessThan(0.1)
  const joined = joinedSegments(at, 0)
  const [frames, times] = [await grayFrames(joined), await frameTimes(joined)]
  const white = times.find((_, index) => frames[index]![0]! > 128)
  expect(Math.abs(white! - times[0]! - 5.2)).toBeLessThan(0.05)
})

test('a rotated video is upright', async () => {
  const lying = await makeVideo({ seconds: 1, width: 320, height: 240, rotation: 90 })
  const { paths } = await run(videoToHls, folder, [lying], { resolutions: '160' })
  const [{ width, height }] = probe(join(dirname(paths[0]!), 'master.m3u8'), '-show_streams').streams
  expect([width, height]).toEqual([160, 214])
})

test('without audio, and with fields', async () => {
  const fields = await movingFields('top', { codec: 'mpeg2video', extension: 'mpg', options: MARKED })
  const { paths, warnings } = await run(videoToHls, folder, [fields], { resolutions: '144' })
  expect(warnings).toEqual([expect.stringContaining('was deinterlaced')])
  const at = dirname(paths[0]!)
  expect(readFileSync(join(at, 'master.m3u8'), 'utf8')).not.toContain('AUDIO')
  expect(probe(join(at, 'master.m3u8'), '-show_streams').streams).toHaveLength(1)
})

test('resolutions: never larger, the shorter side counts, and nonsense is refused', async () => {
  const sizes = (width: number, height: number, ...sides: number[]) =>
    ladderOf({ width, height }, sides, 30).map((one) => `${one.width}x${one.height}`)
  expect(sizes(1920, 1080, 2160, 1080, 360)).toEqual(['1920x1080', '640x360'])
  expect(sizes(1080, 1920, 720)).toEqual(['720x1280'])
  expect(sizes(101, 75, 360, 144)).toEqual(['102x76'])
  for (const resolutions of ['', 'big', '720,10', '1,2,3,4,5,6,7,8,9'])
    await expect(run(videoToHls, folder, [await film()], { resolutions }), resolutions).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
    })
})

test('the peak is that of neighbouring segments of about the target duration', () => {
  const segment = (durationS: number, bits: number) => ({ durationS, bits })
  expect(peakRate([segment(4, 4000), segment(4, 8000), segment(1, 5000)], 4)).toBe(2600)
  expect(peakRate([segment(1, 700)], 4)).toBe(700)
})
