/** burn-subtitles, embed-subtitles and extract-subtitles. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import burnSubtitles from '../../../tools/video/subtitles/burn-subtitles.ts'
import embedSubtitles from '../../../tools/video/subtitles/embed-subtitles.ts'
import extractSubtitles from '../../../tools/video/subtitles/extract-subtitles.ts'
import { grayFrame, infoOf, makeVideo, paintedVideo, pictureHash } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const black = () => paintedVideo('color=black:s=320x180:r=10:d=1.5')

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const srt = (text: string) => `1\n00:00:00,500 --> 00:00:01,000\n${text}\n`
const WORDS = srt('Hello')
const ASS = `[Script Info]
ScriptType: v4.00+
PlayResX: 640
PlayResY: 1080

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
Style: Default,Arial,80,&H00FFFFFF,&H000000FF,&H00000000,&H00000000,0,0,0,0,100,100,0,0,1,0,0,2,10,10,40,1

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:00.50,0:00:01.00,Default,,0,0,0,,Hello
`

/** The rows and columns that hold letters, and how many of their pixels, in a frame of 320x180. */
async function inkOf(path: string, frame: number) {
  const pixels = await grayFrame(path, frame)
  const bright = [...pixels.entries()].filter(([, value]) => value > 128).map(([at]) => at)
  const rows = bright.map((at) => Math.floor(at / 320))
  const columns = bright.map((at) => at % 320)
  const span = (values: number[]) => (values.length > 0 ? Math.max(...values) - Math.min(...values) + 1 : 0)
  return { pixels: bright.length, height: span(rows), width: span(columns), lowest: Math.max(0, ...rows) }
}

describe('burn-subtitles', () => {
  test.each([
    ['srt', WORDS],
    ['vtt', 'WEBVTT\n\n00:00.500 --> 00:01.000\nHello\n'],
    ['ass', ASS],
  ])('%s: drawn at its time, with the requested size', async (extension, words) => {
    const subtitles = file(`a:b'c [d],e;%d.${extension}`, words)
    const { paths, names, warnings } = await run(burnSubtitles, folder, [await black(), subtitles], { fontSize: 24 })
    expect(names[0]).toMatch(/_subtitled\.mp4$/)
    expect(warnings).toEqual([])
    for (const frame of [4, 11]) expect((await inkOf(paths[0]!, frame)).pixels).toBe(0)
    const ink = await inkOf(paths[0]!, 6)
    // 24 of 288 parts of 180 pixels are 15; capitals are 0.7 of that.
    expect(ink.height).toBeGreaterThan(6)
    expect(ink.height).toBeLessThan(15)
    expect(ink.lowest).toBeGreaterThan(140)
    const info = await infoOf(paths[0]!)
    expect(videoStream(info)).toMatchObject({ codec: 'h264', pixelFormat: 'yuv420p' })
  })

  test('every script has its glyphs, with every build', async () => {
    // Missing glyphs are drawn as equal boxes: words of different letters would look the same.
    const widths = async (text: string) => {
      const { paths } = await run(burnSubtitles, folder, [await black(), file('w.srt', srt(text))], { fontSize: 48 })
      return (await inkOf(paths[0]!, 6)).pixels
    }
    for (const [one, other] of [
      ['一一一一', '龍龍龍龍'],
      ['くくくく', 'ぬぬぬぬ'],
      ['וווו', 'שששש'],
      ['ๅๅๅๅ', 'ฒฒฒฒ'],
    ])
      expect(await widths(other!), other).toBeGreaterThan((await widths(one!)) * 1.4)
  })

  test('reads text that is not Unicode by its letters, with a note', async () => {
    const bytes = Buffer.from(srt('@').replace('@', Buffer.from('cff0e8e2e5f2', 'hex').toString('latin1')), 'latin1')
    const { warnings, paths } = await run(
      burnSubtitles,
      folder,
      [await black()],
      {},
      { secondary: { subtitles: file('r.srt', bytes) } },
    )
    expect(warnings[0]).toContain('windows-1251')
    expect((await inkOf(paths[0]!, 6)).pixels).toBeGreaterThan(50)
  })

  test('an odd size becomes even; audio of any codec becomes AAC', async () => {
    const source = await makeVideo({ width: 65, height: 49, audio: true, extension: 'webm', seconds: 1 })
    const info = await infoOf((await run(burnSubtitles, folder, [source, file('w.srt', WORDS)])).paths[0]!)
    expect(info.streams.map(({ codec }) => codec)).toEqual(['h264', 'aac'])
    expect(videoStream(info)).toMatchObject({ width: 64, height: 48 })
  })

  test('refuses a file without subtitles', async () => {
    const video = await black()
    const refusal = async (inputs: string[], code: string) =>
      expect(run(burnSubtitles, folder, inputs)).rejects.toMatchObject({ code })
    await refusal([video, file('empty.srt', 'Only text, and no times.\n')], 'INVALID_FILE')
    await refusal([video, file('large.srt', WORDS + ' '.repeat(1024 * 1024))], 'LIMIT_EXCEEDED')
    await refusal([video], 'TOO_FEW_FILES')
    await refusal([video, video, video], 'TOO_MANY_FILES')
  })
})

