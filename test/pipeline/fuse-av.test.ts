import { writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import * as engine from '../../src/engines/ffmpeg/ffmpeg.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import {
  distance,
  frequencyOf,
  grayFrames,
  infoOf,
  makeAudio,
  makeVideo,
  pictureHash,
  samplesOf,
} from '../helpers/av.ts'
import { type ChainStep, fused, stepByStep } from '../helpers/pipeline.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const runFfmpeg = vi.spyOn(engine, 'runFfmpeg')

const folder = temporaryFolder()

beforeAll(useScannedCatalogue)

async function both(
  steps: readonly ChainStep[],
  input: string,
): Promise<{ one: string; many: string; commands: number; sizes: number[] }> {
  runFfmpeg.mockClear()
  const { paths, times } = await fused(steps, folder, input)
  const commands = runFfmpeg.mock.calls.length
  return {
    one: paths[0]!,
    many: await stepByStep(steps, folder, input),
    commands,
    sizes: times.map((time) => time.fused),
  }
}

/** Codec, size, rate and type of every stream: must be the same either way. */
async function parameters(path: string): Promise<unknown[]> {
  const { streams } = await infoOf(path)
  return streams.map(({ type, codec, width, height, sampleRate, channels, pixelFormat, frameRate }) => ({
    ...{ type, codec, width, height, sampleRate, channels, pixelFormat, frameRate },
  }))
}

const frames = async (path: string): Promise<number> => (await grayFrames(path)).length

async function expectAlike(one: string, many: string): Promise<void> {
  expect(await parameters(one)).toEqual(await parameters(many))
  const [a, b] = [await infoOf(one), await infoOf(many)]
  expect(Math.abs(a.durationS! - b.durationS!)).toBeLessThan(0.05)
}

describe('a chain of video steps', () => {
  test('trim, resize, mute: one command, the same frames', async () => {
    const input = await makeVideo({ seconds: 3, audio: true })
    const steps: ChainStep[] = [
      ['video/trim-video', { startS: 1, endS: 2, precise: true }],
      ['video/resize-video', { width: 64 }],
      ['video/mute-video'],
    ]
    const { one, many, commands, sizes } = await both(steps, input)
    expect(commands).toBe(1)
    expect(sizes).toEqual([3, 3, 3])
    await expectAlike(one, many)
    expect(await frames(one)).toBe(await frames(many))
    expect((await infoOf(one)).streams.map(({ type }) => type)).toEqual(['video'])
    const [all, other] = [await grayFrames(one), await grayFrames(many)]
    for (const frame of [0, 12, 24]) expect(distance(all[frame]!, other[frame]!)).toBeLessThan(4)
  })

  test('a GIF at the end is a GIF, regardless of the encode steps before', async () => {
    const input = await makeVideo({ seconds: 2 })
    const steps: ChainStep[] = [
      ['video/trim-video', { startS: 0.4, endS: 1.4, precise: true }],
      ['video/resize-video', { width: 96 }],
      ['video/video-to-gif', { width: 64, fps: 5, durationS: 1 }],
    ]
    const { one, many, commands } = await both(steps, input)
    expect(commands).toBe(1)
    await expectAlike(one, many)
    expect((await infoOf(one)).streams).toMatchObject([{ codec: 'gif', width: 64, height: 48 }])
    expect(await frames(one)).toBe(await frames(many))
    expect(distance((await grayFrames(one))[2]!, (await grayFrames(many))[2]!)).toBeLessThan(6)
  })

  test('copies the streams if nothing changes', async () => {
    const input = await makeVideo({ seconds: 2, audio: true })
    const steps: ChainStep[] = [['video/mute-video'], ['video/trim-video', { startS: 0, endS: 1 }]]
    const { one, many, commands } = await both(steps, input)
    expect(commands).toBe(1)
    expect(await pictureHash(one)).toBe(await pictureHash(many))
  })

  test('another container in the middle: codecs of the last one', async () => {
    const input = await makeVideo({ seconds: 1, audio: true })
    const steps: ChainStep[] = [
      ['video/resize-video', { width: 64 }],
      ['video/convert-video', { format: 'webm' }],
      ['video/resize-video', { width: 32 }],
    ]
    const { one, many, commands } = await both(steps, input)
    expect(commands).toBe(1)
    expect(one).toMatch(/\.webm$/)
    await expectAlike(one, many)
    expect((await infoOf(one)).streams.map(({ codec }) => codec)).toEqual(['vp9', 'opus'])
  })

  test('a cut that needs a key frame of the previous step starts a second command', async () => {
    const input = await makeVideo({ seconds: 3 })
    const steps: ChainStep[] = [
      ['video/resize-video', { width: 64 }],
      ['video/trim-video', { startS: 1, endS: 2 }],
    ]
    const { one, many, commands, sizes } = await both(steps, input)
    expect(commands).toBe(2)
    expect(sizes).toEqual([1, 1])
    await expectAlike(one, many)
    expect(await frames(one)).toBe(await frames(many))
  })

  test('names the audio that an earlier step removed', async () => {
    const input = await makeVideo({ seconds: 1, audio: true })
    await expect(fused([['video/mute-video'], ['audio/normalize-audio']], folder, input)).rejects.toMatchObject({
      code: 'UNSUPPORTED_FILE_TYPE',
      message: expect.stringMatching(/^step 2 \(audio\/normalize-audio\): .* has no audio stream/),
    })
  })
})

