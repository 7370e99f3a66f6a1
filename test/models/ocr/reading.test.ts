import { expect, test } from 'vitest'
import { parseWords } from '../../../src/engines/tesseract.ts'
import { withLocalContrast } from '../../../src/models/ocr/contrast.ts'
import { alphabetOf, decodeLine, wordsOf } from '../../../src/models/ocr/ctc.ts'
import { readingOrder } from '../../../src/models/ocr/order.ts'
import { inkThreshold, withSeenSpaces } from '../../../src/models/ocr/spaces.ts'
import { levelStrip } from '../../../src/models/ocr/strip.ts'
import { runsOfWords } from '../../../src/models/ocr/tesseract.ts'
import { linesOfRuns, textOf } from '../../../src/models/ocr/text-run.ts'

test('the classes of a dictionary are blank, its lines and the space; refuses any other number', () => {
  expect(alphabetOf('a\nb\n', 4)).toEqual(['', 'a', 'b', ' '])
  expect(alphabetOf('a\r\nb', 3)).toEqual(['', 'a', 'b'])
  expect(() => alphabetOf('a\nb\n', 6)).toThrow(
    'The text recognition model has 6 classes, and its dictionary 2 characters',
  )
})

test('time steps become characters: merges repetitions unless a blank separates them', () => {
  const best = [0, 1, 1, 0, 1, 3, 2, 2]
  const scores = new Float32Array(
    best.flatMap((one, step) => [0, 1, 2, 3].map((c) => (c === one ? 0.5 + step / 16 : 0))),
  )
  const read = decodeLine(scores, 8, ['', 'a', 'b', ' '])
  expect(read.map(({ text }) => text).join('')).toBe('aa b')
  expect(read.map(({ at }) => at * 16)).toEqual([4, 9, 11, 14])
  expect(read[0]!.confidence).toBe(0.625)
  const words = wordsOf(read)
  expect(words.map(({ text }) => text)).toEqual(['aa', 'b'])
  expect([words[0]!.from * 16, words[0]!.to * 16]).toEqual([1.5, 11.5])
  // For a strip padded to twice its width, positions refer to the strip.
  const half = decodeLine(scores, 8, ['', 'a', 'b', ' '], 0.5)
  expect(half.map(({ text, at }) => [text, at * 16])).toEqual([['a', 8]])
})

const piece = (text: string, left: number, top: number, width = text.length * 10, angle = 0) => {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const [x, y] = [left + width / 2, top + 10]
  const centre = { x: x * cos - y * sin, y: x * sin + y * cos }
  return { text, confidence: 1, words: [], box: { centre, width, height: 20, angle } }
}
const order = (pieces: ReturnType<typeof piece>[]): string =>
  readingOrder(pieces)
    .map((line) => line.map(({ text }) => text).join(' '))
    .join('|')

const LINES = [
  'the first line of a column',
  'the second line of it here',
  'the third line of the same',
  'and the last of the column',
]
const columns = (angle: number) =>
  LINES.flatMap((line, at) => [
    piece(`${line} B`, 400, 100 + 30 * at, 280, angle),
    piece(`${line} A`, 0, 100 + 30 * at, 280, angle),
  ])

test.each([0, 0.09, -0.09])('reads columns of running text one after the other, rotated by %f', (angle) => {
  const page = [
    ...columns(angle),
    piece('A heading over both of the columns', 100, 40, 500, angle),
    piece('1', 340, 300, 10, angle),
  ]
  const wanted = [
    'A heading over both of the columns',
    ...LINES.map((line) => `${line} A`),
    ...LINES.map((line) => `${line} B`),
    '1',
  ]
  expect(order(page)).toBe(wanted.join('|'))
})

test('reads table cells row by row, separated by tabs', () => {
  const rows = [
    ['Number', 'Article', 'Price'],
    ['1', 'A chair of oak', '120.00'],
    ['2', 'A table', '300.50'],
    ['3', 'A lamp of glass', '75.00'],
    ['4', 'A very long sofa', '990.00'],
  ]
  const cells = rows.flatMap((row, at) => row.map((cell, column) => piece(cell, column * 240, at * 30)))
  const text = textOf(linesOfRuns([...cells].reverse()))
  expect(text).toBe(rows.map((row) => row.join('\t')).join('\n'))
})

