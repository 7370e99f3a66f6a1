import { describe, expect, test } from 'vitest'
import { captureFfmpeg, inputArguments, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams } from '../../../src/engines/ffmpeg/ffprobe.ts'
import splitAudio from '../../../tools/audio/split-audio.ts'
import { infoOf, makeAudio, samplesOf, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const lengths = async (paths: readonly string[]): Promise<number[]> =>
  Promise.all(paths.map(async (path) => (await samplesOf(path)).length / 48000))

/** The number of packets of a file, and the duration of its samples: the packets unchanged, and decoded, by one command. */
async function contentOf(path: string): Promise<{ packets: number; seconds: number }> {
  const streams = [
    '-map',
    '0:a',
    '-map',
    '0:a',
    '-c:a:0',
    'copy',
    '-c:a:1',
    'pcm_s16le',
    '-ac:a:1',
    '1',
    '-ar:a:1',
    '48000',
  ]
  const args = [...inputArguments(path), ...streams, '-f', 'framecrc', 'pipe:1']
  const lines = Buffer.from(await captureFfmpeg(args, { maxOutput: 1e6 }))
    .toString()
    .split('\n')
    .filter((line) => /^\d/.test(line))
    .map((line) => line.split(',').map(Number))
  const bytes = lines.filter(([stream]) => stream === 1).reduce((sum, line) => sum + line[4]!, 0)
  return { packets: lines.filter(([stream]) => stream === 0).length, seconds: bytes / 2 / 48000 }
}

describe('lossless, to the sample', () => {
  test.each(['wav', 'flac', 'aiff'])('%s: the parts together are the whole', async (extension) => {
    const source = await makeAudio({ seconds: 2.5, extension, sampleRate: 48000 })
    const { paths, names, set } = await run(splitAudio, folder, [source], { segmentS: 1 })
    expect(names).toEqual([`part-000.${extension}`, `part-001.${extension}`, `part-002.${extension}`])
    expect(set).toMatch(/_parts$/)
    const parts = await Promise.all(paths.map((path) => samplesOf(path)))
    expect(parts.map(({ length }) => length)).toEqual([48000, 48000, 24000])
    expect(Float32Array.from(parts.flatMap((part) => [...part]))).toEqual(await samplesOf(source))
  })
})

describe('copied, each packet once', () => {
  test.each(['mp3', 'm4a', 'ogg', 'opus', 'aac', 'ac3', 'wma'])('%s', async (extension) => {
    const source = await makeAudio({ seconds: 3, extension, sampleRate: 48000 })
    const { paths } = await run(splitAudio, folder, [source], { mode: 'parts', parts: 3 })
    expect(paths).toHaveLength(3)
    const [whole, ...parts] = await Promise.all([source, ...paths].map(contentOf))
    for (const { seconds } of parts) expect(Math.abs(seconds - 1)).toBeLessThan(0.1)
    const codec = (path: string) => infoOf(path).then((info) => audioStreams(info)[0]!.codec)
    expect(await codec(paths[0]!)).toBe(await codec(source))
    expect(parts.reduce((sum, { packets }) => sum + packets, 0)).toBe(whole!.packets)
  })
})

test('at the middle of every silence between', async () => {
  const source = temporaryPath('speech.wav')
  const audio = '0.3*sin(2000*PI*t)*(between(t,0.3,1)+between(t,1.5,2)+between(t,2.1,3))'
  await runFfmpeg(['-f', 'lavfi', '-i', `aevalsrc='${audio}':s=48000:d=3`, source])
  const { paths } = await run(splitAudio, folder, [source], { mode: 'silence', minSilenceS: 0.2 })
  // The silence at the beginning has both ends, too: cut at 0.15 and at 1.25; the one of 0.1 s is too short.
  const [first, second, third] = await lengths(paths)
  expect(first).toBeCloseTo(0.15, 2)
  expect(second).toBeCloseTo(1.1, 2)
  expect(third).toBeCloseTo(1.75, 2)
})

test.each([
  [{ segmentS: 60 }, /would stay in one part/],
  [{ mode: 'silence' }, /No silence was found/],
])('refused: %j', async (settings, message) => {
  await expect(run(splitAudio, folder, [await makeAudio()], settings)).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
    message: expect.stringMatching(message),
  })
})
