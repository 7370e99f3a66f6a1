import { expect, test } from 'vitest'
import { captureFfmpeg, inputArguments, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams } from '../../../src/engines/ffmpeg/ffprobe.ts'
import audioChannels from '../../../tools/audio/audio-channels.ts'
import { infoOf, makeAudio, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** Constant values, one per channel, so that every mix can be read off. */
async function constants(values: readonly number[], layout: string): Promise<string> {
  const path = temporaryPath('levels.wav')
  await runFfmpeg([
    ...['-f', 'lavfi', '-i', `aevalsrc=${values.join('|')}:s=48000:d=0.2:c=${layout}`],
    ...['-c:a', 'pcm_f32le', path],
  ])
  return path
}

/** The value of every channel of a file. */
async function valuesOf(path: string): Promise<number[]> {
  const { channels = 1 } = audioStreams(await infoOf(path))[0]!
  const raw = await captureFfmpeg([...inputArguments(path), '-f', 'f32le', 'pipe:1'], { maxOutput: 1e7 })
  const samples = new Float32Array(raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.length))
  return Array.from({ length: channels }, (_, channel) => Number(samples[4000 * channels + channel]!.toFixed(3)))
}

test.each([
  ['stereo-to-mono', [0.4, 0.2], 'stereo', [0.3]],
  ['swap', [0.4, 0.2], 'stereo', [0.2, 0.4]],
  ['mono-to-stereo', [0.4], 'mono', [0.4, 0.4]],
  ['mono-to-stereo', [0.4, 0.2], 'stereo', [0.4, 0.2]],
] as const)('%s of %j', async (mode, values, layout, expected) => {
  const { paths } = await run(audioChannels, folder, [await constants(values, layout)], { mode })
  expect(await valuesOf(paths[0]!)).toEqual(expected)
})

test.each([
  ['swap', 2],
  ['mono-to-stereo', 2],
  ['stereo-to-mono', 1],
] as const)('%s of 5.1 gives %d channels; the left stays louder where it was', async (mode, count) => {
  const source = await constants([0.4, 0.1, 0, 0, 0, 0], '5.1')
  const { paths } = await run(audioChannels, folder, [source], { mode })
  const values = await valuesOf(paths[0]!)
  expect(values).toHaveLength(count)
  if (count === 2) expect(values[0]! > values[1]!).toBe(mode === 'mono-to-stereo')
})

test.each(['stereo-to-mono', 'swap'])('refuses %s of one channel as impossible', async (mode) => {
  await expect(run(audioChannels, folder, [await makeAudio()], { mode })).rejects.toMatchObject({
    code: 'PROCESSING_FAILED',
    status: 422,
  })
})