describe('embed-subtitles', () => {
  test.each([
    ['mp4', 'mp4', 'mov_text'],
    ['mov', 'mp4', 'mov_text'],
    ['mkv', 'mkv', 'subrip'],
    ['webm', 'mkv', 'subrip'],
    ['avi', 'mkv', 'subrip'],
    ['ts', 'mkv', 'subrip'],
  ])('%s: a track next to copied picture and audio', async (extension, container, codec) => {
    const source = await makeVideo({ audio: true, seconds: 1, width: 64, height: 48, extension })
    const { paths, names } = await run(embedSubtitles, folder, [source, file('w.srt', WORDS)], { language: 'deu' })
    expect(names[0]).toMatch(new RegExp(`_subs\\.${container}$`))
    const info = await infoOf(paths[0]!)
    const [picture, audio, words] = info.streams
    const before = await infoOf(source)
    expect([picture!.codec, audio!.codec]).toEqual(before.streams.map((stream) => stream.codec))
    expect(words).toMatchObject({ type: 'subtitle', codec })
    expect(['deu', 'ger']).toContain(words!.language)
    if (extension === 'mkv') expect(await pictureHash(paths[0]!)).toBe(await pictureHash(source))
  })

  test('encodes MPEG, because its times do not fit', async () => {
    const source = await makeVideo({ audio: true, seconds: 1, width: 64, height: 48, extension: 'mpg' })
    const { paths, warnings } = await run(embedSubtitles, folder, [source, file('w.ass', ASS)])
    expect((await infoOf(paths[0]!)).streams.map(({ codec }) => codec)).toEqual(['h264', 'aac', 'ass'])
    expect(warnings).toEqual([])
  })

  test('a script becomes plain text in MP4, with a note', async () => {
    const source = await makeVideo({ seconds: 1, width: 64, height: 48 })
    const { paths, warnings } = await run(embedSubtitles, folder, [source, file('w.ass', ASS)])
    expect((await infoOf(paths[0]!)).streams.map(({ codec }) => codec)).toEqual(['h264', 'mov_text'])
    expect(warnings).toEqual([expect.stringContaining('plain text')])
  })

  test('replaces existing tracks; a language has three letters', async () => {
    const source = await makeVideo({ seconds: 1, width: 64, height: 48 })
    const words = file('w.srt', WORDS)
    const once = await run(embedSubtitles, folder, [source, words])
    const twice = await run(embedSubtitles, folder, [once.paths[0]!, file('o.srt', srt('Other'))])
    const { paths } = await run(extractSubtitles, folder, [twice.paths[0]!])
    expect(readFileSync(paths[0]!, 'utf8')).toContain('Other')
    expect((await infoOf(twice.paths[0]!)).streams).toHaveLength(2)
    for (const language of ['EN', 'english', 'en1', 'ENG'])
      await expect(run(embedSubtitles, folder, [source, words], { language })).rejects.toMatchObject({
        code: 'INVALID_SETTINGS',
      })
  })
})

describe('extract-subtitles', () => {
  test.each(['mp4', 'mkv', 'webm'])('%s: words and times', async (extension) => {
    const video = await makeVideo({ seconds: 2, width: 64, height: 48, extension })
    const source = join(folder, `clip.${extension}`)
    const text = `${WORDS}\n2\n00:00:01,250 --> 00:00:01,750\nŽluťoučký 你好\n`
    const codec = { mp4: 'mov_text', mkv: 'ass', webm: 'webvtt' }[extension]!
    await runFfmpeg(['-i', video, '-i', file('two.srt', text), '-c', 'copy', '-c:s', codec, source])
    const { paths, names } = await run(extractSubtitles, folder, [source])
    expect(names).toEqual(['clip.srt'])
    const [, first, , second] = readFileSync(paths[0]!, 'utf8').split(/\n(?=\d\d:)|\n\n/)
    expect(first).toContain('00:00:00,500 --> 00:00:01,000')
    expect(first).toContain('Hello')
    expect(second).toMatch(/00:00:01,250 --> 00:00:01,750\n.*Žluťoučký 你好/)
  })

  test('refuses no track, or one of pictures', async () => {
    const plain = await makeVideo({ seconds: 1, width: 64, height: 48 })
    await expect(run(extractSubtitles, folder, [plain])).rejects.toMatchObject({ code: 'UNSUPPORTED_FILE_TYPE' })
    const pictures = join(folder, 'dvd.mkv')
    const drawn = ['-f', 'lavfi', '-i', 'color=black:s=64x48:d=1', '-i', file('w.srt', WORDS)]
    await runFfmpeg([...drawn, '-c:s', 'ass', pictures])
    const bytes = readFileSync(pictures)
    // The codec's name in the file: one of pictures, of the same length.
    bytes.write('S_VOBSUB', bytes.indexOf('S_TEXT/A'), 'latin1')
    writeFileSync(pictures, bytes.fill(0, bytes.indexOf('S_VOBSUB') + 8, bytes.indexOf('S_VOBSUB') + 10))
    await expect(run(extractSubtitles, folder, [pictures])).rejects.toMatchObject({ code: 'UNSUPPORTED_FILE_TYPE' })
  })
})
