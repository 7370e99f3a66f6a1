import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { drawChart } from '../../../tools/files/chart-maker/draw.ts'
import { ticksFor, tickText } from '../../../tools/files/chart-maker/scale.ts'
import { colorOf, shortNumber } from '../../../tools/files/chart-maker/svg.ts'
import { tableOfCsv } from '../../../tools/files/chart-maker/table.ts'
import chartMaker from '../../../tools/files/chart-maker.ts'
import { at, readRgba } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

async function drawn(name: string, content: string, settings: Record<string, unknown> = {}) {
  const path = join(folder, name)
  writeFileSync(path, content)
  const { paths, names, warnings } = await run(chartMaker, folder, [path], settings)
  return { name: names[0], warnings, pixels: await readRgba(paths[0]!) }
}

const near = (found: readonly number[], hex: string): boolean =>
  [1, 3, 5].every((from, channel) => Math.abs(found[channel]! - Number.parseInt(hex.slice(from, from + 2), 16)) < 6)

/** Number of pixels of a colour. */
function count(pixels: Awaited<ReturnType<typeof readRgba>>, hex: string): number {
  let found = 0
  for (let y = 0; y < pixels.height; y += 1)
    for (let x = 0; x < pixels.width; x += 1) if (near(at(pixels, x, y), hex)) found += 1
  return found
}

describe('drawing', () => {
  test('bars with the height and colour of their values, on white', async () => {
    const { name, pixels } = await drawn('sales.csv', 'month,sales\nJan,100\nFeb,50\nMar,25\n', {
      width: 400,
      height: 300,
    })
    expect(name).toBe('sales_chart.png')
    expect([pixels.width, pixels.height]).toEqual([400, 300])
    expect(near(at(pixels, 2, 2), '#ffffff')).toBe(true)
    const [jan, feb, mar] = ['#4e79a7', '#f28e2b', '#e15759'].map((colour) => count(pixels, colour)) as [
      number,
      number,
      number,
    ]
    expect(feb / jan).toBeCloseTo(0.5, 1)
    expect(mar / jan).toBeCloseTo(0.25, 1)
  })

  test('slices by their share; a single one is a full circle', async () => {
    const json = '{"a": 3, "b": 1}'
    const { pixels } = await drawn('parts.json', json, { kind: 'pie', width: 400, height: 300 })
    // The squares of the legend count, too: 144 pixels each.
    const [most, rest] = [count(pixels, '#4e79a7') - 144, count(pixels, '#f28e2b') - 144]
    expect(most / rest).toBeCloseTo(3, 0)
    const all = await drawn('all.json', '{"a": 5, "b": 0}', { kind: 'pie', width: 400, height: 300 })
    expect((count(all.pixels, '#4e79a7') - 144) / (most + rest)).toBeCloseTo(1, 1)
  })

  test('a line of one colour', async () => {
    const { pixels } = await drawn('line.csv', 'a,1\nb,5\nc,2\n', { kind: 'line', width: 400, height: 300 })
    expect(count(pixels, '#4e79a7')).toBeGreaterThan(300)
    expect(count(pixels, '#f28e2b')).toBe(0)
  })

  test('a dark ground with light texts', async () => {
    const { pixels } = await drawn('dark.csv', 'month,sales\nJan,100\nFeb,-50\n', {
      width: 400,
      height: 300,
      theme: 'dark',
    })
    expect(near(at(pixels, 2, 2), '#16181d')).toBe(true)
    expect(count(pixels, '#ffffff')).toBe(0)
    expect(count(pixels, '#f28e2b')).toBeGreaterThan(1000)
  })

  test('long labels continue on lines below, in a pie as well', () => {
    const labels = ['International customer relations', 'Sales', 'Administration of buildings']
    const table = { labels, series: [{ name: 'people', values: [3, 2, 1] }], unit: undefined }
    for (const kind of ['bar', 'line', 'pie'] as const) {
      const texts = drawChart(table, { kind, width: 640, height: 400 }).match(/(?<=<text[^>]*>)[^<]*/g)!
      expect(texts.join(' ')).toContain('International customer relations')
      expect(texts.join(' ')).not.toContain('…')
    }
    const large = drawChart(table, { kind: 'bar', width: 640, height: 400 })
    expect(large).not.toContain('rotate')
  })

  test('labels and titles are never markup', () => {
    const svg = drawChart(
      { labels: ['<script>&"'], series: [{ name: '', values: [1] }], unit: undefined },
      {
        kind: 'bar',
        title: '</text><image/>',
        width: 400,
        height: 300,
      },
    )
    expect(svg).not.toContain('<script')
    expect(svg).not.toContain('<image')
  })

  test('fits a hundred values and large numbers', async () => {
    const rows = Array.from({ length: 100 }, (_, index) => `a long label ${index},${index * 1_250_000}`)
    const { pixels } = await drawn('many.csv', `x,y\n${rows.join('\n')}`)
    expect(count(pixels, '#4e79a7')).toBeGreaterThan(50)
  })
})

