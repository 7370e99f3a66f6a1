import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { captureFfmpeg, inputArguments, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { tagsOf } from '../../../src/media/av/labels/tags.ts'
import replayGain from '../../../tools/audio/replay-gain.ts'
import { infoOf, sharedMedia, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** Four seconds of a sine in two channels, with its peak at a level in dBFS. */
const sine = (level: number, extension: string): Promise<string> =>
  sharedMedia(['sine', level], `sine${level}.${extension}`, async (path) => {
    await runFfmpeg([
      '-f',
      'lavfi',
      '-i',
      `aevalsrc=${10 ** (level / 20)}*sin(997*2*PI*t):s=48000:d=4`,
      '-ac',
      '2',
      // Without a tag of its own: of a WAV with RIFF's tags, ffprobe shows no others.
      '-fflags',
      '+bitexact',
      path,
    ])
  })

const packets = async (path: string): Promise<string> =>
  Buffer.from(
    await captureFfmpeg([...inputArguments(path), '-map', '0:a', '-c', 'copy', '-f', 'md5', 'pipe:1'], {
      maxOutput: 99,
    }),
  ).toString()

const gainOf = (text: string | undefined): number => Number(/^(-?\d+\.\d\d) dB$/.exec(text ?? '')?.[1])

test.each(['flac', 'mp3', 'ogg', 'm4a', 'wav'])(
  '%s: gains to -18 LUFS and peaks, per track and album; the packets stay',
  async (extension) => {
    const sources = [await sine(-10, extension), await sine(-16, extension)]
    const { paths, report, set } = await run(replayGain, folder, sources)
    expect(set).toBe('replaygain')
    const tags = await Promise.all(paths.map(async (path) => tagsOf(await infoOf(path))))
    const lufs = (report as { tracks: { lufs: number }[] }).tracks.map((track) => track.lufs)
    expect(lufs[0]! - lufs[1]!).toBeCloseTo(6, 1)
    for (const [index, own] of tags.entries()) {
      expect(gainOf(own.replaygain_track_gain)).toBeCloseTo(-18 - lufs[index]!, 1)
      // A stereo sine has the loudness of its peak (ITU-R BS.1770); where it begins, AAC overshoots.
      expect(Math.abs(20 * Math.log10(Number(own.replaygain_track_peak)) - lufs[index]!)).toBeLessThan(
        extension === 'm4a' ? 2 : 0.5,
      )
      // Equal lengths of both levels: the mean of their energies.
      const album = 10 * Math.log10((10 ** (lufs[0]! / 10) + 10 ** (lufs[1]! / 10)) / 2)
      expect(Math.abs(gainOf(own.replaygain_album_gain) - (-18 - album))).toBeLessThan(0.15)
      expect(own.replaygain_album_peak).toBe(tags[0]!.replaygain_track_peak)
      expect(await packets(paths[index]!)).toBe(await packets(sources[index]!))
    }
  },
)

test('Opus: R 128 in 1/256 dB to -23 LUFS', async () => {
  const { paths, report } = await run(replayGain, folder, [await sine(-10, 'opus')], { album: false })
  const own = tagsOf(await infoOf(paths[0]!))
  const { lufs } = (report as { tracks: { lufs: number }[] }).tracks[0]!
  expect(Number(own.r128_track_gain)).toBe(Math.round((-23 - lufs) * 256))
  expect(Object.keys(own).filter((name) => /gain|peak/.test(name))).toEqual(['r128_track_gain'])
})

test('a single track replaces its old tags and loses those of an album; silence gets none', async () => {
  const tagged = temporaryPath('tagged.flac')
  const old = ['REPLAYGAIN_TRACK_GAIN=+7.00 dB', 'REPLAYGAIN_ALBUM_GAIN=+2.00 dB', 'TITLE=Kept']
  await runFfmpeg([
    ...[...inputArguments(await sine(-16, 'flac')), '-c', 'copy'],
    ...[...old.flatMap((tag) => ['-metadata', tag]), tagged],
  ])
  const silent = temporaryPath('silent.flac')
  await runFfmpeg(['-f', 'lavfi', '-i', 'anullsrc=r=44100:cl=mono', '-t', '2', silent])
  const { paths, warnings } = await run(replayGain, folder, [tagged], { album: false })
  const own = tagsOf(await infoOf(paths[0]!))
  // Mono that becomes stereo is 3 dB lower in each channel.
  expect(gainOf(own.replaygain_track_gain)).toBeCloseTo(1, 0)
  expect(own).toMatchObject({ title: 'Kept' })
  expect(own.replaygain_album_gain).toBeUndefined()
  expect(warnings).toEqual([])
  const quiet = await run(replayGain, folder, [silent])
  expect(quiet.warnings).toEqual([expect.stringMatching(/silent.flac is silent, so it gets no gain/)])
  expect(quiet.report).toMatchObject({ album: { lufs: null, gainDb: null } })
})

const pathOf = (paths: readonly string[]): string => paths[0] ?? ''

test('M4A: tags go into the list of iTunes beside the others, also with the index in front, and replace old ones', async () => {
  const front = temporaryPath('front.m4a')
  await runFfmpeg([
    ...[...inputArguments(await sine(-16, 'm4a')), '-c', 'copy', '-metadata', 'title=Kept', '-movflags', '+faststart'],
    front,
  ])
  const first = await run(replayGain, folder, [front])
  const again = await run(replayGain, folder, first.paths, { album: false })
  for (const { paths, warnings } of [first, again]) {
    expect(warnings).toEqual([])
    expect(await packets(pathOf(paths))).toBe(await packets(front))
    const own = tagsOf(await infoOf(pathOf(paths)))
    expect(own.title).toBe('Kept')
    expect(gainOf(own.replaygain_track_gain)).toBeCloseTo(1, 0)
    const bytes = await readFile(pathOf(paths))
    // Each name once.
    expect(bytes.toString('latin1').split('replaygain_track_gain')).toHaveLength(2)
    expect(bytes.includes('com.apple.iTunes')).toBe(true)
  }
  expect(tagsOf(await infoOf(pathOf(first.paths))).replaygain_album_gain).toBeDefined()
  expect(tagsOf(await infoOf(pathOf(again.paths))).replaygain_album_gain).toBeUndefined()
})

test('WAV: an ID3 chunk at the end, and sizes that fit', async () => {
  // Beside RIFF's own title, which ffmpeg writes into a LIST chunk.
  const titled = temporaryPath('titled.wav')
  await runFfmpeg([...inputArguments(await sine(-16, 'wav')), '-c', 'copy', '-metadata', 'title=Kept', titled])
  const { paths, warnings } = await run(replayGain, folder, [titled])
  expect(warnings).toEqual([])
  expect(tagsOf(await infoOf(pathOf(paths))).title).toBe('Kept')
  expect(await packets(pathOf(paths))).toBe(await packets(titled))
  const bytes = await readFile(pathOf(paths))
  expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8)
  const at = bytes.indexOf('id3 ')
  expect(at % 2).toBe(0)
  expect(bytes.toString('latin1', at + 8, at + 11)).toBe('ID3')
  const tag = bytes.subarray(at + 8).toString('latin1')
  for (const name of ['track_gain', 'track_peak', 'album_gain', 'album_peak'])
    expect(tag).toMatch(new RegExp(`TXXX.{6}\\x03replaygain_${name}\0-?\\d+\\.\\d`, 's'))
  expect(at + 8 + bytes.readUInt32LE(at + 4)).toBeGreaterThanOrEqual(bytes.length - 1)
})
