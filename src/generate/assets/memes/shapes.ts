/** The pen of the drawn templates: flat colours, one dark line, SVG as text. Lengths are pixels of the template. */
export const INK = '#2a2a2e'

const LINE = 5

const pen = (width: number, colour = INK): string =>
  `stroke="${colour}" stroke-width="${width}" stroke-linejoin="round" stroke-linecap="round"`

/** A filled outline; `d` is an SVG path. */
export const shape = (d: string, fill: string, width = LINE): string =>
  `<path d="${d}" fill="${fill}" ${width > 0 ? pen(width) : ''}/>`

/** A line that encloses nothing. */
export const stroke = (d: string, width = LINE, colour = INK): string =>
  `<path d="${d}" fill="none" ${pen(width, colour)}/>`

export const ellipse = (x: number, y: number, across: number, down: number, fill: string, width = LINE): string =>
  `<ellipse cx="${x}" cy="${y}" rx="${across}" ry="${down}" fill="${fill}" ${width > 0 ? pen(width) : ''}/>`

export const circle = (x: number, y: number, radius: number, fill: string, width = LINE): string =>
  ellipse(x, y, radius, radius, fill, width)

export const box = (
  [x, y, width, height]: readonly [number, number, number, number],
  fill: string,
  { round = 0, line = LINE }: { round?: number; line?: number } = {},
): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${round}" fill="${fill}" ${line > 0 ? pen(line) : ''}/>`

/** An arm, a leg, a tail: a thick line with an outline. */
export const limb = (d: string, width: number, fill: string): string =>
  stroke(d, width + 2 * LINE) + stroke(d, width, fill)

/** Parts moved, turned (degrees) and scaled together. */
export const place = (
  parts: string,
  {
    x = 0,
    y = 0,
    scale = 1,
    turn = 0,
    mirror = false,
  }: { x?: number; y?: number; scale?: number; turn?: number; mirror?: boolean },
): string =>
  `<g transform="translate(${x} ${y}) rotate(${turn}) scale(${mirror ? -scale : scale} ${scale})">${parts}</g>`

/** Parts of which only what lies in the rectangle is seen. `name` must be its own in the picture. */
export const within = (name: string, area: readonly [number, number, number, number], parts: string): string =>
  `<clipPath id="${name}">${box(area, '#000', { line: 0 })}</clipPath><g clip-path="url(#${name})">${parts}</g>`

/** Words that belong to the picture itself. */
export const words = (text: string, x: number, y: number, size: number, fill = INK): string =>
  `<text x="${x}" y="${y}" font-family="Anton" font-size="${size}" text-anchor="middle" fill="${fill}">${text}</text>`

/** The whole picture on a ground. */
export const picture = (width: number, height: number, ground: string, ...parts: string[]): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
  `<rect width="${width}" height="${height}" fill="${ground}"/>${parts.join('')}</svg>`
