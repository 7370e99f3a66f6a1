import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runFfmpeg } from '../../src/engines/ffmpeg/ffmpeg.ts'
import { runPipeline } from '../../src/library/run-pipeline.ts'
import { makeAudio, makeVideo } from '../helpers/av.ts'
import { namesIn, useScene } from '../helpers/program.ts'

const here = useScene()

test('tags and length of audio, date and size of video', async () => {
  await runFfmpeg([
    ...['-i', await makeAudio({ seconds: 1 }), '-metadata', 'title=So/What: "live"', '-metadata', 'artist=../../x'],
    ...['-metadata', 'album=..', here.at('t.mp3')],
  ])
  const convert = ['audio', 'convert-audio', 't.mp3', '--format', 'wav', '-d', 'o']
  const pattern = '{artist}/{album|none}/{title}_{duration:03}.{ext}'
  expect((await here.run([...convert, '--name', pattern])).stdout).toBe('o/_.._x/none/So_What_ _live__001.wav\n')
  const plain = await makeVideo({ seconds: 1, width: 64, height: 48 })
  await runFfmpeg(['-i', plain, '-c', 'copy', '-metadata', 'creation_time=2023-04-05T06:07:08Z', here.at('v.mp4')])
  const video = await here.run([
    'video',
    'resize-video',
    'v.mp4',
    '--width',
    '32',
    '--name',
    '{exif.date:YYYYMMDD}_{width}x{height}.{ext}',
  ])
  expect(video.stdout).toBe('20230405_32x24.mp4\n')
})

test('in hot folders: a second call skips what the first one named', async () => {
  mkdirSync(here.at('in'))
  renameSync(here.at('a.jpg'), here.at('in', 'a.jpg'))
  copyFileSync(here.at('in', 'a.jpg'), here.at('in', 'b.jpg'))
  const watch = (pattern: string, ...args: string[]) =>
    here.run([
      'watch',
      'image',
      'resize',
      'in',
      '--width',
      '10',
      '-d',
      'out',
      '--once',
      '--settle',
      '20',
      '--name',
      pattern,
      ...args,
    ])
  const first = await watch('{exif.date:YYYY|undated}/{hash:6}.{ext}')
  expect(first.code).toBe(0)
  expect(namesIn(here.at('out'))).toEqual(['undated', expect.stringMatching(/^undated\/[0-9a-f]{6}\.jpg$/)])
  expect((await watch('{exif.date:YYYY|undated}/{hash:6}.{ext}')).stderr).toContain('2 skipped')
  expect((await watch('{index:03}.{ext}')).stderr).toContain('{index} has no value in output names')
  const failed = await watch('{exif.camera}.{ext}', '--failed', 'bad')
  expect(failed.code).toBe(1)
  expect(namesIn(here.at('bad'))).toEqual(['a.jpg', 'a.jpg.txt', 'b.jpg', 'b.jpg.txt'])
})

test('in the library', async () => {
  const pipeline = { steps: [{ 'image/resize': { width: 10 } }], output: '{width}x{height}.{hash:4}.{ext}' }
  const { outputs } = await runPipeline(pipeline, here.at('a.jpg'), { as: 'file', outputDir: here.at('o') })
  expect(outputs[0]?.path).toMatch(/10x5\.[0-9a-f]{4}\.jpg$/)
  expect(existsSync(outputs[0]?.path ?? '')).toBe(true)
})
