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

test.each(['flac', 'mp3', 'ogg'])(
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
      // A stereo sine has the loudness of its peak (ITU-R BS.1770).
      expect(Math.abs(20 * Math.log10(Number(own.replaygain_track_peak)) - lufs[index]!)).toBeLessThan(0.5)
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