describe('a chain of audio steps', () => {
  test('trim, quieter, convert: one command', async () => {
    const input = await makeAudio({ seconds: 4, extension: 'mp3' })
    const steps: ChainStep[] = [
      ['audio/trim-audio', { startS: 1, endS: 3 }],
      ['audio/volume-adjust', { gainDb: -6 }],
      ['audio/convert-audio', { format: 'm4a', bitrateKbps: 96 }],
    ]
    const { one, many, commands } = await both(steps, input)
    expect(commands).toBe(1)
    await expectAlike(one, many)
  })

  test('trim, normalise, convert: writes the measured part first, the rest is one command', async () => {
    const input = await makeAudio({ seconds: 4, extension: 'mp3' })
    const steps: ChainStep[] = [
      ['audio/trim-audio', { startS: 1, endS: 3 }],
      ['audio/normalize-audio'],
      ['audio/convert-audio', { format: 'm4a', bitrateKbps: 96 }],
    ]
    const { one, many, commands } = await both(steps, input)
    // The trim, the measurement, and the gain with the encode.
    expect(commands).toBe(3)
    await expectAlike(one, many)
    expect((await infoOf(one)).streams).toMatchObject([{ codec: 'aac', sampleRate: 44100, channels: 1 }])
    const power = async (path: string): Promise<number> => {
      const samples = await samplesOf(path)
      return Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length)
    }
    expect(Math.abs(20 * Math.log10((await power(one)) / (await power(many))))).toBeLessThan(0.5)
    expect(frequencyOf(await samplesOf(one))).toBeCloseTo(440, -1)
  })

  test('a sample rate of an earlier step is kept in a later encode', async () => {
    const input = await makeAudio({ seconds: 1 })
    const steps: ChainStep[] = [
      ['audio/convert-audio', { format: 'wav', sampleRate: 22050 }],
      ['audio/convert-audio', { format: 'flac' }],
    ]
    const { one, many, commands } = await both(steps, input)
    expect(commands).toBe(1)
    await expectAlike(one, many)
    expect((await infoOf(one)).streams).toMatchObject([{ codec: 'flac', sampleRate: 22050 }])
  })

  test('a plan that reads changed content starts from the written file', async () => {
    const input = await makeAudio({ seconds: 2, extension: 'mp3' })
    const steps: ChainStep[] = [
      ['audio/convert-audio', { format: 'wav' }],
      ['audio/trim-audio', { startS: 0.5, endS: 1.5 }],
    ]
    const { one, many, commands } = await both(steps, input)
    expect(commands).toBe(2)
    await expectAlike(one, many)
    expect(await samplesOf(one)).toEqual(await samplesOf(many))
  })

  test('names the step of a damaged file', async () => {
    const input = `${folder}/bad.mp3`
    writeFileSync(input, Buffer.concat([Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1'), Buffer.alloc(500)]))
    await expect(fused([['audio/normalize-audio'], ['audio/convert-audio', {}]], folder, input)).rejects.toMatchObject({
      message: expect.stringMatching(/^step 1 \(audio\/normalize-audio\): /),
    })
  })
})
