// npm run bench:curves -- PHOTO… : size against similarity of photographs in each format, with our encoders and with the
// defaults of others; writes bench/curves.svg and its table. Requires butteraugli_main and ssimulacra_main
// (libjxl-devtools).
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { runJob } from '../dist/src/job/run.js'
import { openMediaFile } from '../dist/src/media/file.js'
import { decodeImage } from '../dist/src/media/image/decode/decode.js'
import { runnable } from '../dist/src/pipeline/run/run-alone.js'
import { findEntry, loadTool } from '../dist/src/tool/registry.js'
import { checkSettings } from '../dist/src/tool/validate.js'
import { drawCurves } from './draw-curves.mjs'
import { saveBlock } from './save.mjs'

/** Photographs are scaled to this width, which removes the artefacts of earlier encoders. */
const WIDTH = 768
const folder = mkdtempSync(join(tmpdir(), 'mediaproc-bench-curves-'))

async function ours(id, settings, input) {
  const tool = await loadTool(findEntry(`image/${id}`))
  const request = {
    ...{ tool: runnable(tool), inputs: [await openMediaFile(input, 'photo.png')], secondary: {} },
    ...{ settings: checkSettings(tool.settings, settings), destination: folder },
  }
  let bytes
  let name
  await runJob(request, async ({ files }) => {
    bytes = readFileSync(files[0].path)
    name = files[0].name
  })
  return { bytes, name }
}
const convert = (format) => (quality) => (input) => ours('convert', { format, quality }, input)
const compressed = (quality) => async (input) => {
  const jpeg = join(folder, 'best.jpg')
  await sharp(input).jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toFile(jpeg)
  const { bytes } = await ours('optimize-for-web', { format: 'jpeg', quality }, jpeg)
  return { bytes, name: 'photo.jpg' }
}
const bySharp = (extension, apply) => async (input) => ({
  bytes: await apply(sharp(input)).toBuffer(),
  name: `photo.${extension}`,
})
const cjxl = (quality) => async (input) => {
  const output = join(folder, 'cjxl.jxl')
  execFileSync('cjxl', [input, output, '-q', String(quality), '--quiet'], { stdio: 'ignore' })
  return { bytes: readFileSync(output), name: 'photo.jxl' }
}

/** Our encoders, by quality. */
const CURVES = [
  { name: 'JPEG', colour: '#d97706', at: (q) => convert('jpg')(q), qualities: [40, 60, 75, 80, 85, 90, 95] },
  { name: 'JPEG, optimize-for-web', colour: '#b91c1c', at: compressed, qualities: [40, 60, 75, 80, 85, 90, 95] },
  { name: 'WebP', colour: '#059669', at: (q) => convert('webp')(q), qualities: [40, 60, 75, 80, 85, 90, 95] },
  { name: 'AVIF', colour: '#2563eb', at: (q) => convert('avif')(q), qualities: [30, 40, 50, 60, 70, 80, 90, 95] },
  { name: 'JPEG XL', colour: '#7c3aed', at: (q) => convert('jxl')(q), qualities: [40, 60, 75, 80, 85, 90, 95] },
  {
    ...{ name: 'PNG, optimize-for-web', colour: '#6b7280', qualities: [60, 80, 100] },
    at: (quality) => (input) => ours('optimize-for-web', { format: 'png', quality }, input),
  },
]

