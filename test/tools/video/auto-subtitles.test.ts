import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import autoSubtitles from '../../../tools/video/subtitles/auto-subtitles.ts'
import burnSubtitles from '../../../tools/video/subtitles/burn-subtitles.ts'
import embedSubtitles from '../../../tools/video/subtitles/embed-subtitles.ts'
import extractSubtitles from '../../../tools/video/subtitles/extract-subtitles.ts'
import { grayFrame, makeVideo, temporaryPath } from '../../helpers/av.ts'
import { planOf, runPlan } from '../../helpers/pipeline.ts'
import { stubSpeechModels, tones, wordOf } from '../../helpers/speech.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
stubSpeechModels(folder)

const text = (path: string): string => readFileSync(path, 'utf8')

/** A black video with two audio tracks; the words of the first start at 2 s. */
let made: Promise<string> | undefined
const talk = (): Promise<string> => {
  made ??= makeTalk()
  return made
}

async function makeTalk(): Promise<string> {
  const path = temporaryPath('talk.mkv')
  const words = tones(folder, 'words.wav', [400, 800])
  const picture = ['-f', 'lavfi', '-i', 'color=black:size=160x120:rate=5:duration=5']
  const tracks = ['-map', '0:v', '-map', '1:a', '-map', '2:a']
  const inputs = [...picture, '-itsoffset', '2', '-i', words, '-i', tones(folder, 'other.wav', [1600])]
  await runFfmpeg([...inputs, ...tracks, '-c:v', 'mpeg4', '-c:a', 'pcm_s16le', path])
  return path
}

test('subtitles in sync with the video, which other tools can embed', async () => {
  const video = await talk()
  const { paths, names, report, warnings } = await run(autoSubtitles, folder, [video])
  expect(names[0]).toMatch(/talk\.srt$/)
  expect(report).toEqual({ language: 'en', segments: 2, model: 'whisper-tiny' })
  expect(warnings).toEqual(['only the first of the 2 audio tracks is used'])
  const cues = text(paths[0]!)
    .trim()
    .split('\n\n')
    .map((cue) => cue.split('\n'))
  expect(cues.map(([number, , word]) => [number, word])).toEqual([
    ['1', wordOf(400)],
    ['2', wordOf(800)],
  ])
  for (const [index, [, times]] of cues.entries()) {
    const [, seconds, ms] = /^00:00:(\d\d),(\d{3}) -->/.exec(times!)!
    expect(Math.abs(Number(`${seconds}.${ms}`) - (2 + index))).toBeLessThan(0.5)
  }

  const embedded = await run(embedSubtitles, folder, [video, paths[0]!])
  const again = await run(extractSubtitles, folder, [embedded.paths[0]!])
  expect(text(again.paths[0]!)).toContain(wordOf(800))

  const burnt = await run(burnSubtitles, folder, [video, paths[0]!], { fontSize: 60 })
  // At five frames per second: half a second before the first word, and within it.
  const brightest = async (frame: number) => Math.max(...(await grayFrame(burnt.paths[0]!, frame)))
  expect(await brightest(2)).toBeLessThan(40)
  expect(await brightest(12)).toBeGreaterThan(150)
})

test('a pipeline cuts the video, and transcribes the remaining part', async () => {
  const cut = { 'video/trim-video': { startS: 2.8, endS: 5, precise: true } }
  const variants = [{ name: 'video' }, { name: 'words', steps: ['video/auto-subtitles'] }]
  const { names, paths } = await runPlan(await planOf(JSON.stringify({ steps: [cut], variants })), folder, [
    await talk(),
  ])
  expect(names.map((name) => name.split('.').at(-1))).toEqual(['mkv', 'srt'])
  // Half of the first word is gone, and the second starts after 0.2 s.
  expect(text(paths[1]!)).toContain(wordOf(800))
  expect(text(paths[1]!)).not.toContain(wordOf(400))
})

test('WebVTT, in a given language', async () => {
  const { paths, report } = await run(autoSubtitles, folder, [await talk()], { format: 'vtt', language: 'fr' })
  expect(report).toMatchObject({ language: 'fr' })
  expect(text(paths[0]!)).toMatch(/^WEBVTT\n\n00:00:0[12]\.\d{3} --> 00:00:0[23]\.\d{3}\n/)
  expect(text(paths[0]!)).toContain(wordOf(800, false))
})

test('reports a video without audio', async () => {
  await expect(run(autoSubtitles, folder, [await makeVideo()])).rejects.toMatchObject({
    code: 'UNSUPPORTED_FILE_TYPE',
    message: expect.stringContaining('has no audio to listen to'),
  })
})
