// `node bench/compress-pdf.mjs FOLDER [SETTING…]`: compress-pdf (default `--quality 58 --dpi 150`, the JPEG quality and
// resolution of /ebook) compared with Ghostscript's /ebook. Needs gs and pdftoppm. SSIM: the worst of the first six pages
// at 100 dpi against the input, over blocks of 8 px that are not blank.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'

const [source, ...given] = process.argv.slice(2)
const settings = given.length > 0 ? given : ['--quality', '58', '--dpi', '150']
const folder = mkdtempSync(join(tmpdir(), 'bench-compress-'))
const program = fileURLToPath(new URL('../bin/mediaproc.js', import.meta.url))
const quiet = { stdio: 'ignore' }

async function pagesOf(file) {
  const pages = join(folder, 'pages')
  rmSync(pages, { recursive: true, force: true })
  mkdirSync(pages)
  execFileSync('pdftoppm', ['-r', '100', '-png', '-l', '6', file, join(pages, 'p')], quiet)
  const names = readdirSync(pages).sort()
  return Promise.all(
    names.map((name) => sharp(join(pages, name)).greyscale().raw().toBuffer({ resolveWithObject: true })),
  )
}

/** SSIM of the block of 8 x 8 px from this index; undefined where both are blank. */
function blockSsim(one, other, at, width) {
  let [a, b, aa, bb, ab] = [0, 0, 0, 0, 0]
  for (let y = 0; y < 8; y += 1)
    for (let x = 0; x < 8; x += 1) {
      const index = at + y * width + x
      a += one[index] / 64
      b += other[index] / 64
      aa += one[index] ** 2 / 64
      bb += other[index] ** 2 / 64
      ab += (one[index] * other[index]) / 64
    }
  const [va, vb] = [aa - a * a, bb - b * b]
  if (va < 1 && vb < 1 && Math.abs(a - b) < 1) return undefined
  return ((2 * a * b + 6.5) * (2 * (ab - a * b) + 58.5)) / ((a * a + b * b + 6.5) * (va + vb + 58.5))
}

function ssim({ data: one, info }, { data: other, info: size }) {
  if (info.width !== size.width || info.height !== size.height) return 0
  const blocks = []
  for (let y = 0; y + 8 <= info.height; y += 4)
    for (let x = 0; x + 8 <= info.width; x += 4) {
      const value = blockSsim(one, other, y * info.width + x, info.width)
      if (value !== undefined) blocks.push(value)
    }
  return blocks.length > 0 ? blocks.reduce((sum, value) => sum + value, 0) / blocks.length : 1
}

async function look(input, output) {
  const pages = await pagesOf(output)
  return Math.min(...input.map((page, index) => ssim(page, pages[index]))).toFixed(4)
}

console.log('| document | input | /ebook: bytes, SSIM | mediaproc: bytes, SSIM |\n|---|---|---|---|')
let count = 0
const names = readdirSync(source).filter((name) => name.endsWith('.pdf'))
for (const name of names) {
  const [input, theirs, ours] = [join(source, name), join(folder, 'gs.pdf'), join(folder, 'ours.pdf')]
  const device = ['-q', '-sDEVICE=pdfwrite', '-dPDFSETTINGS=/ebook', '-dBATCH', '-dNOPAUSE']
  execFileSync('gs', [...device, `-sOutputFile=${theirs}`, input], quiet)
  execFileSync('node', [program, 'pdf', 'compress-pdf', input, ...settings, '-o', ours, '--force', '-q'], quiet)
  const pages = await pagesOf(input)
  const sizes = [input, theirs, ours].map((file) => statSync(file).size)
  count += Number(sizes[2] <= sizes[1])
  console.log(
    `| ${name} | ${sizes[0]} | ${sizes[1]}, ${await look(pages, theirs)} | ${sizes[2]}, ${await look(pages, ours)} |`,
  )
}
console.log(`\n${count} of ${names.length} are at most as large`)
rmSync(folder, { recursive: true })
