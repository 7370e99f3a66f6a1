import { type Area, colorOf, element, textElement, widthOf } from './svg.ts'

const TEXT = { size: 12, least: 7 }
const ROW = 20
const SQUARE = 12
const GAP = 24
/** Largest share of the width that the legend takes. */
const MOST = 0.3

/** The names of the series on the right, each with its colour; the chart gets the remaining area. */
export function legend(names: readonly string[], area: Area): { markup: string; rest: Area } {
  const row = Math.min(ROW, area.height / names.length)
  const size = Math.max(TEXT.least, Math.min(TEXT.size, row * 0.8))
  const square = Math.min(SQUARE, row * 0.7)
  const widest = Math.max(...names.map((name) => widthOf(name, size)))
  const width = Math.min(area.width * MOST, widest + square + 12)
  const left = area.left + area.width - width
  const top = area.top + (area.height - row * names.length) / 2
  const markup = names.map((name, index) => {
    const middle = top + (index + 0.5) * row
    return (
      element('rect', { x: left, y: middle - square / 2, width: square, height: square, rx: 2, fill: colorOf(index) }) +
      textElement(name, {
        x: left + square + 8,
        y: middle + size * 0.35,
        size,
        fill: area.colours.ink,
        room: width - square - 8,
      })
    )
  })
  return { markup: markup.join(''), rest: { ...area, width: area.width - width - GAP } }
}