/** Defaults of others: those of squoosh.app, and those of sharp, which most services use unchanged. */
const POINTS = [
  ['squoosh', 'MozJPEG 75', '#b91c1c', bySharp('jpg', (image) => image.jpeg({ quality: 75, mozjpeg: true }))],
  ['squoosh', 'WebP 75', '#059669', bySharp('webp', (image) => image.webp({ quality: 75, effort: 4 }))],
  [
    'squoosh',
    'AVIF 50',
    '#2563eb',
    bySharp('avif', (image) => image.avif({ quality: 50, effort: 4, chromaSubsampling: '4:2:0' })),
  ],
  ['squoosh', 'JPEG XL 75', '#7c3aed', cjxl(75)],
  ['sharp', 'JPEG 80', '#d97706', bySharp('jpg', (image) => image.jpeg())],
  ['sharp', 'WebP 80', '#059669', bySharp('webp', (image) => image.webp())],
  ['sharp', 'AVIF 50', '#2563eb', bySharp('avif', (image) => image.avif())],
].map(([who, name, colour, make]) => ({ who, name, colour, make }))

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Bits per pixel, and distances: butteraugli's 3-norm and SSIMULACRA, both 0 for identical pictures. */
async function scored(make, reference) {
  const { bytes, name } = await make(reference)
  const [file, back] = [join(folder, `made-${name}`), join(folder, 'back.png')]
  writeFileSync(file, bytes)
  const { data, width, height, channels } = await (await decodeImage(await openMediaFile(file, name))).pixels({
    alpha: 'drop',
  })
  await sharp(data, { raw: { width, height, channels } }).png({ compressionLevel: 1 }).toFile(back)
  // Without messages on standard error: they only say that untagged pictures are treated as sRGB, which is correct.
  const quiet = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }
  const said = execFileSync('butteraugli_main', [reference, back, '--pnorm', '3'], quiet)
  const structure = execFileSync('ssimulacra_main', [reference, back], quiet)
  return {
    bits: (statSync(file).size * 8) / (width * height),
    butteraugli: Number(/3-norm: ([\d.]+)/.exec(said)[1]),
    ssimulacra: Number.parseFloat(structure),
  }
}

/** The mean over all photographs; geometric for sizes, so that one large picture does not dominate. */
async function measured(make, references) {
  const all = []
  for (const reference of references) all.push(await scored(make, reference))
  const of = (kind) => mean(all.map((one) => one[kind]))
  return {
    bits: Math.exp(mean(all.map(({ bits }) => Math.log(bits)))),
    ...{ butteraugli: of('butteraugli'), ssimulacra: of('ssimulacra') },
  }
}

try {
  mkdirSync(folder, { recursive: true })
  const photos = process.argv.slice(2)
  if (photos.length === 0) throw new Error('Name photographs: npm run bench:curves -- PHOTO…')
  const references = []
  for (const [index, photo] of photos.entries()) {
    const { data, width, height, channels } = await (await decodeImage(await openMediaFile(photo, photo))).pixels({
      alpha: 'drop',
    })
    const reference = join(folder, `reference-${index}.png`)
    await sharp(data, { raw: { width, height, channels } }).resize(WIDTH).png().toFile(reference)
    references.push(reference)
  }
  const rows = []
  const addRow = (who, name, found) => {
    rows.push(
      `| ${who} | ${name} | ${found.bits.toFixed(2)} | ${found.butteraugli.toFixed(2)} | ${found.ssimulacra.toFixed(4)} |`,
    )
    console.log(rows.at(-1))
  }
  const curves = []
  for (const { name, colour, at, qualities } of CURVES) {
    const points = []
    for (const quality of qualities) {
      const found = await measured(at(quality), references)
      points.push({ quality, ...found })
      addRow('ours', `${name} ${quality}`, found)
    }
    curves.push({ name, colour, points })
  }
  const others = []
  for (const { who, name, colour, make } of POINTS) {
    const found = await measured(make, references)
    others.push({ who, name, colour, ...found })
    addRow(who, name, found)
  }
  const plain = await measured(
    bySharp('png', (image) => image.png()),
    references,
  )
  addRow('sharp', 'PNG', plain)
  const lossless = await measured(
    (input) => ours('optimize-for-web', { format: 'webp', quality: 100 }, input),
    references,
  )
  addRow('ours', 'WebP 100', lossless)
  writeFileSync(new URL('curves.svg', import.meta.url), drawCurves(curves, others))
  const head = '| by | what | bits per pixel | butteraugli, 3-norm | SSIMULACRA |\n|---|---|---|---|---|'
  saveBlock('curves', `${photos.length} photographs, ${WIDTH} px wide.\n\n${head}\n${rows.join('\n')}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
