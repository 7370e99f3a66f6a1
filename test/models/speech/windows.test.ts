import { describe, expect, test } from 'vitest'
import { segmentsOf } from '../../../src/models/speech/segments.ts'
import { TOKENS } from '../../../src/models/speech/vocabulary.ts'
import { nextWindow, withPauses } from '../../../src/models/speech/windows.ts'

const RATE = 16_000
const inSamples = ([from, to]: readonly [number, number]) => ({ from: from * RATE, to: to * RATE })
const inSeconds = (window?: { from: number; to: number }) => window && [window.from / RATE, window.to / RATE]

describe('windows', () => {
  const spoken = (...speech: [number, number][]) => withPauses(speech.map(inSamples), 100 * RATE)

  test('speech includes short pauses, and a short silence around it', () => {
    const stretches = spoken([0.1, 3], [4.9, 6], [8.5, 9])
    expect(stretches.map(inSeconds)).toEqual([
      [0, 6.4],
      [8.1, 9.4],
    ])
    expect(stretches.map(({ spokenTo }) => spokenTo / RATE)).toEqual([6, 9])
  })

  test('a window includes speech that starts within 30 s, and no silence at its end', () => {
    expect(inSeconds(nextWindow(spoken([2, 5], [10, 12]), 0))).toEqual([1.6, 12.4])
    expect(inSeconds(nextWindow(spoken([2, 5], [31, 40]), 0))).toEqual([1.6, 31.6])
    expect(inSeconds(nextWindow(spoken([2, 5], [50, 52]), 0))).toEqual([1.6, 5.4])
  })

  test('the next window starts at the end of the last, after long silences, and not for a short rest', () => {
    const stretches = spoken([2, 40], [80, 82])
    expect(inSeconds(nextWindow(stretches, 29.5 * RATE))).toEqual([29.5, 40.4])
    expect(inSeconds(nextWindow(stretches, 39.9 * RATE))).toEqual([79.6, 82.4])
    expect(nextWindow(stretches, 81.9 * RATE)).toBeUndefined()
    expect(nextWindow([], 0)).toBeUndefined()
  })
})

describe('segments of a window', () => {
  const at = (seconds: number): number => TOKENS.firstTimestamp + Math.round(seconds * 50)
  const split = (...tokens: number[]) => segmentsOf(tokens, 20, (own) => own.filter((one) => one < 100).join(' '))

  test('each between its timestamps; an unfinished one is left to the next window', () => {
    const heard = [at(0.5), 1, 2, at(4), at(4.2), 3, at(9)]
    expect(split(...heard, at(9), 4)).toEqual({
      heard,
      segments: [
        { startS: 0.5, endS: 4, text: '1 2' },
        { startS: 4.2, endS: 9, text: '3' },
      ],
      heardS: 9,
    })
  })

  test('if the last one ends alone, nothing follows it', () => {
    expect(split(at(0), 1, at(4), at(5), 2, at(9))).toMatchObject({
      segments: [
        { startS: 0, endS: 4, text: '1' },
        { startS: 5, endS: 9, text: '2' },
      ],
      heardS: 20,
    })
  })

  test('one without an end lasts to the end of the window', () => {
    expect(split(at(0.2), 1, 2)).toMatchObject({ segments: [{ startS: 0.2, endS: 20, text: '1 2' }], heardS: 20 })
    expect(split(at(0.2), 1, at(25))).toMatchObject({ segments: [{ startS: 0.2, endS: 20, text: '1' }], heardS: 20 })
  })

  test('an end without progress is no step: takes the rest as well', () => {
    const all = [at(0), 1, at(0.1), at(0.1), 2]
    expect(split(...all)).toEqual({
      heard: all,
      segments: [
        { startS: 0, endS: 0.1, text: '1' },
        { startS: 0.1, endS: 20, text: '2' },
      ],
      heardS: 20,
    })
  })

  test('no speech is no segment', () => {
    expect(split(at(0), at(0))).toMatchObject({ segments: [], heardS: 20 })
    expect(split()).toEqual({ segments: [], heardS: 20, heard: [] })
  })
})
