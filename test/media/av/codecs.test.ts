import { describe, expect, test } from 'vitest'
import { audioCodecFor, encoderOf, videoCodecFor } from '../../../src/media/av/codecs.ts'
import { withColour } from '../../../src/media/av/filters/colour.ts'
import { cutAgain, cutOf, seconds } from '../../../src/media/av/range.ts'

const text = (options: string[]) => options.join(' ')
const h264 = '-c:v libx264 -crf 20 -preset medium -pix_fmt yuv420p'

describe('default codecs', () => {
  test.each([
    ['mp4', h264],
    ['mkv', h264],
    ['wmv', h264],
    ['webm', '-c:v libvpx-vp9 -crf 30 -b:v 0 -row-mt 1'],
    ['ogv', '-c:v libtheora -q:v 7'],
    ['mpg', '-c:v mpeg2video -q:v 4 -pix_fmt yuv420p'],
  ])('video for %s', (extension, expected) => {
    expect(text(videoCodecFor(extension))).toBe(expected)
  })

  test.each([
    ['mp4', '-c:a aac -b:a 192k'],
    ['webm', '-c:a libopus'],
    ['ogg', '-c:a libvorbis -q:a 6'],
    ['mpeg', '-c:a mp2 -b:a 192k'],
    ['mp3', '-c:a libmp3lame -b:a 192k'],
    ['avi', '-c:a libmp3lame -b:a 192k'],
    ['wav', '-c:a pcm_s16le'],
    ['flac', '-c:a flac'],
    ['opus', '-c:a libopus -b:a 128k'],
    ['aiff', '-c:a pcm_s16be'],
  ])('audio for %s', (extension, expected) => {
    expect(text(audioCodecFor(extension))).toBe(expected)
  })

  test('quality, preset and bit rate can be changed', () => {
    expect(text(videoCodecFor('mp4', { quality: 28, preset: 'slow' }))).toBe(
      '-c:v libx264 -crf 28 -preset slow -pix_fmt yuv420p',
    )
    expect(text(videoCodecFor('webm', { quality: 40, preset: 'slow' }))).toBe(
      '-c:v libvpx-vp9 -crf 40 -b:v 0 -row-mt 1',
    )
    expect(text(audioCodecFor('mp4', { bitrateKbps: 96 }))).toBe('-c:a aac -b:a 96k')
    expect(text(audioCodecFor('ogg', { bitrateKbps: 128 }))).toBe('-c:a libvorbis -q:a 4.0')
    expect(text(audioCodecFor('wav', { bitrateKbps: 96 }))).toBe('-c:a pcm_s16le')
  })

  test('the last named encoder gets the options', () => {
    expect(encoderOf(['-c:v', 'libx264', '-crf', '1', '-c:v', 'libx265'], 'v')).toBe('libx265')
    expect(encoderOf(['-c:v', 'libx264'], 'a')).toBeUndefined()
  })
})

describe('times', () => {
  test('plain decimals with at most six digits', () => {
    expect([0, 1, 1.5, 1 / 3, 1e-7, 1e9, 90, 100.25].map(seconds)).toEqual([
      '0',
      '1',
      '1.5',
      '0.333333',
      '0',
      '1000000000',
      '90',
      '100.25',
    ])
  })

  test('a cut of a cut', () => {
    expect(cutAgain({ startS: 2, endS: 8, exact: false }, { startS: 1, endS: 3, exact: true })).toEqual({
      startS: 3,
      endS: 5,
      exact: true,
    })
    expect(cutAgain({ startS: 2, endS: 8, exact: false }, { startS: 1, endS: 30, exact: false })).toEqual({
      startS: 3,
      endS: 8,
      exact: false,
    })
    expect(cutAgain({ startS: 2, endS: undefined, exact: true }, { startS: 1, endS: undefined, exact: false })).toEqual(
      { startS: 3, endS: undefined, exact: true },
    )
  })

  test('refuses impossible ranges with the measured values', () => {
    expect(() => cutOf({ startS: 2, endS: 2, exact: true }, 5)).toThrow(
      'The end (2 s) must be greater than the start (2 s)',
    )
    expect(() => cutOf({ startS: -1, exact: true }, 5)).toThrow(/start/)
    expect(() => cutOf({ startS: Number.NaN, exact: true }, 5)).toThrow(/start/)
    expect(() => cutOf({ startS: 5, exact: true }, 5)).toThrow(
      'The start (5 s) is at or beyond the end of the file (5 s)',
    )
    expect(cutOf({ startS: 0, exact: true }, 5)).toBeUndefined()
    expect(cutOf({ startS: 9, exact: true }, undefined)).toEqual({ startS: 9, endS: undefined, exact: true })
  })
})

describe('colour tags', () => {
  const stream = {
    index: 0,
    type: 'video',
    codec: 'h264',
    rotation: 0,
    isDefault: true,
    tags: {},
    isAttachedPicture: false,
  } as const
  const tags = { range: 'tv', primaries: 'bt709', transfer: 'bt470bg', matrix: 'bt709' }
  const x264 = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p']

  test('are given by option names before the codec', () => {
    expect(text(withColour({ ...stream, pixelFormat: 'yuv420p', colour: tags }, x264))).toBe(
      '-color_range tv -color_primaries bt709 -color_trc gamma28 -colorspace bt709 -c:v libx264 -pix_fmt yuv420p',
    )
  })

  test('full range stays full with H.264 and is tagged as limited if it is converted', () => {
    const full = { ...stream, pixelFormat: 'yuvj420p', colour: { range: 'pc' } }
    expect(text(withColour(full, x264))).toBe('-color_range pc -c:v libx264 -pix_fmt yuvj420p')
    expect(text(withColour(full, ['-c:v', 'libvpx-vp9']))).toBe('-color_range tv -c:v libvpx-vp9')
  })

  test('unknown names, RGB sources and GIF get none', () => {
    expect(
      withColour({ ...stream, pixelFormat: 'yuv420p', colour: { primaries: 'ebu3213', matrix: 'ycgco' } }, x264),
    ).toEqual(x264)
    expect(withColour({ ...stream, pixelFormat: 'bgra', colour: { range: 'pc', matrix: 'gbr' } }, x264)).toEqual(x264)
    expect(withColour({ ...stream, colour: tags }, ['-c:v', 'gif'])).toEqual(['-c:v', 'gif'])
  })
})