test('scales end at round numbers, and values are short', () => {
  expect(ticksFor(87)).toEqual([0, 20, 40, 60, 80, 100])
  expect(ticksFor(0)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1])
  expect(ticksFor(20, -35)).toEqual([-40, -20, 0, 20])
  expect(ticksFor(-3, -12)).toEqual([-15, -10, -5, 0])
  expect(ticksFor(0.034)).toEqual([0, 0.01, 0.02, 0.03, 0.04])
  expect(tickText(-1500, { text: '$', isLeading: true })).toBe('−$1500')
  expect(tickText(5, { text: '€', isLeading: false })).toBe('5 €')
  expect(tickText(5, { text: '%', isLeading: false })).toBe('5%')
  expect(ticksFor(2_460)).toEqual([0, 500, 1000, 1500, 2000, 2500])
  expect([0, 12.345, 9999, 1_250_000, 2.5e9].map(shortNumber)).toEqual(['0', '12.35', '9999', '1.25M', '2.5B'])
})

test.each<[string, string, RegExp, Record<string, unknown>?]>([
  ['no.csv', 'h,v\na,-1\nb,2\n', /-1 \(a\) is below 0, which a pie chart cannot show/, { kind: 'pie' }],
  ['no.csv', 'h,v\na,1\nb,x\n', /value 2 \("x"\) is not a number/],
  ['no.csv', 'a,x\nb,y\n', /is not a number/],
  ['no.csv', 'h,v\na,\n', /is not a number/],
  ['no.json', '[1, 2]', /neither a list of/],
  ['no.json', '{}', /no values/],
  ['no.json', JSON.stringify(Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`k${n}`, n]))), /limit is 100/],
])('refused: %s %j', async (name, content, message, settings) => {
  await expect(drawn(name, content, settings)).rejects.toThrow(message)
})

describe('several series', () => {
  const names = Array.from({ length: 23 }, (_, index) => `series ${index + 1}`)
  const csv = (count: number) =>
    `x,${names.slice(0, count).join(',')}\na,${names.slice(0, count).map((_, index) => index + 5)}\nb,${names.slice(0, count).map(() => 9)}\n`

  test.each(['bar', 'line'])('14 of them as %s: each in its own colour, with a legend', async (kind) => {
    const { pixels, warnings } = await drawn('many.csv', csv(14), { kind, width: 480, height: 320 })
    const colours = [...Array(14).keys()].map(colorOf)
    expect(new Set(colours).size).toBe(14)
    // The squares of the legend alone are 144 pixels each.
    const found = new Map<string, number>()
    for (let y = 0; y < pixels.height; y += 1)
      for (let x = 0; x < pixels.width; x += 1) {
        const [red, green, blue] = at(pixels, x, y)
        const hex = `#${((red! << 16) | (green! << 8) | blue!).toString(16).padStart(6, '0')}`
        found.set(hex, (found.get(hex) ?? 0) + 1)
      }
    for (const colour of colours) expect(found.get(colour)).toBeGreaterThan(150)
    expect(warnings).toEqual([])
  })

  test('beyond 20 a warning names omitted ones, and so for columns of words', async () => {
    expect((await drawn('more.csv', csv(23))).warnings).toEqual([
      'more.csv: 20 series at most are drawn, omitted: series 21, series 22, series 23',
    ])
    const { warnings } = await drawn('words.csv', 'id,name,sum,mixed\n1,x,5,1\n2,y,6,z\n')
    expect(warnings).toEqual(['words.csv: 2 columns that are not all numbers omitted: name, mixed'])
  })

  test('a pie uses the first, with a warning; years are a header', async () => {
    const { warnings } = await drawn('years.csv', 'x,2021,2022\na,1,2\nb,3,4\n', { kind: 'pie' })
    expect(warnings).toEqual(['years.csv: a pie shows one series, 2021; left out: 2022'])
  })

  test('JSON: objects with a label', async () => {
    const { pixels, warnings } = await drawn('list.json', '[{"label":"a","x":1,"y":2},{"label":"b","x":3,"y":null}]')
    expect(count(pixels, '#f28e2b')).toBeGreaterThan(1000)
    expect(warnings).toEqual(['list.json: 1 value missing, drawn as gaps: b (y)'])
  })

  test('more bars than pixels', async () => {
    const rows = Array.from({ length: 100 }, (_, index) => `r${index},1,2,3,4,5`)
    const { warnings } = await drawn('dense.csv', `x,a,b,c,d,e\n${rows.join('\n')}`, { width: 640 })
    expect(warnings).toEqual([expect.stringContaining('500 bars in 640 px are too narrow')])
  })
})

