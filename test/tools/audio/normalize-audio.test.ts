import { describe, expect, test } from 'vitest'
import { inputArguments, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams } from '../../../src/engines/ffmpeg/ffprobe.ts'
import normalizeAudio from '../../../tools/audio/normalize-audio.ts'
import { ENCODED_AUDIO, infoOf, makeAudio, makeVideo, samplesOf, sharedMedia, temporaryPath } from '../../helpers/av.ts'
import { badMedia } from '../../helpers/bad-media.ts'
import { withCover } from '../../helpers/cover.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** Integrated loudness in LUFS and true peak in dBFS after EBU R 128. */
async function loudnessOf(path: string): Promise<{ lufs: number; peak: number }> {
  const args = [...inputArguments(path), '-map', '0:a', '-af', 'ebur128=peak=true', '-f', 'null', '-']
  const said = await runFfmpeg(args, { logLevel: 'info' })
  const summary = said.slice(said.lastIndexOf('Summary:'))
  const figure = (name: RegExp) => Number(name.exec(summary)![1])
  return { lufs: figure(/I:\s+(-?[\d.]+) LUFS/), peak: figure(/Peak:\s+(-?[\d.]+) dBFS/) }
}

/** Three tones and noise that swell and fade, at some level. */
const mix = (volume: number, extension = 'wav'): Promise<string> =>
  sharedMedia(['mix', volume], `mix.${extension}`, async (path) => {
    const tones = '(sin(440*2*PI*t)+0.7*sin(1000*2*PI*t)+0.5*sin(3000*2*PI*t)+0.3*(random(0)-0.5))'
    const source = `aevalsrc=${volume}*${tones}*(0.7+0.3*sin(t)):s=44100:d=7`
    await runFfmpeg(['-f', 'lavfi', '-i', source, '-ac', '2', path])
  })

describe('-16 LUFS', () => {
  test.each([0.01, 0.1, 0.4])('a mix at level %d', async (volume) => {
    const source = await mix(volume)
    const { paths } = await run(normalizeAudio, folder, [source])
    const { lufs, peak } = await loudnessOf(paths[0]!)
    expect(Math.abs(lufs + 16)).toBeLessThan(0.5)
    expect(peak).toBeLessThanOrEqual(-1.4)
    expect((await infoOf(paths[0]!)).durationS).toBeCloseTo(7, 1)
  })
})

describe('containers', () => {
  test.each(ENCODED_AUDIO)('%s gives %s with %s', async (extension, expected, codec) => {
    const source = await makeAudio({ seconds: 1, extension, sampleRate: 48000, channels: 2 })
    const { paths, names } = await run(normalizeAudio, folder, [source])
    expect(names[0]).toMatch(new RegExp(`_normalized\\.${expected}$`))
    expect(audioStreams(await infoOf(paths[0]!))[0]).toMatchObject({ codec, sampleRate: 48000, channels: 2 })
  })
})

test.each([
  ['wav', 8000],
  ['wav', 44100],
  ['wav', 96000],
  ['flac', 22050],
  ['mp3', 8000],
  ['mp3', 44100],
  ['ogg', 8000],
  ['m4a', 16000],
])('%s at %d Hz keeps its sample rate and channel', async (extension, sampleRate) => {
  const source = await makeAudio({ seconds: 1, extension, sampleRate })
  const { paths } = await run(normalizeAudio, folder, [source])
  expect(audioStreams(await infoOf(paths[0]!))[0]).toMatchObject({ sampleRate, channels: 1 })
})

test('an unsupported rate becomes the next supported one', async () => {
  const fast = temporaryPath('fast.m4a')
  await runFfmpeg(['-f', 'lavfi', '-i', 'sine=d=2:sample_rate=192000', '-c:a', 'alac', fast])
  const { paths } = await run(normalizeAudio, folder, [fast])
  expect(audioStreams(await infoOf(paths[0]!))[0]).toMatchObject({ codec: 'aac', sampleRate: 96000 })
})

test("silence, and audio shorter than the filter's window", async () => {
  const silence = temporaryPath('silence.wav')
  await runFfmpeg(['-f', 'lavfi', '-i', 'anullsrc=r=44100:cl=mono', '-t', '5', silence])
  const quiet = await run(normalizeAudio, folder, [silence])
  expect(quiet.warnings).toEqual([expect.stringContaining('silent')])
  expect((await infoOf(quiet.paths[0]!)).durationS).toBeCloseTo(5, 1)
  const brief = await run(normalizeAudio, folder, [await makeAudio({ seconds: 0.2 })])
  expect((await infoOf(brief.paths[0]!)).durationS).toBeCloseTo(0.2, 1)
  // Repeated until it is long enough to be measured, it has the loudness of the others.
  const repeated = temporaryPath('repeated.wav')
  await runFfmpeg(['-stream_loop', '20', '-i', brief.paths[0]!, repeated])
  expect(Math.abs((await loudnessOf(repeated)).lufs + 16)).toBeLessThan(0.5)
})

test('limits exceeding peaks, only as far as needed, with the same loudness', async () => {
  const path = temporaryPath('peaks.wav')
  // A quiet tone with a loud beat of 0.01 s each second.
  const beat = '(0.05+0.8*lt(mod(t,1),0.01))*sin(1000*PI*t)'
  await runFfmpeg(['-f', 'lavfi', '-i', `aevalsrc='${beat}'|'${beat}':s=48000:d=5`, path])
  const before = await loudnessOf(path)
  expect(before.peak - 16 - before.lufs).toBeGreaterThan(-1.5)
  const { paths } = await run(normalizeAudio, folder, [path])
  const { lufs, peak } = await loudnessOf(paths[0]!)
  expect(Math.abs(lufs + 16)).toBeLessThan(0.5)
  expect(peak).toBeLessThanOrEqual(-1.4)
})

