// Draws the chart of bench/curves.mjs: bits per pixel on the x axis, distance from the original on the y axis, both
// logarithmic.

const [WIDTH, HEIGHT] = [960, 600]
const FRAME = { left: 70, top: 30, right: 230, bottom: 60 }
const BITS = [0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 6, 8]
const DISTANCES = [0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4]

const between = (value, low, high) => Math.log(value / low) / Math.log(high / low)
const x = (bits) => FRAME.left + between(bits, BITS[0], BITS.at(-1)) * (WIDTH - FRAME.left - FRAME.right)
const y = (distance) =>
  HEIGHT - FRAME.bottom - between(distance, DISTANCES[0], DISTANCES.at(-1)) * (HEIGHT - FRAME.top - FRAME.bottom)
const text = (atX, atY, words, more = '') => `<text x="${atX.toFixed(1)}" y="${atY.toFixed(1)}" ${more}>${words}</text>`

function drawAxes() {
  const [right, bottom] = [WIDTH - FRAME.right, HEIGHT - FRAME.bottom]
  const grid = [
    ...BITS.map((bits) => `M${x(bits)} ${FRAME.top}V${bottom}`),
    ...DISTANCES.map((distance) => `M${FRAME.left} ${y(distance)}H${right}`),
  ]
  return [
    `<path d="${grid.join('')}" stroke="#e5e7eb" fill="none"/>`,
    ...BITS.map((bits) => text(x(bits), bottom + 18, bits, 'text-anchor="middle"')),
    ...DISTANCES.map((distance) => text(FRAME.left - 8, y(distance) + 4, distance, 'text-anchor="end"')),
    text((FRAME.left + right) / 2, HEIGHT - 18, 'bits per pixel (fewer is smaller)', 'text-anchor="middle"'),
    `<g transform="rotate(-90 20 ${HEIGHT / 2})">${text(20, HEIGHT / 2, 'butteraugli, 3-norm (less is more alike)', 'text-anchor="middle"')}</g>`,
  ].join('')
}

function drawCurve({ colour, points }) {
  const path = points
    .map((point, index) => `${index === 0 ? 'M' : 'L'}${x(point.bits)} ${y(point.butteraugli)}`)
    .join('')
  const marks = points.map(
    (point) =>
      `<circle cx="${x(point.bits)}" cy="${y(point.butteraugli)}" r="3" fill="${colour}"/>` +
      text(x(point.bits) + 5, y(point.butteraugli) - 4, point.quality, `font-size="9" fill="${colour}"`),
  )
  return `<path d="${path}" stroke="${colour}" stroke-width="2" fill="none"/>${marks.join('')}`
}

/** squoosh as squares, sharp as diamonds. */
function drawPoint({ who, colour, bits, butteraugli }) {
  const turn = who === 'sharp' ? ` transform="rotate(45 ${x(bits)} ${y(butteraugli)})"` : ''
  return `<rect x="${x(bits) - 5}" y="${y(butteraugli) - 5}" width="10" height="10" fill="#fff" stroke="${colour}" stroke-width="2"${turn}/>`
}

function drawLegend(curves) {
  const left = WIDTH - FRAME.right + 16
  const lines = curves.map(
    ({ name, colour }, index) =>
      `<path d="M${left} ${FRAME.top + 10 + index * 22}h22" stroke="${colour}" stroke-width="3"/>` +
      text(left + 30, FRAME.top + 14 + index * 22, name),
  )
  const below = FRAME.top + 30 + curves.length * 22
  return [
    ...lines,
    `<rect x="${left + 6}" y="${below}" width="10" height="10" fill="#fff" stroke="#374151" stroke-width="2"/>`,
    text(left + 30, below + 9, 'squoosh, its defaults'),
    `<rect x="${left + 6}" y="${below + 22}" width="10" height="10" fill="#fff" stroke="#374151" stroke-width="2" transform="rotate(45 ${left + 11} ${below + 27})"/>`,
    text(left + 30, below + 31, 'sharp, its defaults'),
    text(left, below + 60, 'numbers: quality'),
  ].join('')
}

/** Curves and single points as SVG. */
export function drawCurves(curves, others) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="Noto Sans, sans-serif" font-size="12" fill="#374151"><title>Bits per pixel against distance from the original, of each format by quality</title><rect width="100%" height="100%" fill="#fff"/>${drawAxes()}${curves.map(drawCurve).join('')}${others.map(drawPoint).join('')}${drawLegend(curves)}</svg>\n`
}
