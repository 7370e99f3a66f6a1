import { describe, expect, test } from 'vitest'
import { srtOf } from '../../../src/media/av/subtitles/cues.ts'
import { type Said, speechCues } from '../../../src/media/av/subtitles/speech-cues.ts'

/** Words of a text, as long as their number of letters, with pauses after some of them. */
function spoken(text: string, letterS = 0.06, pauses: Record<string, number> = {}): Said[] {
  let timeS = 0
  return text.split(' ').map((word) => {
    const startS = timeS
    timeS += word.length * letterS
    const endS = timeS
    timeS += letterS + (pauses[word] ?? 0)
    return { startS, endS, text: ` ${word}` }
  })
}

const segmentOf = (text: string, words: Said[]) => ({ startS: 0, endS: words.at(-1)!.endS, text: ` ${text}`, words })

const SPEECH =
  'And so, my fellow Americans, ask not what your country can do for you, ask what you can do for your country. ' +
  'My fellow citizens of the world, ask not what America will do for you, but what together we can do for the freedom of man.'

/** Requirements for every subtitle. */
function check(cues: ReturnType<typeof speechCues>): void {
  for (const [index, { startS, endS, text }] of cues.entries()) {
    expect(text.split('\n').length, text).toBeLessThanOrEqual(2)
    expect(endS - startS, text).toBeLessThanOrEqual(7 + 1e-9)
    expect(endS - startS, text).toBeGreaterThanOrEqual(5 / 6 - 1e-9)
    expect(cues[index + 1]?.startS ?? Number.POSITIVE_INFINITY, text).toBeGreaterThanOrEqual(endS)
  }
}

describe('long speech', () => {
  test.each([
    ['with times of words', segmentOf(SPEECH, spoken(SPEECH))],
    ['without', { startS: 0, endS: 15, text: SPEECH }],
  ])('%s: lines of at most 42 letters, broken at clauses, without losses', (_, segment) => {
    const cues = speechCues([segment])
    check(cues)
    for (const { text } of cues) for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(42)
    expect(cues.map(({ text }) => text.replaceAll('\n', ' ')).join(' ')).toBe(SPEECH)
    expect(cues.some(({ text }) => text.endsWith('your country.'))).toBe(true)
    // Two lines have similar widths, and none is a single word below a full line.
    for (const { text } of cues) {
      const [upper, lower] = text.split('\n')
      if (lower) expect(Math.abs(upper!.length - lower.length), text).toBeLessThan(22)
    }
  })

  test('shows every cue while its words are spoken', () => {
    const words = spoken(SPEECH)
    for (const { startS, text } of speechCues([segmentOf(SPEECH, words)])) {
      const first = text.split(/[ \n]/)[0]!
      expect(words.some((word) => word.text.trim() === first && Math.abs(word.startS - startS) < 0.001)).toBe(true)
    }
  })

  test('a pause starts a new cue', () => {
    const text = 'Wait for it now'
    const words = spoken(text, 0.1, { it: 3 })
    const cues = speechCues([segmentOf(text, words)])
    expect(cues.map(({ text: shown }) => shown)).toEqual(['Wait for it', 'now'])
    expect(cues[1]!.startS).toBeCloseTo(words[3]!.startS)
  })
})

test.each([
  [
    'zh',
    '我们选择在这个十年内登上月球并做其他的事情，不是因为它们容易，而是因为它们困难，因为这个目标将有助于组织和衡量我们最好的能力和技能。',
    16,
  ],
  [
    'ja',
    '私たちがこの十年のうちに月へ行くことを選ぶのは、それが簡単だからではなく、難しいからです。その目標は私たちの力を試すことになるでしょう。',
    16,
  ],
  ['th', 'เราเลือกที่จะไปดวงจันทร์ในทศวรรษนี้ไม่ใช่เพราะมันง่ายแต่เพราะมันยากและเป้าหมายนั้นจะช่วยให้เราวัดความสามารถที่ดีที่สุดของเรา', 60],
  [
    'ko',
    '우리는 이번 십 년 안에 달에 가기로 결정했습니다. 쉬워서가 아니라 어렵기 때문입니다. 그 목표가 우리의 힘을 시험할 것입니다.',
    21,
  ],
])(
  '%s, with and without spaces: lines within its width, without losses, no punctuation at a start',
  (_, text, most) => {
    const cues = speechCues([{ startS: 1, endS: 1 + text.length / 6, text }])
    check(cues)
    expect(cues.length).toBeGreaterThan(1)
    const lines = cues.flatMap((cue) => cue.text.split('\n'))
    for (const line of lines) expect([...line].length, line).toBeLessThanOrEqual(most)
    for (const line of lines) expect(line, line).not.toMatch(/^[，。、！？\p{M}]/u)
    expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
  },
)

test('short and crowded cues: joined, or shown one after the other; silence has no cue', () => {
  const cues = speechCues([
    { startS: 5, endS: 5.2, text: 'Yes.' },
    { startS: 0, endS: 0.2, text: 'One.' },
    { startS: 0.3, endS: 0.5, text: 'Two.' },
    { startS: 2, endS: 3, text: '  ' },
    { startS: 5.1, endS: 9, text: `${'x'.repeat(42)} ${'y'.repeat(42)}` },
    { startS: 40, endS: 60, text: 'Hm.' },
  ])
  check(cues)
  expect(cues.map(({ text }) => text)).toEqual(['One. Two.', 'Yes.', `${'x'.repeat(42)}\n${'y'.repeat(42)}`, 'Hm.'])
  expect(cues[2]!.startS).toBeCloseTo(5 + 5 / 6)
  expect(cues.at(-1)).toMatchObject({ startS: 40, endS: 47 })
  expect(speechCues([])).toEqual([])
  expect(srtOf(cues.slice(0, 1))).toBe('1\n00:00:00,000 --> 00:00:00,833\nOne. Two.\n')
})
