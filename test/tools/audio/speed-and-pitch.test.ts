/** reverse-audio, audio-speed and pitch-shift: effect on time and frequencies. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import * as ffmpeg from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { tempoFilters } from '../../../src/media/av/filters/tempo.ts'
import { openAv } from '../../../src/media/av/input/input.ts'
import { runAv } from '../../../src/media/av/run.ts'
import { openMediaFile } from '../../../src/media/file.ts'
import audioSpeed from '../../../tools/audio/audio-speed.ts'
import pitchShift from '../../../tools/audio/pitch-shift.ts'
import { MAX_HELD_BYTES, reversedPart } from '../../../tools/audio/reverse-audio/part.ts'
import reverseAudio from '../../../tools/audio/reverse-audio.ts'
import { frequencyOf, infoOf, makeAudio, samplesOf, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const RATE = 48000

describe('reverse-audio', () => {
  test('the samples are in reverse order', async () => {
    const source = await makeAudio({ seconds: 0.5, sampleRate: RATE })
    const { paths } = await run(reverseAudio, folder, [source])
    expect(await samplesOf(paths[0]!)).toEqual((await samplesOf(source)).reverse())
  })

  test.each(['wav', 'ogg', 'mp3'])('one too long for memory, %s: the same, with its title', async (extension) => {
    const given = temporaryPath(`titled.${extension}`)
    await ffmpeg.runFfmpeg([
      ...['-i', await makeAudio({ seconds: 0.5, sampleRate: RATE, channels: 2, extension }), '-c', 'copy'],
      ...['-metadata', 'title=Tune', given],
    ])
    const source = await openAv(await openMediaFile(given), 'audio')
    const folders = temporaryFolder()
    const context = { signal: new AbortController().signal, warn: () => {}, progress: () => {} }
    const write = async (heldBytes: number): Promise<string> => {
      const path = temporaryPath(`reversed.${extension}`)
      const part = await reversedPart(source, { ...context, scratch: async () => folders }, heldBytes)
      await runAv(source, [part], path)
      return path
    }
    const [held, turned] = [await write(MAX_HELD_BYTES), await write(1000)]
    const [expected, samples] = [await samplesOf(held), await samplesOf(turned)]
    expect(samples).toHaveLength(expected.length)
    let most = 0
    for (const [index, value] of samples.entries()) most = Math.max(most, Math.abs(value - expected[index]!))
    // Both decode to the same samples; an encoder of floats may differ in the last bit.
    expect(most).toBeLessThanOrEqual(2)
    const { tags, streams } = await infoOf(turned)
    expect(tags.title ?? streams[0]!.tags.title).toBe('Tune')
    expect(streams[0]).toMatchObject({ channels: 2, sampleRate: RATE })
  })
})

describe('audio-speed', () => {
  test.each([0.25, 0.5, 0.8, 1.5, 2, 4])('%d times as fast: changes the length, keeps the pitch', async (factor) => {
    const source = await makeAudio({ seconds: 4, sampleRate: RATE, frequency: 500 })
    const { paths } = await run(audioSpeed, folder, [source], { factor })
    const samples = await samplesOf(paths[0]!)
    expect(Math.abs(samples.length / RATE - 4 / factor)).toBeLessThan(0.03 / Math.min(1, factor))
    expect(Math.abs(frequencyOf(samples) - 500)).toBeLessThan(5)
  })

  test('chains atempo within its range: 0.5 to 2', () => {
    expect(tempoFilters(0.25)).toEqual(['atempo=0.5', 'atempo=0.5'])
    expect(tempoFilters(3)).toEqual(['atempo=2', 'atempo=1.5'])
    expect(tempoFilters(1)).toEqual([])
  })
})

describe('pitch-shift', () => {
  afterEach(() => vi.restoreAllMocks())

  const shifted = async (semitones: number): Promise<void> => {
    const source = await makeAudio({ seconds: 2, sampleRate: RATE, frequency: 400 })
    const { paths } = await run(pitchShift, folder, [source], { semitones })
    const samples = await samplesOf(paths[0]!)
    const expected = 400 * 2 ** (semitones / 12)
    expect(Math.abs(frequencyOf(samples) / expected - 1)).toBeLessThan(0.015)
    expect(samples.length).toBe(2 * RATE)
  }

  test.each([-12, -5, 3, 12])('%d semitones', shifted)

  test.each([-12, 7])('%d semitones without rubberband in ffmpeg', async (semitones) => {
    const { filters, ...rest } = await ffmpeg.abilities()
    const less = new Set([...filters].filter((name) => name !== 'rubberband'))
    vi.spyOn(ffmpeg, 'abilities').mockResolvedValue({ ...rest, filters: less })
    await shifted(semitones)
  })

  test('refuses 0', async () => {
    await expect(run(pitchShift, folder, [await makeAudio()], { semitones: 0 })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
    })
  })
})
