import { axisChart } from './axis-chart.ts'
import { pieChart } from './pie-chart.ts'
import type { Point } from './points.ts'
import { type Area, element, INK, textElement } from './svg.ts'

export interface ChartWishes {
  kind: 'bar' | 'line' | 'pie'
  title?: string | undefined
  /** Of the picture, px. */
  width: number
  height: number
}

const MARGIN = 24
const TITLE = { size: 18, room: 40 }

/** A chart as SVG, on white. */
export function drawChart(points: readonly Point[], { kind, title = '', width, height }: ChartWishes): string {
  const top = title.trim() === '' ? MARGIN : MARGIN + TITLE.room
  const area: Area = { left: MARGIN, top, width: width - 2 * MARGIN, height: height - top - MARGIN }
  const chart = kind === 'pie' ? pieChart(points, area) : axisChart(points, kind, area)
  const heading = title.trim()
    ? textElement(title, {
        x: width / 2,
        y: MARGIN + TITLE.size,
        size: TITLE.size,
        anchor: 'middle',
        bold: true,
        fill: INK,
        room: area.width,
      })
    : ''
  const ground = element('rect', { width, height, fill: '#ffffff' })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${ground}${heading}${chart}</svg>`
}
