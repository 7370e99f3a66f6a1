/** Files that end early, in formats whose readers accept any length. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import convertAudio from '../../../tools/audio/convert-audio.ts'
import convertVideo from '../../../tools/video/convert/convert-video.ts'
import { makeAudio, makeVideo, sharedMedia, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** The start of a file. */
function beginning(path: string, bytes: (whole: Buffer) => number): string {
  const whole = readFileSync(path)
  const cut = temporaryPath(path.split('/').at(-1)!)
  writeFileSync(cut, whole.subarray(0, bytes(whole)))
  return cut
}

const warningsOf = async (path: string): Promise<string[]> => {
  const isSound = /\.(ogg|opus|aiff)$/.test(path)
  const [tool, format] = isSound ? ([convertAudio, 'mp3'] as const) : ([convertVideo, 'mp4'] as const)
  return (await run(tool, folder, [path], { format })).warnings
}

test.each([
  ['avi', /^the file is cut off: the last \d+ of its \d+ bytes are missing$/],
  ['aiff', /^the file is cut off: the last \d+ of its \d+ bytes are missing$/],
  ['ogg', /^the file is cut off: it ends inside an Ogg page$/],
  ['opus', /^the file is cut off: it ends inside an Ogg page$/],
  ['ogv', /^the file is cut off: it ends inside an Ogg page$/],
])('%s', async (extension, sentence) => {
  const source = await sharedMedia(['whole', extension], `whole.${extension}`, async (path) => {
    if (/avi|ogv/.test(extension)) return runFfmpeg(['-i', await makeVideo({ audio: true }), path]).then(() => {})
    await runFfmpeg(['-i', await makeAudio({ seconds: 3 }), path])
  })
  expect(await warningsOf(source)).toEqual([])
  const cut = beginning(source, (whole) => Math.round(whole.length * 0.7))
  expect(await warningsOf(cut)).toContainEqual(expect.stringMatching(sentence))
})

test('an Ogg that ends after a page that is not its last', async () => {
  const source = await makeAudio({ seconds: 3, extension: 'ogg' })
  const cut = beginning(source, (whole) => whole.lastIndexOf('OggS'))
  expect(await warningsOf(cut)).toContain('the file is cut off: it lacks its end marker')
})
