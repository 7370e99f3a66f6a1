/** Cues of subtitle files: parsed by us, so that none is lost in a video without a warning. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseCues, withoutOverlaps } from '../../../src/media/av/subtitles/parse.ts'
import convertVideo from '../../../tools/video/convert/convert-video.ts'
import burnSubtitles from '../../../tools/video/subtitles/burn-subtitles.ts'
import embedSubtitles from '../../../tools/video/subtitles/embed-subtitles.ts'
import extractSubtitles from '../../../tools/video/subtitles/extract-subtitles.ts'
import { grayFrame, infoOf, makeVideo, paintedVideo } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const video = (extension = 'mp4') => makeVideo({ width: 64, height: 48, seconds: 3, fps: 5, extension })

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

/** The displayed subtitles of a video: times and text. */
async function shownIn(path: string): Promise<string[]> {
  const { paths } = await run(extractSubtitles, folder, [path])
  return parseCues(readFileSync(paths[0]!, 'utf8').replaceAll('\r\n', '\n'), 'srt').cues.map(
    ({ startS, endS, text }) => `${startS}-${endS} ${text.replaceAll('\n', '/').replace(/<\/?font[^>]*>/g, '')}`,
  )
}

const STYLED = `WEBVTT - a title

STYLE
::cue { color: yellow; }

REGION
id:bottom

NOTE not shown

intro
00:00.200 --> 00:00.900 align:start
<v Anna>Hello &amp; <i.loud>good</i> <00:00.500>day

00:01.000 --> 00:01.500
second
`

describe('embed-subtitles', () => {
  test.each(['mp4', 'mkv'])('WebVTT with STYLE, REGION and NOTE blocks, into %s', async (extension) => {
    const { paths, warnings } = await run(embedSubtitles, folder, [await video(extension), file('styled.vtt', STYLED)])
    expect(await shownIn(paths[0]!)).toEqual(['0.2-0.9 Hello & <i>good</i> day', '1-1.5 second'])
    expect(warnings).toEqual(['styled.vtt says where and how cues are drawn, which is left out'])
  })

  test('overlapping cues: MP4 shows them one after the other, and keeps all text', async () => {
    const text = '1\n00:00:00,500 --> 00:00:02,000\nlong\n\n2\n00:00:01,000 --> 00:00:01,500\nshort\n'
    const { paths, warnings } = await run(embedSubtitles, folder, [await video(), file('overlap.srt', text)])
    expect(await shownIn(paths[0]!)).toEqual(['0.5-1 long', '1-1.5 long/short', '1.5-2 long'])
    expect(warnings).toEqual([])
  })

  test('counts invalid times and cues after the end', async () => {
    const text = [
      '1\n00:00:00,500 --> 00:00:01,000\nfirst\n',
      '2\n00:00:02,000 --> 00:00:01,000\nbackwards\n',
      '3\n00:75:00,000 --> 00:76:00,000\nno minutes\n',
      '4\n00:00:01,500 -> 00:00:09,000\nuntil after the end\n',
      '5\n00:01:00,000 --> 00:01:01,000\nmuch later\n',
    ].join('\n')
    const { paths, warnings } = await run(embedSubtitles, folder, [await video('mkv'), file('bad.srt', text)])
    expect(await shownIn(paths[0]!)).toEqual(['0.5-1 first', '1.5-3 until after the end'])
    expect(warnings).toEqual([
      '2 of 5 cues of bad.srt are left out: their times are not valid',
      '1 of 3 cues are omitted: they start after the end of the video (3 s)',
    ])
    const late = file('late.srt', '1\n00:01:00,000 --> 00:01:01,000\nlater\n')
    await expect(run(embedSubtitles, folder, [await video(), late])).rejects.toMatchObject({ code: 'INVALID_FILE' })
  })

  test('a script stays a script in Matroska', async () => {
    const script =
      '[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname, Fontsize\nStyle: Default,Arial,40\n\n' +
      '[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n' +
      'Dialogue: 0,0:00:00.50,0:00:01.00,Default,,0,0,0,,{\\pos(10,20)}Hello\n'
    const { paths, warnings } = await run(embedSubtitles, folder, [await video('mkv'), file('words.ass', script)])
    expect((await infoOf(paths[0]!)).streams.map(({ codec }) => codec)).toContain('ass')
    expect(readFileSync(paths[0]!).includes('{\\pos(10,20)}Hello')).toBe(true)
    expect(warnings).toEqual([])
  })

  test('text in another encoding, as named by the setting', async () => {
    const bytes = Buffer.from('1\n00:00:00,500 --> 00:00:01,000\n\xcf\xf0\xe8\xe2\xe5\xf2\n', 'latin1')
    const words = file('russian.srt', bytes)
    const { paths } = await run(embedSubtitles, folder, [await video(), words], { encoding: 'windows-1251' })
    expect(await shownIn(paths[0]!)).toEqual(['0.5-1 Привет'])
  })
})

test('convert-video: shows all overlapping cues of Matroska in MP4', async () => {
  const text = '1\n00:00:00,500 --> 00:00:02,000\nlong\n\n2\n00:00:01,000 --> 00:00:01,500\nshort\n'
  const labels = { language: 'deu' }
  const { paths } = await run(embedSubtitles, folder, [await video('mkv'), file('both.srt', text)], labels)
  const converted = await run(convertVideo, folder, paths, { format: 'mp4' })
  expect(await shownIn(converted.paths[0]!)).toEqual(['0.5-1 long', '1-1.5 long/short', '1.5-2 long'])
  expect((await infoOf(converted.paths[0]!)).streams.find(({ type }) => type === 'subtitle')!.language).toBe('deu')
  expect(converted.warnings).toEqual([])
  expect(readdirSync(dirname(converted.paths[0]!))).toHaveLength(1)
})

test('burn-subtitles: text follows the direction of its script, with its last character at the left end', async () => {
  const black = await paintedVideo('color=black:s=320x180:r=10:d=1')
  const words = file('rtl.srt', '1\n00:00:00,000 --> 00:00:01,000\nשלום!\n')
  const { paths } = await run(burnSubtitles, folder, [black, words], { fontSize: 40 })
  const pixels = await grayFrame(paths[0]!, 5)
  const inked = Array.from({ length: 320 }, (_, x) =>
    pixels.some((value, at) => at % 320 === x && value > 128) ? 'x' : ' ',
  )
  // Columns of each character: the exclamation mark is thin, the final mem and the shin at the ends are wide.
  const widths = inked
    .join('')
    .trim()
    .split(/ +/)
    .map(({ length }) => length)
  expect(widths.length).toBeGreaterThan(3)
  expect(widths[0]).toBeLessThan(5)
  expect(widths.at(-1)).toBeGreaterThan(6)
})

test('limits simultaneous cues, and counts those without room', () => {
  const cues = Array.from({ length: 40 }, (_, at) => ({ startS: 0, endS: 1, text: `${at}` }))
  const { cues: flat, dropped } = withoutOverlaps(cues)
  expect(dropped).toBe(24)
  expect(flat).toEqual([{ startS: 0, endS: 1, text: Array.from({ length: 16 }, (_, at) => at).join('\n') }])
})

test('the number of a cue is not text; a text of digits is', () => {
  const text = '1\n00:00:01,000 --> 00:00:02,000\n42\n\n2\n00:00:03,000 --> 00:00:04,000\nend\n'
  expect(parseCues(text, 'srt').cues.map(({ text: words }) => words)).toEqual(['42', 'end'])
})
