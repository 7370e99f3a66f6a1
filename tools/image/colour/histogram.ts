import { openSharp } from '../../../src/engines/sharp.ts'
import { ImageFrame } from '../../../src/media/image/frame.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice } from '../../../src/tool/settings.ts'
import { drawChart } from './histogram/chart.ts'
import { binsOf, statisticsOf } from './histogram/histogram.ts'

export default imageTool({
  id: 'histogram',
  summary: 'Chart the RGB histogram and report channel statistics',
  settings: {
    scale: choice(['linear', 'log'], 'scale of the vertical axis: the counts, or log(1 + count)', {
      default: 'linear',
    }),
  },
  output: { kind: 'file+report', type: { is: 'png' } },
  examples: [{ title: 'the chart and the figures' }, { title: 'rare tones made visible', settings: { scale: 'log' } }],
  suffix: 'histogram',
  decode: () => ({ firstPage: true }),
  async produce([picture], { scale }) {
    const frame = await picture.open()
    const bins = binsOf(await frame.pixels({ alpha: 'drop' }))
    const chart = await (await openSharp(Buffer.from(drawChart(bins, scale)))).png().toBuffer()
    const drawn = await ImageFrame.fromPng(chart, picture.name)
    return { frame: drawn.withTarget({ format: 'png' }), report: { bins, ...statisticsOf(bins) } }
  },
})
