// `node bench/vectorize.mjs`: black-and-white tracing of ten drawn logos compared with potrace, which must be installed.
// The difference is the symmetric difference from the drawing at eight times the size, in percent of its area.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { run } from '../dist/src/index.js'
import { LOGOS, SIDE } from './vectorize-logos.mjs'

/** The drawing is rendered at this multiple of the logo's size. */
const ZOOM = 8
const LARGE = SIDE * ZOOM

async function render(svg) {
  const picture = sharp(Buffer.from(svg), { density: 72 * ZOOM, limitInputPixels: false, unlimited: true })
  return picture
    .resize(LARGE, LARGE, { kernel: 'nearest' })
    .flatten({ background: '#fff' })
    .greyscale()
    .raw()
    .toBuffer()
}

/** Means of ZOOM × ZOOM samples: anti-aliased as by an exact renderer. */
function reduced(large) {
  const out = Buffer.alloc(SIDE * SIDE)
  for (let y = 0; y < SIDE; y += 1)
    for (let x = 0; x < SIDE; x += 1) {
      let sum = 0
      for (let row = 0; row < ZOOM; row += 1)
        for (let column = 0; column < ZOOM; column += 1) sum += large[(y * ZOOM + row) * LARGE + x * ZOOM + column]
      out[y * SIDE + x] = Math.round(sum / ZOOM ** 2)
    }
  return out
}

function differencePercent(drawing, traced) {
  let area = 0
  let differing = 0
  for (let index = 0; index < drawing.length; index += 1) {
    const isBlack = drawing[index] < 128
    area += Number(isBlack)
    differing += Number(isBlack !== traced[index] < 128)
  }
  return (100 * differing) / area
}

const RAW = { raw: { width: SIDE, height: SIDE, channels: 1 } }
const folder = mkdtempSync(join(tmpdir(), 'bench-vectorize-'))

function byPotrace(grey) {
  const [input, output] = ['in.pgm', 'out.svg'].map((name) => join(folder, name))
  writeFileSync(input, Buffer.concat([Buffer.from(`P5\n${SIDE} ${SIDE}\n255\n`), grey]))
  execFileSync('potrace', ['-s', '-k', '0.5', '-t', '4', '-o', output, input])
  return readFileSync(output, 'utf8')
}

async function byMediaproc(grey) {
  const png = await sharp(grey, RAW).png().toBuffer()
  const { outputs } = await run('image/vectorize', { name: 'logo.png', data: png })
  return Buffer.from(outputs[0].data).toString('utf8')
}

/** Both programs' sizes in units of their own: the drawings fill the same square. */
const squared = (svg) => svg.replace(/(<svg[^>]*?) width="[^"]*" height="[^"]*"/, `$1 width="${SIDE}" height="${SIDE}"`)

try {
  console.log('| logo | pixels | bytes | bytes / potrace | difference | potrace |\n|---|---|---|---|---|---|')
  for (const [name, svg] of Object.entries(LOGOS)) {
    const drawing = await render(svg)
    const smooth = reduced(drawing)
    const jpeg = await sharp(smooth, RAW).jpeg({ quality: 85 }).toBuffer()
    const kinds = {
      'anti-aliased': smooth,
      JPEG: await sharp(jpeg).greyscale().raw().toBuffer(),
      'hard-edged': Buffer.from(smooth.map((value) => (value < 128 ? 0 : 255))),
    }
    for (const [kind, grey] of Object.entries(kinds)) {
      const [own, rival] = [await byMediaproc(grey), byPotrace(grey)]
      const [ownDifference, rivalDifference] = await Promise.all(
        [own, rival].map(async (drawn) => differencePercent(drawing, await render(squared(drawn))).toFixed(2)),
      )
      const ratio = (own.length / rival.length).toFixed(2)
      console.log(`| ${name} | ${kind} | ${own.length} | ${ratio} | ${ownDifference} | ${rivalDifference} |`)
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
