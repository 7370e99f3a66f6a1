/** Points from the left and top of the page as displayed. */
export interface Box {
  x0: number
  y0: number
  x1: number
  y1: number
}

export interface Look {
  font: string
  size: number
  bold: boolean
  italic: boolean
  mono: boolean
  /** `#rrggbb` */
  color: string
}

/** Letters of one style on one line. */
export interface Span extends Look, Box {
  text: string
  baseline: number
  underline: boolean
  strike: boolean
  link?: string
  /** The footnote that it marks. */
  note?: Line[]
}

export interface Line extends Box {
  spans: Span[]
  baseline: number
  /** The largest font size on it. */
  size: number
  /** Its index in the page's content. */
  order: number
}

/** A drawn rectangle or line; a thin one is a rule. */
export interface Vector extends Box {
  isStroked: boolean
  color: string
}

/** The text and drawings of a page. */
export interface PageText {
  width: number
  height: number
  /** In content order. */
  lines: Line[]
  vectors: Vector[]
}

/** Whether the centre of a box is inside another box. */
export const isWithin = (inner: Box, { x0, y0, x1, y1 }: Box, room = 0): boolean => {
  const [x, y] = [(inner.x0 + inner.x1) / 2, (inner.y0 + inner.y1) / 2]
  return x >= x0 - room && x <= x1 + room && y >= y0 - room && y <= y1 + room
}

/** The size of most letters of some lines, points. */
export function mainSize(lines: readonly Line[]): number {
  const counts = new Map<number, number>()
  for (const { spans } of lines)
    for (const { size, text } of spans) counts.set(size, (counts.get(size) ?? 0) + text.trim().length)
  const [most] = [...counts].sort(([, one], [, other]) => other - one)
  return most?.[0] ?? lines[0]?.size ?? 0
}

export const lineText = (line: Line): string => line.spans.map(({ text }) => text).join('')
