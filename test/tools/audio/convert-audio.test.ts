import { copyFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams } from '../../../src/engines/ffmpeg/ffprobe.ts'
import convertAudio from '../../../tools/audio/convert-audio.ts'
import { frequencyOf, infoOf, makeAudio, makeVideo, samplesOf } from '../../helpers/av.ts'
import { badMedia } from '../../helpers/bad-media.ts'
import { withCover } from '../../helpers/cover.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

async function convert(source: string, settings: Record<string, unknown>) {
  const { paths, names } = await run(convertAudio, folder, [source], settings)
  const info = await infoOf(paths[0]!)
  return { path: paths[0]!, name: names[0]!, info, stream: audioStreams(info)[0]! }
}

describe('formats', () => {
  test.each([
    ['mp3', 'mp3', 'mp3'],
    ['wav', 'wav', 'pcm_s16le'],
    ['ogg', 'ogg', 'vorbis'],
    ['flac', 'flac', 'flac'],
    ['m4a', 'mov', 'aac'],
  ])('%s', async (format, demuxer, codec) => {
    const source = await makeAudio({ channels: 2, frequency: 1000, extension: format === 'wav' ? 'flac' : 'wav' })
    const { path, name, info, stream } = await convert(source, { format })
    expect(name).toBe(basename(source).replace(/\.\w+$/, `.${format}`))
    expect(info.format.split(',')).toContain(demuxer)
    expect(stream).toMatchObject({ codec, sampleRate: 44100, channels: 2 })
    expect(info.durationS).toBeCloseTo(2, 1)
    expect(frequencyOf(await samplesOf(path))).toBeCloseTo(1000, -1)
  })

  test.each(['mp3', 'flac', 'aac', 'm4a', 'ogg', 'opus', 'wma', 'aiff', 'ac3'])('from %s', async (extension) => {
    const { path, stream } = await convert(await makeAudio({ extension, sampleRate: 48000 }), { format: 'wav' })
    expect(stream.codec).toBe('pcm_s16le')
    expect(frequencyOf(await samplesOf(path))).toBeCloseTo(440, -1)
  })

  test('lossless stays lossless', async () => {
    const source = await makeAudio()
    const { path } = await convert(source, { format: 'flac' })
    expect(await samplesOf(path, 44100)).toEqual(await samplesOf(source, 44100))
  })
})

describe('floating-point samples', () => {
  // A sine wave of ffmpeg has an eighth of full scale.
  async function warnings(gainDb: number, format: string): Promise<string[]> {
    const float = join(folder, `float-${gainDb}.wav`)
    const filters = ['-af', `volume=${gainDb}dB`, '-c:a', 'pcm_f32le']
    await runFfmpeg(['-f', 'lavfi', '-i', 'sine=frequency=440:d=1', ...filters, '-f', 'wav', float])
    return (await run(convertAudio, folder, [float], { format })).warnings
  }

  test.each(['flac', 'wav', 'mp3'])('louder than full scale, to %s: reports clipping', async (format) => {
    expect((await warnings(30, format)).join()).toContain('up to 11.9 dB above full scale')
  })

  test('below full scale: not', async () => {
    expect((await warnings(10, 'flac')).join()).not.toContain('full scale')
  })
})

describe('bit rate and sample rate', () => {
  test.each([
    ['mp3', 32],
    ['mp3', 320],
    ['m4a', 64],
  ])('%s at %d kbit/s', async (format, bitrateKbps) => {
    const { info } = await convert(await makeAudio({ seconds: 6, channels: 2 }), { format, bitrateKbps })
    expect(info.bitRate! / 1000).toBeGreaterThan(bitrateKbps * 0.8)
    expect(info.bitRate! / 1000).toBeLessThan(bitrateKbps * 1.25)
  })

  test('Vorbis grows with the bit rate, also at 8 kHz', async () => {
    const source = await makeAudio({ channels: 2 })
    const small = await convert(source, { format: 'ogg', bitrateKbps: 32 })
    const large = await convert(source, { format: 'ogg', bitrateKbps: 320 })
    expect(large.info.sizeBytes).toBeGreaterThan(small.info.sizeBytes)
    expect((await convert(source, { format: 'ogg', sampleRate: 8000 })).stream.sampleRate).toBe(8000)
  })

  test.each([8000, 16000, 22050, 32000, 44100, 48000, 96000])('%d Hz', async (sampleRate) => {
    const source = await makeAudio({ sampleRate: 48000 })
    for (const format of sampleRate === 96000 ? ['wav', 'm4a', 'flac'] : ['wav', 'mp3', 'm4a'])
      expect((await convert(source, { format, sampleRate })).stream.sampleRate).toBe(sampleRate)
  })

  test('MP3 has maximum bit rates for low sample rates: refuses a requested one, lowers the default', async () => {
    const source = await makeAudio()
    for (const [sampleRate, cap] of [
      [8000, 64],
      [16000, 160],
      [22050, 160],
    ] as const) {
      await expect(convert(source, { sampleRate, bitrateKbps: cap + 1 })).rejects.toMatchObject({
        code: 'INVALID_SETTINGS',
        message: `MP3 at ${sampleRate} Hz supports at most ${cap} kbit/s, got ${cap + 1}`,
      })
      const { info, stream } = await convert(source, { sampleRate })
      expect(stream.sampleRate).toBe(sampleRate)
      expect(info.bitRate! / 1000).toBeLessThan(cap * 1.2)
    }
    const low = await makeAudio({ sampleRate: 8000 })
    await expect(convert(low, { bitrateKbps: 128 })).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
    expect((await convert(low, {})).stream.sampleRate).toBe(8000)
  })

  test('MP3 of a source above 48 kHz', async () => {
    expect((await convert(await makeAudio({ sampleRate: 96000 }), {})).stream.sampleRate).toBe(48000)
    await expect(convert(await makeAudio(), { sampleRate: 96000 })).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  })

  test.each([
    { bitrateKbps: 31 },
    { bitrateKbps: 321 },
    { bitrateKbps: 64.5 },
    { sampleRate: 11025 },
    { format: 'aac' },
  ])('refused: %j', async (settings) => {
    await expect(convert(await makeAudio(), settings)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  })
})

test('keeps covers where the format has them, and drops videos', async () => {
  for (const format of ['mp3', 'm4a', 'flac', 'wav']) {
    const types = format === 'wav' ? ['audio'] : ['audio', 'video']
    for (const source of [await withCover('mp3'), await withCover('m4a')])
      expect((await convert(source, { format })).info.streams.map(({ type }) => type)).toEqual(types)
    const { info } = await convert(await makeVideo({ audio: true }), { format })
    expect(info.streams.map(({ type }) => type)).toEqual(['audio'])
  }
})

test('the same format gets another name, and the content decides the type', async () => {
  const source = join(folder, 'song.wav')
  copyFileSync(await makeAudio({ extension: 'mp3' }), source)
  expect((await convert(source, { format: 'wav' })).name).toBe('song_convert.wav')
})

test('invalid input is refused with its code', async () => {
  for (const { path, code } of await badMedia(folder))
    await expect(convert(path, {}), path).rejects.toMatchObject({ code })
  await expect(convert(await makeVideo(), {})).rejects.toMatchObject({ code: 'UNSUPPORTED_FILE_TYPE' })
})

test('a duration above the limit names both', async () => {
  process.env.MAX_AUDIO_DURATION_S = '1'
  try {
    await expect(convert(await makeAudio(), {})).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringMatching(/of 2 s; the limit is 1 s/),
    })
  } finally {
    delete process.env.MAX_AUDIO_DURATION_S
  }
})