test('words of Tesseract: wide gaps start another run, Chinese has no spaces, ruled lines are no words', () => {
  const tsv = [
    'level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext',
    '5\t1\t1\t1\t1\t1\t10\t10\t50\t20\t90\tTotal',
    '5\t1\t1\t1\t1\t2\t65\t10\t40\t20\t80\tsum',
    '5\t1\t1\t1\t1\t3\t300\t10\t40\t20\t96\t4.20',
    '5\t1\t2\t1\t1\t1\t10\t50\t20\t20\t95\t中',
    '5\t1\t2\t1\t1\t2\t32\t50\t20\t20\t95\t文',
    '5\t1\t3\t1\t1\t1\t0\t90\t400\t2\t95\t ',
  ].join('\n')
  const runs = runsOfWords(parseWords(tsv))
  expect(runs.map(({ text }) => text)).toEqual(['Total sum', '4.20', '中文'])
  expect(runs[0]!.confidence).toBeCloseTo((0.9 * 5 + 0.8 * 3) / 8)
  expect(runs[0]!.box).toEqual({ centre: { x: 57.5, y: 20 }, width: 95, height: 20, angle: 0 })
})

/** White, with black columns. */
function strip(width: number, height: number, black: readonly [number, number][]) {
  const data = new Uint8Array(width * height * 3).fill(255)
  for (let y = 0; y < height; y += 1)
    for (const [from, to] of black) data.fill(0, (y * width + from) * 3, (y * width + to) * 3)
  return { data, width, height }
}

test('inserts a space that the picture shows and the recogniser missed, but not between digits', () => {
  const middles = [16, 31, 46, 91, 106, 121, 166]
  const picture = strip(
    200,
    48,
    middles.map((x) => [x - 6, x + 6]),
  )
  const read = (text: string) => {
    const characters = [...text].map((one, index) => ({ text: one, confidence: 1, at: middles[index]! / 200 }))
    return withSeenSpaces(characters, picture)
      .map((one) => one.text)
      .join('')
  }
  expect(read('theCats')).toBe('the Cat s')
  expect(read('1234567')).toBe('1234567')
  expect(read('中文中文中文中')).toBe('中文中文中文中')
})

test('a narrow space counts if the line has wider ones and its letters are closer, and a wide letter gap does not', () => {
  const read = (text: string, gaps: readonly number[]) => {
    let right = 4
    const black = gaps.map((gap): [number, number] => {
      const left = right + gap
      right = left + 10
      return [left, right]
    })
    // Twice as wide as the print, so that the ink is the rarer grey.
    const width = 2 * right
    const characters = [...text].map((one, at) => ({ text: one, confidence: 1, at: (black[at]![0] + 5) / width }))
    return withSeenSpaces(characters, strip(width, 48, black))
      .map((one) => one.text)
      .join('')
  }
  // As a recogniser read TERMS AND CONDITIONS OF SALE APPLY in Liberation Sans.
  expect(read('MSANDCOOFSALEAP', [0, 7, 14, 4, 8, 19, 5, 20, 7, 19, 3, 4, 5, 14, 5])).toBe('MS AND CO OF SALE AP')
  // Gradually growing gaps are not two kinds.
  expect(read('MSANDCOOFSALEAP', [0, 7, 14, 4, 8, 21, 5, 21, 7, 21, 10, 12, 5, 7, 5])).toBe('MSAND CO OF SALEAP')
  // A single wide gap says nothing about the others.
  expect(read('MSANDCOOF', [0, 7, 14, 4, 8, 24, 5, 7, 7])).toBe('MSAND COOF')
})

