import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ticksFor } from '../../../tools/files/chart-maker/axis-chart.ts'
import { drawChart } from '../../../tools/files/chart-maker/draw.ts'
import { shortNumber } from '../../../tools/files/chart-maker/svg.ts'
import chartMaker from '../../../tools/files/chart-maker.ts'
import { at, readRgba } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

async function drawn(name: string, content: string, settings: Record<string, unknown> = {}) {
  const path = join(folder, name)
  writeFileSync(path, content)
  const { paths, names } = await run(chartMaker, folder, [path], settings)
  return { name: names[0], pixels: await readRgba(paths[0]!) }
}

const near = (found: readonly number[], hex: string): boolean =>
  [1, 3, 5].every((from, channel) => Math.abs(found[channel]! - Number.parseInt(hex.slice(from, from + 2), 16)) < 6)

/** How many pixels have a colour. */
function count(pixels: Awaited<ReturnType<typeof readRgba>>, hex: string): number {
  let found = 0
  for (let y = 0; y < pixels.height; y += 1)
    for (let x = 0; x < pixels.width; x += 1) if (near(at(pixels, x, y), hex)) found += 1
  return found
}

describe('what is drawn', () => {
  test('bars as high as their values, each in its colour, on white', async () => {
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

  test('slices by their share; one of all is a whole circle', async () => {
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

  test('labels and titles are never markup', () => {
    const svg = drawChart([{ label: '<script>&"', value: 1 }], {
      kind: 'bar',
      title: '</text><image/>',
      width: 400,
      height: 300,
    })
    expect(svg).not.toContain('<script')
    expect(svg).not.toContain('<image')
  })

  test('a hundred values and big numbers have room', async () => {
    const rows = Array.from({ length: 100 }, (_, index) => `a long label ${index},${index * 1_250_000}`)
    const { pixels } = await drawn('many.csv', `x,y\n${rows.join('\n')}`)
    expect(count(pixels, '#4e79a7')).toBeGreaterThan(50)
  })
})

test('scales end at round numbers, and values are said shortly', () => {
  expect(ticksFor(87)).toEqual([0, 20, 40, 60, 80, 100])
  expect(ticksFor(0)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1])
  expect(ticksFor(2_460)).toEqual([0, 500, 1000, 1500, 2000, 2500])
  expect([0, 12.345, 9999, 1_250_000, 2.5e9].map(shortNumber)).toEqual(['0', '12.35', '9999', '1.25M', '2.5B'])
})

test.each([
  ['no.csv', 'a,x\nb,y\n', /is no number/],
  ['no.csv', 'h,v\na,\n', /is no number/],
  ['no.csv', 'h,v\na,-1\n', /below 0/],
  ['no.json', '[1, 2]', /no list of/],
  ['no.json', '{}', /no values/],
  ['no.json', JSON.stringify(Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`k${n}`, n]))), /at most 100/],
])('refused: %s %j', async (name, content, message) => {
  await expect(drawn(name, content)).rejects.toThrow(message)
})
