import { type Area, element, PALETTE, shortNumber, textElement, widthOf, wrapped } from './svg.ts'

export interface Point {
  label: string
  value: number
}

const TEXT_SIZE = 12
const ROW = 20
/** Lines of one name, and px between them. */
const MAX_NAME = 3
const LEADING = 14
const GAP = 24
/** The legend's share of the width. */
const LEGEND = 0.38

/** Slices clockwise from 12 o'clock, with a legend on the right. A total of 0 has no slices. */
export function pieChart(points: readonly Point[], area: Area): string {
  const total = points.reduce((sum, { value }) => sum + value, 0)
  const legendWidth = area.width * LEGEND
  const radius = Math.max(10, Math.min(area.width - legendWidth - GAP, area.height) / 2)
  const [cx, cy] = [area.left + (area.width - legendWidth - GAP) / 2, area.top + area.height / 2]
  const at = (part: number): string => {
    const angle = part * 2 * Math.PI
    return `${(cx + radius * Math.sin(angle)).toFixed(2)} ${(cy - radius * Math.cos(angle)).toFixed(2)}`
  }
  let from = 0
  const slices = points.map(({ value }, index) => {
    const fill = PALETTE[index % PALETTE.length]!
    const part = total === 0 ? 0 : value / total
    const [start, end] = [from, from + part]
    from = end
    if (part === 0) return ''
    // An arc that ends where it begins would be empty.
    if (part > 0.99999) return element('circle', { cx, cy, r: radius, fill })
    const arc = `M${cx.toFixed(2)} ${cy.toFixed(2)}L${at(start)}A${radius} ${radius} 0 ${part > 0.5 ? 1 : 0} 1 ${at(end)}Z`
    return element('path', { d: arc, fill, stroke: area.colours.ground, 'stroke-width': 1 })
  })
  return slices.join('') + legend(points, total, area, legendWidth)
}

function legend(points: readonly Point[], total: number, area: Area, width: number): string {
  const texts = points.map(({ label, value }) => {
    const share = total === 0 ? '' : ` (${Number(((value / total) * 100).toFixed(1))} %)`
    const figures = `${shortNumber(value)}${share}`
    const room = width - 20 - widthOf(figures, TEXT_SIZE) - 12
    return { figures, room, label, names: wrapped(label, TEXT_SIZE, room, MAX_NAME) }
  })
  const tall = Math.max(ROW, Math.max(...texts.map(({ names }) => names.length)) * LEADING + 6)
  // Long names take several lines if all slices keep their row.
  const isTall = tall * points.length <= area.height
  const row = isTall ? tall : ROW
  const rows = Math.max(1, Math.floor(area.height / row))
  // If there is no room for all, the last row gives the number of omitted ones.
  const shown = texts.length <= rows ? texts : texts.slice(0, rows - 1)
  const left = area.left + area.width - width
  const height = Math.min(points.length, rows) * row
  const top = area.top + (area.height - height) / 2
  const y = (index: number): number => top + index * row + row / 2
  const lines = shown.map(({ label, figures, room, names }, index) => {
    const own = isTall ? names : [label]
    const first = y(index) + 4 - ((own.length - 1) * LEADING) / 2
    const look = { x: left + 20, size: TEXT_SIZE, fill: area.colours.ink, room }
    const fill = PALETTE[index % PALETTE.length]!
    return [
      element('rect', { x: left, y: y(index) - 6, width: 12, height: 12, rx: 2, fill }),
      ...own.map((line, at) => textElement(line, { ...look, y: first + at * LEADING })),
      textElement(figures, {
        ...{ x: left + width, y: y(index) + 4, size: TEXT_SIZE },
        ...{ fill: area.colours.quiet, anchor: 'end' },
      }),
    ].join('')
  })
  const rest = points.length - shown.length
  const look = { x: left + 20, y: y(shown.length) + 4, size: TEXT_SIZE, fill: area.colours.quiet }
  const more = rest > 0 ? textElement(`… and ${rest} more`, look) : ''
  return lines.join('') + more
}