test('in monospaced text the gap next to a narrow letter is no space, but an empty cell is one', () => {
  const label = 'PARIIEL2026LAB'
  const read = (pitches: (index: number) => number) => {
    const middle = (index: number): number => 15 * pitches(index) + 15
    // Twice as wide as the print, so that the ink is the rarer grey.
    const width = 30 * (pitches(label.length) + 1)
    const half = (index: number): number => (label[index] === 'I' ? 1 : 6)
    const black = [...label].map((_, at): [number, number] => [middle(at) - half(at), middle(at) + half(at)])
    const characters = [...label].map((text, at) => ({ text, confidence: 1, at: middle(at) / width }))
    return withSeenSpaces(characters, strip(width, 40, black))
      .map(({ text }) => text)
      .join('')
  }
  expect(read((index) => index)).toBe(label)
  expect(read((index) => (index < 7 ? index : index + 1))).toBe('PARIIEL 2026LAB')
})

test('the bar of a T bridges the gap to the next letter, and a gap narrower than read spaces is none', () => {
  // T, h and e with 8 px between the stems: the bar of the T is in the uppermost rows, as in a tight box.
  const stems = [20, 36, 48, 80, 92] as const
  const picture = strip(
    120,
    48,
    stems.map((x) => [x - 4, x + 4]),
  )
  for (let y = 1; y < 4; y += 1) picture.data.fill(0, (y * 120 + 12) * 3, (y * 120 + 30) * 3)
  const read = (texts: readonly string[], columns: readonly number[]) =>
    withSeenSpaces(
      texts.map((text, index) => ({ text, confidence: 1, at: columns[index]! / 120 })),
      picture,
    )
      .map(({ text }) => text)
      .join('')
  expect(read(['T', 'h', 'e', 'i', 't'], stems)).toBe('The it')
  // Between 36 and 48 px 4 are empty, between 48 and 80 24: with 24 for a space, the 12 between 80 and 100 are none.
  const wide = strip(160, 48, [
    [16, 24],
    [28, 36],
    [60, 68],
    [80, 88],
    [92, 100],
  ])
  const line = ['a', 'b', ' ', 'c', 'd', 'e'].map((text, index) => ({
    text,
    confidence: 1,
    at: [20, 32, 48, 64, 84, 96][index]! / 160,
  }))
  expect(
    withSeenSpaces(line, wide)
      .map(({ text }) => text)
      .join(''),
  ).toBe('ab cde')
})

test('the threshold between ink and paper is between their greys', () => {
  expect(inkThreshold(Uint8Array.from([10, 12, 14, 200, 202, 204]))).toBe(14)
})

test('a rotated line is made horizontal, and reduced pictures are averaged', () => {
  const picture = strip(40, 40, [[20, 22]])
  const box = { centre: { x: 20, y: 20 }, width: 20, height: 4, angle: Math.PI / 2 }
  // The black column runs along the box's width, which points down; the column to its right is first.
  const level = levelStrip(picture, box, 4, 20)
  const row = (y: number) => level.data[y * 20 * 3 + 30]
  expect([0, 1, 2, 3].map((y) => row(y))).toEqual([0, 0, 255, 255])
  const small = levelStrip(picture, { ...box, width: 40, height: 40, angle: 0 }, 10, 10)
  // 2 of the 4 px of one sample are black.
  expect(small.data[5 * 3]).toBeGreaterThan(100)
  expect(small.data[5 * 3]).toBeLessThan(156)
  expect(small.data[0]).toBe(255)
})

test('local contrast: print in a shadow becomes black on white, a clean page is unchanged', () => {
  const [width, height] = [256, 64]
  const page = (paper: (x: number) => number, ink: (x: number) => number) => {
    const data = Buffer.alloc(width * height * 3)
    for (let at = 0; at < width * height; at += 1) {
      const x = at % width
      data.fill(x % 16 < 4 ? ink(x) : paper(x), at * 3, at * 3 + 3)
    }
    return { data, width, height, channels: 3 as const, pageHeight: height }
  }
  const shadow = withLocalContrast(
    page(
      (x) => 250 - x / 4,
      (x) => 150 - x / 4,
    ),
  )
  for (const x of [8, 120, 250]) expect(shadow.data[(32 * width + x) * 3]).toBeGreaterThan(195)
  for (const x of [1, 129, 241]) expect(shadow.data[(32 * width + x) * 3]).toBeLessThan(60)
  const clean = page(
    () => 255,
    () => 0,
  )
  expect(withLocalContrast(clean).data.equals(clean.data)).toBe(true)
})
