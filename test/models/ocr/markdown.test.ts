import { expect, test } from 'vitest'
import { markdownOf } from '../../../src/models/ocr/markdown.ts'
import { linesOfRuns, type Word } from '../../../src/models/ocr/text-run.ts'

const run = (text: string, left: number, top: number, height = 20, width = text.length * height * 0.5) => {
  const box = { centre: { x: left + width / 2, y: top + height / 2 }, width, height, angle: 0 }
  return { text, confidence: 1, words: [] as Word[], box }
}
const markdown = (runs: ReturnType<typeof run>[]): string => markdownOf(linesOfRuns(runs))

test('headings by their height, paragraphs with their lines joined, and words that were divided', () => {
  const page = [
    run('The yearly report', 0, 0, 48),
    run('The first paragraph has lines that fill the column up to its edge, and a di-', 0, 100),
    run('vided word that is joined again where the next line starts with lower case', 0, 130),
    run('letters.', 0, 160),
    run('Figures', 0, 220, 30),
    run('A second paragraph comes after more space, and has a line that is as wide too', 0, 280),
    run('and ends here.', 0, 310),
  ]
  expect(markdown(page)).toBe(
    [
      '# The yearly report',
      'The first paragraph has lines that fill the column up to its edge, and a divided word that is joined again where the next line starts with lower case letters.',
      '## Figures',
      'A second paragraph comes after more space, and has a line that is as wide too and ends here.',
    ].join('\n\n'),
  )
})

test('cells below each other are a table: empty cells, a wide heading and a cell of two lines', () => {
  const page = [
    run('Our offer is for these articles, and for all of the others on the back page of this.', 0, 0),
    ...[run('Article', 0, 60), run('Description of it', 300, 60), run('Price', 700, 60)],
    ...[run('A-1', 0, 90), run('A chair', 300, 90), run('120.00', 700, 90)],
    run('of solid oak', 300, 115),
    ...[run('B|2', 0, 150), run('300.50', 700, 150)],
    run('Payable within thirty days.', 0, 300),
  ]
  expect(markdown(page)).toBe(
    [
      'Our offer is for these articles, and for all of the others on the back page of this.\n',
      '| Article | Description of it | Price |',
      '| --- | --- | --- |',
      '| A-1 | A chair of solid oak | 120.00 |',
      '| B\\|2 |  | 300.50 |\n',
      'Payable within thirty days.',
    ].join('\n'),
  )
})

test('words of two columns that were read as one piece of text are in their columns', () => {
  const long = run('31 Jul Balance forward', 0, 90, 20, 320)
  const words = [
    ...['31', 'Jul'].map((text, at) => ({ text, box: run(text, 40 * at, 90, 20, 30).box })),
    ...['Balance', 'forward'].map((text, at) => ({ text, box: run(text, 120 + 105 * at, 90, 20, 95).box })),
  ]
  const page = [
    ...[run('Date', 0, 60), run('Description', 130, 60), run('Balance', 500, 60)],
    ...[{ ...long, words }, run('99.00', 500, 90)],
  ]
  expect(markdown(page)).toBe(
    ['| Date | Description | Balance |', '| --- | --- | --- |', '| 31 Jul | Balance forward | 99.00 |'].join('\n'),
  )
})

test('an address keeps its lines, lists are lists, and signs of Markdown are text', () => {
  const page = [
    run('Brightwater Ltd', 0, 0),
    run('17 Mill Lane', 0, 30),
    run('Please bring these things with you on the day on which you come here for good.', 0, 120),
    ...[run('• a *coat*', 0, 180), run('• boots', 0, 210)],
    ...[run('1. come early', 0, 270), run('2. wait', 0, 300)],
    run('# not a heading', 0, 390),
  ]
  expect(markdown(page)).toBe(
    [
      'Brightwater Ltd\\\n17 Mill Lane',
      'Please bring these things with you on the day on which you come here for good.',
      '- a \\*coat\\*\n- boots\n1. come early\n2. wait',
      '\\# not a heading',
    ].join('\n\n'),
  )
})

test('columns of running text are one after the other, also three of them', () => {
  const texts = ['one', 'two', 'three'].map((name) => (at: number) => `column ${name} has running text in line ${at}`)
  const page = [0, 1, 2, 3].flatMap((at) => texts.map((text, column) => run(text(at), column * 420, at * 30, 20, 380)))
  expect(markdown(page)).toBe(texts.map((text) => [0, 1, 2, 3].map(text).join(' ')).join('\n\n'))
})
