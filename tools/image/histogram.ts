import { openSharp } from '../../src/engines/sharp.ts'
import { ImageFrame } from '../../src/media/image/frame.ts'
import { imageTool } from '../../src/tool/image-tool.ts'
import { choice } from '../../src/tool/settings.ts'
import { type Bins, binsOf, statisticsOf } from './histogram/histogram.ts'

const WIDTH = 512
const HEIGHT = 320
/** Room above the tallest bin, so that its line is not cut. */
const TOP = 8

const LINES = [
  ['r', '#ff5c5c'],
  ['g', '#4ade80'],
  ['b', '#60a5fa'],
] as const

/** The chart: one line each for red, green and blue, scaled to the tallest bin of the three. */
function drawChart(bins: Bins, scale: 'linear' | 'log'): string {
  const measure = scale === 'log' ? Math.log1p : (count: number): number => count
  const tallest = Math.max(1, ...bins.r, ...bins.g, ...bins.b)
  const line = (counts: readonly number[]): string =>
    counts
      .map((count, value) => {
        const x = ((value + 0.5) * WIDTH) / 256
        const y = HEIGHT - 1 - (measure(count) / measure(tallest)) * (HEIGHT - 1 - TOP)
        return `${x},${y.toFixed(2)}`
      })
      .join(' ')
  const lines = LINES.map(
    ([channel, colour]) =>
      `<polyline points="${line(bins[channel])}" fill="none" stroke="${colour}" stroke-width="1.5" stroke-linejoin="round"/>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><rect width="100%" height="100%" fill="#16181d"/>${lines.join('')}</svg>`
}

export default imageTool({
  id: 'histogram',
  summary: 'Chart the RGB histogram and report channel statistics',
  settings: {
    scale: choice(['linear', 'log'], 'height of the lines: the counts, or log(1 + count)', { default: 'linear' }),
  },
  output: { kind: 'file+report', type: { is: 'png' } },
  examples: [{ title: 'the chart and the figures' }, { title: 'rare tones made visible', settings: { scale: 'log' } }],
  suffix: 'histogram',
  decode: () => ({ firstPage: true }),
  async produce([picture], { scale }) {
    const frame = await picture!.open()
    const bins = binsOf(await frame.pixels({ alpha: 'drop' }))
    const chart = await (await openSharp(Buffer.from(drawChart(bins, scale)))).png().toBuffer()
    const drawn = await ImageFrame.fromPng(chart, picture!.name)
    return { frame: drawn.withTarget({ format: 'png' }), report: { bins, ...statisticsOf(bins) } }
  },
})
