import { firstOf, lastOf } from '../../../src/lists.ts'
import { ticksFor, tickText } from './scale.ts'
import { type Area, colorOf, element, textElement, widthOf, wrapped } from './svg.ts'
import type { ChartTable, Series } from './table.ts'

const TEXT_SIZE = 12
/** The share of a slot that its bars fill (catalogue). */
const BAR = 0.8
/** More labels than this are rotated so that they do not overlap (catalogue). */
const MAX_LEVEL_LABELS = 8
/** Longer labels continue on lines below; px between them. */
const MAX_ROWS = 4
/** In narrower slots, px, labels that do not fit are rotated instead of shortened. */
const LEAST_ROOM = 60
const LEADING = 15
const TURN = 45
/** Widest label shown in full, px. */
const MAX_LABEL = 140
/** Rotated labels closer than this would overlap, px: some are omitted. */
const LABEL_STEP = 15
const GAP = 8
/** From this number of series on, lines are also dashed, as their colours are darker shades of the first. */
const DASHED_FROM = 10

interface Plot extends Area {
  slot: number
  x(index: number): number
  y(value: number): number
}

/** Bars or lines over a scale that includes 0, with a fine grid. */
export function axisChart({ labels, series, unit }: ChartTable, kind: 'bar' | 'line', area: Area): string {
  const all = series.flatMap(({ values }) => values.filter((value) => value !== undefined))
  const ticks = ticksFor(Math.max(...all), Math.min(...all))
  const widest = Math.max(...labels.map((label) => widthOf(label, TEXT_SIZE)))
  const scaleText = Math.max(...ticks.map((tick) => widthOf(tickText(tick, unit), TEXT_SIZE))) + GAP
  const room = ((area.width - scaleText) / labels.length) * 0.95
  const rows = labels.map((label) => wrapped(label, TEXT_SIZE, room, MAX_ROWS))
  const fits = rows.every((lines) => lines.every((line) => widthOf(line, TEXT_SIZE) <= room))
  const isTurned = labels.length > MAX_LEVEL_LABELS || (!fits && room < LEAST_ROOM)
  const most = Math.max(...rows.map((lines) => lines.length))
  const slanted = Math.min(MAX_LABEL, widest) * Math.SQRT1_2
  // The first label extends to the left of its slot.
  const scaleWidth = Math.max(scaleText, isTurned ? slanted - area.width / labels.length / 2 : 0)
  const labelHeight = isTurned ? slanted + TEXT_SIZE : (most - 1) * LEADING + TEXT_SIZE + GAP
  const plot = plotIn(area, { scaleWidth, labelHeight, count: labels.length, ticks })
  const grid = ticks.map((tick) => {
    const at = plot.y(tick)
    const line = {
      x1: plot.left,
      y1: at,
      x2: plot.left + plot.width,
      y2: at,
      stroke: tick === 0 ? area.colours.quiet : area.colours.grid,
    }
    const label = {
      x: plot.left - GAP,
      y: at + TEXT_SIZE * 0.35,
      size: TEXT_SIZE,
      anchor: 'end',
      fill: area.colours.quiet,
    } as const
    return element('line', line) + textElement(tickText(tick, unit), label)
  })
  const shapes = kind === 'bar' ? bars(series, plot) : series.map((one, index) => line(one, index, plot))
  return [...grid, ...shapes, ...labelElements(labels, rows, plot, isTurned)].join('')
}

function plotIn(
  area: Area,
  {
    scaleWidth,
    labelHeight,
    count,
    ticks,
  }: { scaleWidth: number; labelHeight: number; count: number; ticks: number[] },
): Plot {
  const left = area.left + scaleWidth
  const top = area.top + TEXT_SIZE / 2
  const width = area.width - scaleWidth
  const height = Math.max(20, area.height - labelHeight - GAP - TEXT_SIZE / 2)
  const [lowest, highest] = [firstOf(ticks), lastOf(ticks)]
  const slot = width / count
  return {
    ...{ left, top, width, height, slot, colours: area.colours },
    x: (index) => left + (index + 0.5) * slot,
    y: (value) => top + height - ((value - lowest) / (highest - lowest)) * height,
  }
}

/** Grouped bars, one per series; the bars of a single series have a colour each (catalogue). */
function bars(series: readonly Series[], plot: Plot): string[] {
  const width = (plot.slot * BAR) / series.length
  return series.flatMap(({ values }, place) =>
    values.map((value, index) => {
      if (value === undefined) return ''
      const [zero, end] = [plot.y(0), plot.y(value)]
      return element('rect', {
        ...{ x: plot.x(index) - (plot.slot * BAR) / 2 + place * width, y: Math.min(zero, end), width },
        ...{
          height: Math.abs(zero - end),
          fill: colorOf(series.length === 1 ? index % 10 : place),
          rx: Math.min(2, width * 0.1),
        },
      })
    }),
  )
}

/** A line with a dot for each value, interrupted at gaps. */
function line({ values }: Series, place: number, plot: Plot): string {
  const stroke = colorOf(place)
  const runs: string[][] = [[]]
  for (const [index, value] of values.entries()) {
    if (value === undefined) runs.push([])
    else lastOf(runs).push(`${plot.x(index).toFixed(2)},${plot.y(value).toFixed(2)}`)
  }
  const r = Math.min(3.5, Math.max(1.5, plot.slot / 5))
  const dash: Record<string, string> = place >= DASHED_FROM ? { 'stroke-dasharray': '7 4' } : {}
  const look = { fill: 'none', stroke, 'stroke-width': 2.5, 'stroke-linejoin': 'round', ...dash }
  const lines = runs
    .filter((run) => run.length > 1)
    .map((run) => element('polyline', { points: run.join(' '), ...look }))
  const dots = values.map((value, index) =>
    value === undefined ? '' : element('circle', { cx: plot.x(index), cy: plot.y(value), r, fill: stroke }),
  )
  return [...lines, ...dots].join('')
}

function labelElements(
  labels: readonly string[],
  rows: readonly (readonly string[])[],
  plot: Plot,
  isTurned: boolean,
): string[] {
  const base = plot.top + plot.height
  const step = isTurned ? Math.ceil(LABEL_STEP / plot.slot) : 1
  return labels.map((label, index) => {
    if (index % step !== 0) return ''
    const look = { size: TEXT_SIZE, fill: plot.colours.quiet } as const
    return isTurned
      ? textElement(label, {
          ...{ x: plot.x(index) + TEXT_SIZE * 0.3, y: base + TEXT_SIZE + 2, anchor: 'end' },
          ...{ ...look, turn: -TURN, room: MAX_LABEL },
        })
      : (rows[index] ?? [label])
          .map((line, row) =>
            textElement(line, {
              ...look,
              x: plot.x(index),
              y: base + TEXT_SIZE + GAP / 2 + row * LEADING,
              anchor: 'middle',
              room: plot.slot * 0.95,
            }),
          )
          .join('')
  })
}
