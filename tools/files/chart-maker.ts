import { openSharp } from '../../src/engines/sharp.ts'
import { extensionOf, printableName } from '../../src/media/file.ts'
import { suffixedName } from '../../src/media/naming.ts'
import { readText } from '../../src/media/text-file.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { choice, integer, text } from '../../src/tool/settings.ts'
import { drawChart } from './chart-maker/draw.ts'
import { pointsOfCsv, pointsOfJson } from './chart-maker/points.ts'

export default tool({
  section: 'files',
  id: 'chart-maker',
  summary: 'Draw a bar, line or pie chart from CSV or JSON as PNG',
  input: oneFile('csv', 'tsv', 'json', 'txt'),
  settings: {
    kind: choice(['bar', 'line', 'pie'], 'how values are shown', { default: 'bar' }),
    title: text('what stands above the chart', { maxLength: 120, example: 'Visitors' }),
    width: integer('width of the picture', { short: 'w', default: 960, min: 320, max: 2048, unit: 'px' }),
    height: integer('height of the picture', { short: 'H', default: 540, min: 240, max: 1536, unit: 'px' }),
  },
  output: { kind: 'file', type: { is: 'png' } },
  naming: { suffix: 'chart' },
  engines: ['sharp'],
  timeoutS: 60,
  batch: true,
  examples: [
    { title: 'bars', inputs: ['sales.csv'], settings: { title: 'Sales by month' } },
    { title: 'parts of a whole', inputs: ['sales.csv'], settings: { kind: 'pie' } },
    { title: 'a line', inputs: ['sales.csv'], settings: { kind: 'line', width: 640, height: 360 } },
  ],
  async run(job, settings) {
    const file = job.inputs[0]!
    const shown = printableName(file.name)
    const content = await readText(file)
    const isJson = extensionOf(file.name) === 'json' || file.type.id === 'json'
    const points = isJson ? await pointsOfJson(content, shown) : await pointsOfCsv(content, shown)
    const name = suffixedName(file, 'chart', 'png')
    const path = await job.output(name)
    const image = await openSharp(Buffer.from(drawChart(points, settings)))
    await image.flatten({ background: '#ffffff' }).png().toFile(path)
    return { files: [{ path, name, mime: 'image/png' }] }
  },
})