test('if that would distort, stays quieter with a warning', async () => {
  const path = temporaryPath('clicks.wav')
  await runFfmpeg(['-f', 'lavfi', '-i', "aevalsrc='0.8*random(0)*lt(mod(t,1),0.005)':s=48000:d=5", path])
  const { paths, warnings } = await run(normalizeAudio, folder, [path])
  expect(warnings).toEqual([expect.stringMatching(/^the loudness is -\d+\.\d LUFS and not -16/)])
  expect((await loudnessOf(paths[0]!)).peak).toBeLessThanOrEqual(-1.4)
})

test.each(['m4a', 'ogg', 'opus', 'mp3'])(
  '%s: the encoded file keeps the true peak and the loudness',
  async (extension) => {
    // Hits of noise, whose peaks lossy encoders raise: AAC by 0.9 dB.
    const hits = '0.15*sin(2*PI*220*t)+0.9*exp(-60*mod(t\\,0.5))*(random(0)*2-1)'
    const source = await sharedMedia(['hits', extension], `hits.${extension}`, async (path) => {
      await runFfmpeg(['-f', 'lavfi', '-i', `aevalsrc='${hits}':s=48000:d=4`, path])
    })
    const { paths } = await run(normalizeAudio, folder, [source])
    const { lufs, peak } = await loudnessOf(paths[0]!)
    expect(peak).toBeLessThanOrEqual(-1.5)
    expect(Math.abs(lufs + 16)).toBeLessThan(0.5)
  },
)

test('other targets', async () => {
  const { paths } = await run(normalizeAudio, folder, [await mix(0.1)], { lufs: -23, truePeakDb: -3 })
  const { lufs, peak } = await loudnessOf(paths[0]!)
  expect(Math.abs(lufs + 23)).toBeLessThan(0.5)
  expect(peak).toBeLessThanOrEqual(-3)
})

test('a plain gain if sufficient: keeps 24 bits, and multiplies every sample equally', async () => {
  const deep = temporaryPath('deep.wav')
  await runFfmpeg(['-f', 'lavfi', '-i', 'sine=500:sample_rate=48000:d=3', '-c:a', 'pcm_s24le', deep])
  const { paths } = await run(normalizeAudio, folder, [deep])
  expect(audioStreams(await infoOf(paths[0]!))[0]).toMatchObject({ codec: 'pcm_s24le' })
  const [before, after] = [await samplesOf(deep), await samplesOf(paths[0]!)]
  const factor = after[1000]! / before[1000]!
  for (let at = 0; at < before.length; at += 997) expect(after[at]!).toBeCloseTo(before[at]! * factor, 5)
})

test('keeps covers', async () => {
  for (const extension of ['mp3', 'm4a', 'flac'] as const) {
    const { paths } = await run(normalizeAudio, folder, [await withCover(extension)])
    expect((await infoOf(paths[0]!)).streams.map(({ type }) => type)).toEqual(['audio', 'video'])
  }
})

test('invalid input is refused with its code', async () => {
  for (const { path, code } of await badMedia(folder))
    await expect(run(normalizeAudio, folder, [path]), path).rejects.toMatchObject({ code })
  await expect(run(normalizeAudio, folder, [await makeVideo()])).rejects.toMatchObject({
    code: 'UNSUPPORTED_FILE_TYPE',
  })
})

test('5.1 that MP3 mixes down is measured after mixing', async () => {
  for (const [extension, codec] of [
    ['ac3', 'ac3'],
    ['mka', 'pcm_s16le'],
  ]) {
    const source = await sharedMedia(['surround', codec], `surround.${extension}`, async (path) => {
      const channels = [440, 550, 660, 80, 770, 880].map((hz) => `0.3*sin(${hz}*2*PI*t)`).join('|')
      const track = ['-f', 'lavfi', '-i', `aevalsrc=${channels}:c=5.1:s=48000:d=4`]
      await runFfmpeg([...track, '-c:a', codec!, path])
    })
    const { paths, warnings } = await run(normalizeAudio, folder, [source])
    expect(audioStreams(await infoOf(paths[0]!))[0]!.channels).toBe(2)
    expect(Math.abs((await loudnessOf(paths[0]!)).lufs + 16)).toBeLessThan(0.5)
    expect(warnings).toEqual([expect.stringContaining('6 channels are mixed down to 2')])
  }
})

/** A tone with its peak at a level, dB of full scale. */
const faint = (peakDb: number, codec: string): Promise<string> =>
  sharedMedia(['faint', peakDb, codec], 'faint.wav', async (path) => {
    const tone = `aevalsrc=${10 ** (peakDb / 20)}*sin(440*2*PI*t):s=48000:d=4`
    await runFfmpeg(['-f', 'lavfi', '-i', tone, '-c:a', codec, path])
  })

test('24 bits at -76 dB are not silence; noise of the last bit of 16 is', async () => {
  const { paths, warnings } = await run(normalizeAudio, folder, [await faint(-76, 'pcm_s24le')])
  expect(Math.abs((await loudnessOf(paths[0]!)).lufs + 16)).toBeLessThan(0.5)
  expect(warnings).toEqual([expect.stringMatching(/^the audio is very quiet: it is raised by 6\d dB/)])
  const rounding = await run(normalizeAudio, folder, [await faint(-88, 'pcm_s16le')])
  expect(rounding.warnings).toEqual(['the audio is silent, so its loudness is unchanged'])
})
