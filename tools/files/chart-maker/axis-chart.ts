import type { Point } from './points.ts'
import { type Area, element, GRID, PALETTE, QUIET, shortNumber, textElement, widthOf } from './svg.ts'

const TEXT_SIZE = 12
/** Part of a slot that its bar fills (catalogue). */
const BAR = 0.8
/** More labels than these are turned, so that they do not meet (catalogue). */
const MAX_LEVEL_LABELS = 8
const TURN = 45
/** Widest label that is shown whole, px. */
const MAX_LABEL = 140
const GAP = 8

/** Round steps of a scale from 0 that ends at or above a value: 1, 2 or 5 times a power of ten. */
export function ticksFor(largest: number): number[] {
  const most = Math.max(largest, 1)
  const rough = most / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) ?? 10) * power
  const count = Math.ceil((most / step) * 0.999999)
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

/** Bars or a line over a scale from 0, with a fine grid. */
export function axisChart(points: readonly Point[], kind: 'bar' | 'line', area: Area): string {
  const ticks = ticksFor(Math.max(...points.map(({ value }) => value)))
  const top = ticks.at(-1)!
  const isTurned = points.length > MAX_LEVEL_LABELS
  const longest = Math.min(MAX_LABEL, Math.max(...points.map(({ label }) => widthOf(label, TEXT_SIZE))))
  const slanted = longest * Math.SQRT1_2
  const scaleWidth = Math.max(
    Math.max(...ticks.map((tick) => widthOf(shortNumber(tick), TEXT_SIZE))) + GAP,
    // The first label reaches out to the left of its bar.
    isTurned ? slanted - area.width / points.length / 2 : 0,
  )
  const labelHeight = isTurned ? slanted + TEXT_SIZE : TEXT_SIZE + GAP
  const plot = {
    ...{ left: area.left + scaleWidth, top: area.top + TEXT_SIZE / 2, width: area.width - scaleWidth },
    height: Math.max(20, area.height - labelHeight - GAP - TEXT_SIZE / 2),
  }
  const slot = plot.width / points.length
  const base = plot.top + plot.height
  const y = (value: number): number => base - (value / top) * plot.height
  const x = (index: number): number => plot.left + (index + 0.5) * slot
  const grid = ticks.map((tick, index) => {
    const at = y(tick)
    const line = { x1: plot.left, y1: at, x2: plot.left + plot.width, y2: at, stroke: index === 0 ? QUIET : GRID }
    const label = { x: plot.left - GAP, y: at + TEXT_SIZE * 0.35, size: TEXT_SIZE, anchor: 'end', fill: QUIET } as const
    return element('line', line) + textElement(shortNumber(tick), label)
  })
  const labels = points.map(({ label }, index) =>
    isTurned
      ? textElement(label, {
          ...{ x: x(index) + TEXT_SIZE * 0.3, y: base + TEXT_SIZE + 2, size: TEXT_SIZE, anchor: 'end', fill: QUIET },
          ...{ turn: -TURN, room: MAX_LABEL },
        })
      : textElement(label, {
          ...{ x: x(index), y: base + TEXT_SIZE + GAP / 2, size: TEXT_SIZE, anchor: 'middle', fill: QUIET },
          room: slot * 0.95,
        }),
  )
  const shapes =
    kind === 'bar'
      ? points.map(({ value }, index) =>
          element('rect', {
            ...{ x: x(index) - (slot * BAR) / 2, y: y(value), width: slot * BAR, height: base - y(value) },
            ...{ fill: PALETTE[index % PALETTE.length]!, rx: Math.min(2, slot * 0.1) },
          }),
        )
      : [
          element('polyline', {
            points: points.map(({ value }, index) => `${x(index).toFixed(2)},${y(value).toFixed(2)}`).join(' '),
            ...{ fill: 'none', stroke: PALETTE[0]!, 'stroke-width': 2.5, 'stroke-linejoin': 'round' },
          }),
          ...points.map(({ value }, index) =>
            element('circle', { cx: x(index), cy: y(value), r: 3.5, fill: PALETTE[0]! }),
          ),
        ]
  return [...grid, ...shapes, ...labels].join('')
}
