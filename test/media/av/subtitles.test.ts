import { expect, test } from 'vitest'
import { srtOf, vttOf } from '../../../src/media/av/subtitles/cues.ts'
import { decodeSubtitles } from '../../../src/media/av/subtitles/decode.ts'
import { withScriptFonts } from '../../../src/media/av/subtitles/script-fonts.ts'
import { onlyText } from '../../../src/media/av/subtitles/strip.ts'
import { guessEncoding } from '../../../src/media/encoding/guess.ts'

const CUES = [
  { startS: 3661.0004, endS: 3662.5, text: 'later' },
  { startS: 0, endS: 1.2345, text: 'a < b & c\r\n\r\n00:00 --> 00:01' },
  { startS: 2, endS: 2, text: ' x ' },
  { startS: 2.5, endS: 3, text: ' \n ' },
]

test('cues as SubRip: in order, numbered, without text that would end or start a cue', () => {
  expect(srtOf(CUES)).toBe(
    [
      ...['1', '00:00:00,000 --> 00:00:01,235', 'a < b & c', '00:00 → 00:01', ''],
      ...['2', '00:00:02,000 --> 00:00:02,001', 'x', ''],
      ...['3', '01:01:01,000 --> 01:01:02,500', 'later', ''],
    ].join('\n'),
  )
  expect(srtOf([])).toBe('')
})

test('cues as WebVTT: escapes text that looks like tags', () => {
  expect(vttOf(CUES.slice(1, 2))).toBe('WEBVTT\n\n00:00:00.000 --> 00:00:01.235\na &lt; b &amp; c\n00:00 → 00:01\n')
  expect(vttOf([])).toBe('WEBVTT\n')
})

// Made with iconv of glibc.
test.each([
  ['windows-1251', 'cff0e8e2e5f22c20eceef020e4f0f3e3', 'Привет, мор друг'],
  ['koi8-r', 'f0d2c9d7c5d42c20c4d2d5c7', 'Привет, друг'],
  ['windows-1252', '436166e920e0206c612063726eea7065', 'Café à la crnêpe'],
  ['shift_jis', '82b182f182c982bf82cd', 'こんにちは'],
  ['gb18030', 'c4e3bac3a3acced2b5c4c5f3d3d1', '你好，我的朋友'],
  ['euc-kr', 'bec8b3e7c7cfbcbcbfe4', '안녕하세요'],
  ['windows-1255', 'f9ece5ed20f2e5eced', 'שלום עולם'],
  ['windows-1253', 'caebe1ecdef1e1', 'Κλαμήρα'],
  ['windows-1256', 'e3d1cdc8c720c8dfe3', 'مرحبا بكم'],
])('%s is detected by its letters', async (encoding, hex, text) => {
  const bytes = Buffer.from(hex, 'hex')
  expect(await decodeSubtitles(bytes, 'a.srt')).toBe(text)
  expect((await guessEncoding(bytes)).encoding).toBe(encoding)
})

test('Unicode needs no guess, with or without a byte order mark', async () => {
  const text = '1\n00:00:01,000 --> 00:00:02,000\nGrüße\n'
  const windows = text.replaceAll('\n', '\r\n')
  for (const bytes of [
    Buffer.from(text),
    Buffer.from(`\uFEFF${windows}`),
    Buffer.from(`\uFEFF${text}`, 'utf16le'),
    Buffer.from(windows, 'utf16le'),
    Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
  ])
    expect(await decodeSubtitles(bytes, 'a.srt')).toBe(text)
})

test('a script keeps its text and style, and no file references', () => {
  const script = `[Script Info]
PlayResY: 480
Audio File: /etc/passwd
[Aegisub Project Garbage]
Video File: http://example.com/x
[V4+ Styles]
Format: Name, Fontname
Style: Default,Arial
[Fonts]
fontname: evil.ttf
!!!!
[Graphics]
filename: evil.bmp
[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Picture: 0,0:00:00.00,0:00:01.00,,,,,,,/etc/passwd
Movie: 0,0:00:00.00,0:00:01.00,,,,,,,x.avi
Command: 0,0:00:00.00,0:00:01.00,,,,,,,rm
Dialogue: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,Hello
`
  expect(onlyText(script)).toBe(`[Script Info]
PlayResY: 480
[V4+ Styles]
Format: Name, Fontname
Style: Default,Arial
[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,Hello
`)
})

test('names the font for scripts that the main font lacks, and keeps words and tags', () => {
  const line = (text: string): string => `Dialogue: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,${text}`
  const marked = (text: string): string => withScriptFonts(line(text)).slice(line('').length)
  expect(marked('Hello, Привет')).toBe('Hello, Привет')
  expect(marked('a 你好 世界 b')).toBe('a {\\fnNoto Sans SC}你好 世界{\\fn} b')
  expect(marked('日本の')).toBe('{\\fnNoto Sans JP}日本の{\\fn}')
  expect(marked('安 안녕')).toBe('{\\fnNoto Sans KR}安 안녕{\\fn}')
  expect(marked('{\\b1}שלום{\\b0}, مرحبا')).toBe(
    '{\\b1}{\\fnNoto Sans Hebrew}שלום{\\fn}{\\b0}, {\\fnNoto Sans Arabic}مرحبا{\\fn}',
  )
  expect(marked('{\\p1}m 0 0 你')).toBe('{\\p1}m 0 0 你')
})
