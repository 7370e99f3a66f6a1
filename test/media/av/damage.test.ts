/** Media files that are damaged, or state a wrong length. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import type { Tool } from '../../../src/tool/contract.ts'
import convertAudio from '../../../tools/audio/convert-audio.ts'
import fadeAudio from '../../../tools/audio/fade-audio.ts'
import mergeAudio from '../../../tools/audio/merge-audio.ts'
import pitchShift from '../../../tools/audio/pitch-shift.ts'
import splitAudio from '../../../tools/audio/split-audio.ts'
import waveformImage from '../../../tools/audio/waveform-image.ts'
import rotateVideo from '../../../tools/video/geometry/rotate-video.ts'
import mergeVideos from '../../../tools/video/time/merge-videos.ts'
import reverseVideo from '../../../tools/video/time/reverse-video.ts'
import { infoOf, levelOf, makeAudio, makeVideo, samplesOf, sharedMedia, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const RATE = 48_000
const DAMAGED = 'a part of the source is damaged or missing: only the readable part was used'

/** A second of silence and two of noise, each at the minimum bit rate, without the table that states the length. */
function changingRate(): Promise<string> {
  return sharedMedia(['changing rate'], 'changing.mp3', async (path) => {
    const audio = "aevalsrc='gte(t,1)*0.5*(random(0)-0.5)':s=48000:d=3"
    await runFfmpeg(['-f', 'lavfi', '-i', audio, '-c:a', 'libmp3lame', '-q:a', '2', '-write_xing', '0', path])
  })
}

describe('a VBR MP3 without its length', () => {
  test('ffprobe estimates wrongly: the length is measured', async () => {
    const source = await changingRate()
    expect(Math.abs((await infoOf(source)).durationS! - 3)).toBeGreaterThan(0.5)
    for (const [tool, settings] of [
      [pitchShift, { semitones: 3 }],
      [fadeAudio, { fadeInS: 0, fadeOutS: 0.5 }],
    ] as const) {
      const { paths, warnings } = await run(tool, folder, [source], settings)
      const samples = await samplesOf(paths[0]!, RATE)
      expect(Math.abs(samples.length / RATE - 3), tool.id).toBeLessThan(0.08)
      expect(warnings).toEqual([])
      const [before, end] = [samples.subarray(2.2 * RATE, 2.4 * RATE), samples.subarray(2.85 * RATE, 2.9 * RATE)]
      expect(levelOf(before)).toBeGreaterThan(-25)
      // It fades where it ends.
      if (tool === fadeAudio) expect(levelOf(end)).toBeLessThan(levelOf(before) - 10)
      else expect(levelOf(end)).toBeGreaterThan(levelOf(before) - 6)
    }
  })
})

/** Two seconds that FLAC can hardly compress: each byte matters. */
function noise(): Promise<string> {
  return sharedMedia(['noise'], 'noise.flac', async (path) => {
    await runFfmpeg(['-f', 'lavfi', '-i', "aevalsrc='0.5*(random(0)-0.5)':s=48000:d=2", path])
  })
}

/** A copy with nonsense in its middle. */
function damaged(path: string, name: string, fromShare: number, bytes: number): string {
  const content = readFileSync(path)
  const from = Math.round(content.length * fromShare)
  // Not valid for any decoder.
  for (let at = from; at < from + bytes; at += 1) content[at] = (at * 89) % 251
  const to = join(folder, name)
  writeFileSync(to, content)
  return to
}

describe('reports damage in the middle once', () => {
  test.each<[Tool, Record<string, unknown>]>([
    [mergeAudio, {}],
    [splitAudio, { mode: 'parts', parts: 2 }],
  ])('$id', async (tool, settings) => {
    const whole = await noise()
    const broken = damaged(whole, `broken-${tool.id}.flac`, 0.6, 300)
    const inputs = tool === mergeAudio ? [broken, whole] : [broken]
    const { warnings } = await run(tool, folder, inputs, settings)
    expect(warnings.filter((warning) => !warning.includes('all joined files get the same format'))).toEqual([DAMAGED])
  })

  test.each([mergeVideos, reverseVideo])('$id', async (tool) => {
    const whole = await makeVideo({ width: 64, height: 48, seconds: 2 })
    const broken = damaged(whole, `broken-${tool.id}.mp4`, 0.4, 3000)
    const inputs = tool === mergeVideos ? [broken, whole] : [broken]
    const { warnings } = await run(tool, folder, inputs)
    expect(warnings.filter((warning) => !warning.includes('all joined files get the same format'))).toEqual([DAMAGED])
  })
})

/** An ID3v2.4 tag with a cover that no decoder reads, before the audio of an MP3. */
async function withDamagedCover(): Promise<string> {
  const size = (bytes: number) => Buffer.from([21, 14, 7, 0].map((shift) => (bytes >> shift) & 0x7f))
  const picture = Buffer.from('\0image/jpeg\0\x03\0\xff\xd8 no picture \xff\xd9', 'latin1')
  const frame = Buffer.concat([Buffer.from('APIC'), size(picture.length), Buffer.alloc(2), picture])
  const bare = temporaryPath('bare.mp3')
  await runFfmpeg(['-i', await makeAudio({ extension: 'mp3' }), '-c', 'copy', '-write_id3v2', '0', bare])
  const path = join(folder, 'damaged-cover.mp3')
  writeFileSync(
    path,
    Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), size(frame.length), frame, readFileSync(bare)]),
  )
  return path
}

test('a damaged cover picture is left out and reported, by filters and by copies', async () => {
  const source = await withDamagedCover()
  for (const [tool, settings] of [
    [pitchShift, {}],
    [convertAudio, { format: 'ogg' }],
    [splitAudio, { segmentS: 1 }],
  ] as const)
    expect((await run(tool, folder, [source], settings)).warnings, tool.id).toEqual([
      'the cover picture is left out: it is damaged',
    ])
})

test('reports a picture that is damaged in its middle', async () => {
  const video = damaged(await makeVideo({ extension: 'mkv' }), 'broken.mkv', 0.5, 300)
  expect((await run(rotateVideo, folder, [video], { transform: '180' })).warnings).toEqual([DAMAGED])
})

test('an audio stream without any samples is no result', async () => {
  const silent = join(folder, 'empty.mkv')
  const picture = ['-f', 'lavfi', '-i', 'color=s=64x48:r=25:d=0.04', '-f', 'lavfi', '-i', 'sine=d=1']
  await runFfmpeg([...picture, '-c:v', 'mpeg4', '-c:a', 'aac', '-frames:a', '0', silent])
  await expect(run(convertAudio, folder, [silent])).rejects.toMatchObject({ code: 'INVALID_FILE' })
})

test('an MP3 that ends before its stated length', async () => {
  const whole = readFileSync(await makeAudio({ seconds: 2, extension: 'mp3' }))
  const cut = join(folder, 'cut.mp3')
  writeFileSync(cut, whole.subarray(0, whole.length * 0.6))
  for (const [tool, settings] of [
    [fadeAudio, { fadeInS: 0.1, fadeOutS: 0 }],
    [waveformImage, {}],
  ] as const)
    expect((await run(tool, folder, [cut], settings)).warnings, tool.id).toEqual([
      expect.stringMatching(/^the result is 1\.\d+ s long and not 2\.\d+ s/),
    ])
})