/** First and last row of a colour, from the top. */
function rowsOf(pixels: Awaited<ReturnType<typeof readRgba>>, hex: string): [first: number, last: number] {
  const rows = [...Array(pixels.height).keys()].filter((y) =>
    [...Array(pixels.width).keys()].some((x) => near(at(pixels, x, y), hex)),
  )
  return [rows[0]!, rows.at(-1)!]
}

describe('number formats', () => {
  test('below 0: bars hang from the zero line', async () => {
    const { pixels } = await drawn('loss.csv', 'q,v\nA,10\nB,-10\n', { width: 400, height: 300 })
    const [above, below] = [rowsOf(pixels, '#4e79a7'), rowsOf(pixels, '#f28e2b')]
    expect(Math.abs(below[0] - above[1])).toBeLessThan(4)
    expect(Math.abs(above[1] - above[0] - (below[1] - below[0]))).toBeLessThan(4)
  })

  test('missing values interrupt lines and leave empty bar positions', async () => {
    const { pixels, warnings } = await drawn('gap.csv', 'm,v\na,5\nb,5\nc,\nd,n/a\ne,5\nf,5\n', {
      kind: 'line',
      width: 600,
      height: 300,
    })
    const [top] = rowsOf(pixels, '#4e79a7')
    const columns = [...Array(600).keys()].filter((x) =>
      [...Array(8).keys()].some((y) => near(at(pixels, x, top + y), '#4e79a7')),
    )
    const widest = Math.max(...columns.slice(1).map((x, index) => x - columns[index]!))
    // Two slots and the halves next to them.
    expect(widest).toBeGreaterThan(200)
    expect(warnings).toEqual(['gap.csv: 2 values missing, drawn as gaps: c (v), d (v)'])
  })

  test.each([
    ['1,5', 1.5],
    ['12,50 €', 12.5],
    ['$1,200', 1200],
    ['$1,234.50', 1234.5],
    ['1.234,5', 1234.5],
    ['1,234,567', 1_234_567],
    ['1.234.567 EUR', 1_234_567],
    ["1'000", 1000],
    ['1\u202f234,5', 1234.5],
    ['(1,234.5)', -1234.5],
    ['−3', -3],
    ['5-', -5],
    ['-$5', -5],
    ['12 %', 12],
    ['1e5', 100_000],
    ['.5', 0.5],
    ['0,125', 0.125],
    ['0.125', 0.125],
  ])('%s is clearly %d', async (written, value) => {
    const { series } = await tableOfCsv(`x;v\na;"${written}"\n`, 'n.csv', (message) => expect(message).toBe(''))
    expect(series[0]!.values).toEqual([value])
  })

  test.each([
    '1,23,4',
    '1.2.3',
    '0x1F',
    '2024-01-02',
    '12:30',
    'ABC 123',
    '$',
    '1 000 x',
    '--5',
    '$5 €',
    `-${' '.repeat(60)}x`,
  ])('%s is not a number', async (written) => {
    await expect(tableOfCsv(`x;v\na;"${written}"\n`, 'n.csv', () => {})).rejects.toThrow(/is not a number/)
  })

  test('an ambiguous comma follows the other numbers, else a warning', async () => {
    const read = async (cells: string[]) => {
      const warnings: string[] = []
      const csv = `x;v\n${cells.map((cell) => `a;${cell}`).join('\n')}`
      const { series } = await tableOfCsv(csv, 'n.csv', (message) => warnings.push(message))
      return { values: series[0]!.values, warnings }
    }
    expect(await read(['1,234', '2,5'])).toEqual({ values: [1.234, 2.5], warnings: [] })
    expect(await read(['1,234', '2.5'])).toEqual({ values: [1234, 2.5], warnings: [] })
    expect(await read(['1.234', '2,5'])).toEqual({ values: [1234, 2.5], warnings: [] })
    expect(await read(['1.234', '2'])).toEqual({ values: [1.234, 2], warnings: [] })
    expect(await read(['1,234', '2,500', '7'])).toEqual({
      values: [1234, 2500, 7],
      warnings: ['n.csv: 1,234 could be 1234 or 1.234, and was read as 1234; 2 values could be read in two ways'],
    })
  })

  test('currencies on one scale', async () => {
    const warnings: string[] = []
    const { unit } = await tableOfCsv('x;v\na;5 €\nb;$6', 'n.csv', (message) => warnings.push(message))
    expect([unit, warnings]).toEqual([undefined, ['n.csv mixes €, $, which are drawn on one scale']])
    expect((await tableOfCsv('x;v\na;5 €\nb;6 €', 'n.csv', () => {})).unit).toEqual({ text: '€', isLeading: false })
  })
})
