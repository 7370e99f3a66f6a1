// Draws the charts of bench/growth.mjs: for each kind of work its time and its memory by size, with linear axes from 0.

const PANEL = { width: 300, height: 220, left: 56, top: 34, right: 30, bottom: 46 }
const COLOURS = { seconds: '#2563eb', peak: '#b45309' }
const TITLES = { seconds: 'seconds', peak: 'MiB, all processes' }

/** A round number not below `value`, with its half as round: the end of an axis. */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 4, 6, 8, 10].map((times) => times * power).find((end) => end >= value)
}

const text = (x, y, words, more = '') => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${words}</text>`

/** One chart at a place of the picture. */
function drawPanel({ name, unit, points }, measure, column, row) {
  const { width, height, left, top, right, bottom } = PANEL
  const [wide, high] = [width - left - right, height - top - bottom]
  const ends = { x: points.at(-1).size, y: roundUp(Math.max(...points.map((point) => point[measure])) * 1.05) }
  const at = (point) => [left + (point.size / ends.x) * wide, top + high - (point[measure] / ends.y) * high]
  const places = points.map(at)
  const line = places.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('')
  const marks = places.map(
    ([x, y]) => `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="3" fill="${COLOURS[measure]}"/>`,
  )
  const parts = [
    text(left, top - 14, `${name}: ${TITLES[measure]}`, 'font-weight="600"'),
    ...[0, 0.5, 1].map((part) => {
      const y = top + high * (1 - part)
      return `<path d="M${left} ${y}h${wide}" stroke="#e5e7eb"/>${text(left - 6, y + 4, (ends.y * part).toLocaleString('en'), 'text-anchor="end"')}`
    }),
    ...[0, 0.5, 1].map((part) =>
      text(left + wide * part, top + high + 16, (ends.x * part).toLocaleString('en'), 'text-anchor="middle"'),
    ),
    text(left + wide / 2, top + high + 34, unit, 'text-anchor="middle"'),
    `<path d="${line}" stroke="${COLOURS[measure]}" stroke-width="2" fill="none"/>${marks.join('')}`,
  ]
  return `<g transform="translate(${column * width} ${row * height})">${parts.join('')}</g>`
}

/** Charts of works side by side, time above memory, as SVG. */
export function drawGrowth(works) {
  const [width, height] = [PANEL.width * works.length, PANEL.height * 2]
  const panels = works.flatMap((work, column) => [
    drawPanel(work, 'seconds', column, 0),
    drawPanel(work, 'peak', column, 1),
  ])
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="Noto Sans, sans-serif" font-size="11" fill="#374151"><title>Time and memory of uploads, videos and batches by size</title><rect width="100%" height="100%" fill="#fff"/>${panels.join('')}</svg>\n`
}
