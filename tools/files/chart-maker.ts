import { openSharp } from '../../src/engines/sharp.ts'
import { MediaprocError } from '../../src/errors.ts'
import { extensionOf, printableName } from '../../src/media/file.ts'
import { suffixedName } from '../../src/media/naming.ts'
import { readText } from '../../src/media/text-file.ts'
import { type Job, oneFile, tool } from '../../src/tool/contract.ts'
import { choice, integer, text } from '../../src/tool/settings.ts'
import { textEncoding } from '../../src/tool/text-encoding.ts'
import { listed } from '../../src/wording.ts'
import { drawChart } from './chart-maker/draw.ts'
import { THEMES } from './chart-maker/svg.ts'
import { type ChartTable, tableOfCsv, tableOfJson } from './chart-maker/table.ts'

export default tool({
  section: 'files',
  id: 'chart-maker',
  summary: 'Draw a bar, line or pie chart from CSV or JSON as PNG',
  input: oneFile('csv', 'tsv', 'json', 'txt'),
  settings: {
    kind: choice(['bar', 'line', 'pie'], 'chart type', { default: 'bar' }),
    theme: choice(['light', 'dark'], 'colours of the ground and the texts', { default: 'light' }),
    title: text('title above the chart', { maxLength: 120, example: 'Visitors' }),
    width: integer('width of the image', { short: 'w', default: 960, min: 320, max: 2048, unit: 'px' }),
    encoding: textEncoding('the table'),
    height: integer('height of the image', { short: 'H', default: 540, min: 240, max: 1536, unit: 'px' }),
  },
  output: { kind: 'file', type: { is: 'png' } },
  naming: { suffix: 'chart' },
  engines: ['sharp'],
  timeoutS: 60,
  batch: true,
  examples: [
    { title: 'bars', inputs: ['sales.csv'], settings: { title: 'Sales by month' } },
    { title: 'for a dark page', inputs: ['sales.csv'], settings: { theme: 'dark' } },
    { title: 'parts of a whole', inputs: ['sales.csv'], settings: { kind: 'pie' } },
    { title: 'a line', inputs: ['sales.csv'], settings: { kind: 'line', width: 640, height: 360 } },
  ],
  async run(job, settings) {
    const file = job.inputs[0]
    const shown = printableName(file.name)
    const content = await readText(file, { encoding: settings.encoding, warn: job.warn })
    const isJson = extensionOf(file.name) === 'json' || file.type.id === 'json'
    const table = await (isJson ? tableOfJson : tableOfCsv)(content, shown, job.warn)
    if (settings.kind === 'pie') checkPie(table, shown, job.warn)
    if (settings.kind === 'bar') checkBars(table, settings.width, shown, job.warn)
    const name = suffixedName(file, 'chart', 'png')
    const path = await job.output(name)
    const image = await openSharp(Buffer.from(drawChart(table, settings)))
    await image.flatten({ background: THEMES[settings.theme].ground }).png().toFile(path)
    return { files: [{ path, name, mime: 'image/png' }] }
  },
})

/** A pie shows the parts of one whole. */
function checkPie({ labels, series: [first, ...others] }: ChartTable, name: string, warn: Job['warn']): void {
  const below = first!.values.findIndex((value) => (value ?? 0) < 0)
  if (below >= 0)
    throw new MediaprocError(
      'PROCESSING_FAILED',
      `${name}: ${first!.values[below]} (${listed([labels[below]!])}) is below 0, which a pie chart cannot show`,
      { hint: { shell: 'Draw bars or a line: --kind bar', http: 'Draw bars or a line.' } },
    )
  if (others.length > 0)
    warn(
      `${name}: a pie shows one series, ${listed([first!.name])}; left out: ${listed(others.map((one) => one.name))}`,
    )
}

/** Bars narrower than a pixel cannot be distinguished. */
function checkBars({ labels, series }: ChartTable, width: number, name: string, warn: Job['warn']): void {
  const count = labels.length * series.length
  if (count > width / 2)
    warn(`${name}: ${count} bars in ${width} px are too narrow to distinguish: choose a larger --width, or --kind line`)
}
