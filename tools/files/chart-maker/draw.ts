import { firstOf } from '../../../src/lists.ts'
import { axisChart } from './axis-chart.ts'
import { legend } from './legend.ts'
import { type Point, pieChart } from './pie-chart.ts'
import { type Area, element, THEMES, textElement } from './svg.ts'
import type { ChartTable } from './table.ts'

export interface ChartOptions {
  kind: 'bar' | 'line' | 'pie'
  /** Default light. */
  theme?: keyof typeof THEMES
  title?: string | undefined
  /** Of the image, px. */
  width: number
  height: number
}

const MARGIN = 24
const TITLE = { size: 18, room: 40 }

/** Draws a chart as SVG. */
export function drawChart(
  table: ChartTable,
  { kind, theme = 'light', title = '', width, height }: ChartOptions,
): string {
  const top = title.trim() === '' ? MARGIN : MARGIN + TITLE.room
  const colours = THEMES[theme]
  const area: Area = { left: MARGIN, top, width: width - 2 * MARGIN, height: height - top - MARGIN, colours }
  const chart = kind === 'pie' ? pieChart(pointsOf(table), area) : withLegend(table, kind, area)
  const heading = title.trim()
    ? textElement(title, {
        x: width / 2,
        y: MARGIN + TITLE.size,
        size: TITLE.size,
        anchor: 'middle',
        bold: true,
        fill: colours.ink,
        room: area.width,
      })
    : ''
  const ground = element('rect', { width, height, fill: colours.ground })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${ground}${heading}${chart}</svg>`
}

/** Bars or lines; with a legend if there are several series. */
function withLegend(table: ChartTable, kind: 'bar' | 'line', area: Area): string {
  if (table.series.length === 1) return axisChart(table, kind, area)
  const { markup, rest } = legend(
    table.series.map(({ name }) => name),
    area,
  )
  return axisChart(table, kind, rest) + markup
}

/** The existing values of the first series. */
function pointsOf({ labels, series }: ChartTable): Point[] {
  return firstOf(series).values.flatMap((value, index) =>
    value === undefined ? [] : [{ label: labels[index]!, value }],
  )
}
