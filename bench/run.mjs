// npm run bench [-- NAME…] [--save]: speed relative to other programs, in one run on this machine.
// --save writes the table into bench/README.md.
import { linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { sampleReport } from '../dist/src/generate/assets/sample-documents.js'
import { landscape } from '../dist/src/generate/assets/sample-drawings.js'
import { makeVideo } from './av-cases.mjs'
import { ffmpeg, has, once, race, versionOf } from './measure.mjs'
import { pipelineCases, writePipelines } from './pipeline-cases.mjs'
import { qualityRows } from './quality.mjs'
import { saveBlock } from './save.mjs'
import { median, ratios, withSpread } from './statistics.mjs'
import { verifyRows } from './verify.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const program = ['node', join(here, '..', 'bin', 'mediaproc.js')]
const byHand = ['node', join(here, 'sharp-by-hand.mjs')]
const folder = mkdtempSync(join(tmpdir(), 'mediaproc-bench-'))
const at = (name) => join(folder, name)
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const save = process.argv.includes('--save')
const rounds = Number(process.env.BENCH_ROUNDS) || 7

const im = has('magick') ? ['magick'] : has('convert') ? ['convert'] : undefined
const optional = (present, command) => (present ? command : undefined)

/** A 6 megapixel picture with grain, as a camera JPEG. */
async function makeInputs() {
  const drawn = sharp(Buffer.from(landscape(2725, 2225)))
  await drawn.jpeg({ quality: 92 }).toFile(at('photo.jpg'))
  for (const count of [100, 1000]) {
    mkdirSync(at(`photos-${count}`))
    for (let index = 0; index < count; index += 1)
      linkSync(at('photo.jpg'), join(at(`photos-${count}`), `photo-${index}.jpg`))
  }
  writePipelines(at)
  for (const name of ['a', 'b', 'c', 'd']) writeFileSync(at(`${name}.pdf`), await sampleReport())
  makeVideo(ffmpeg, at('video.mp4'), '1280x720')
}

/** Cases whose rounds take many seconds. */
const LONG = new Set(['100 photos'])

const photos = (count) => Array.from({ length: count }, (_, index) => join(at(`photos-${count}`), `photo-${index}.jpg`))
const list = (count) => {
  writeFileSync(at(`list-${count}.txt`), photos(count).join('\n'))
  return `@${at(`list-${count}.txt`)}`
}

const cases = {
  start: () => ({ mediaproc: [...program, '--version'], 'node -e 0': ['node', '-e', '0'] }),
  help: () => ({ mediaproc: [...program, '--help'], 'node -e 0': ['node', '-e', '0'] }),
  resize: () => ({
    mediaproc: [...program, 'image', 'resize', at('photo.jpg'), '--width', '800', '-o', at('r1.jpg')],
    'bare sharp': [...byHand, 'resize', at('photo.jpg'), at('r2.jpg')],
    vipsthumbnail: optional(has('vipsthumbnail'), [
      'vipsthumbnail',
      at('photo.jpg'),
      '--size',
      '800x',
      '-o',
      `${at('r3.jpg')}[Q=92]`,
    ]),
    ImageMagick: im && [...im, at('photo.jpg'), '-resize', '800', '-quality', '92', at('r4.jpg')],
  }),
  'convert to WebP': () => ({
    mediaproc: [...program, 'image', 'convert', at('photo.jpg'), '--format', 'webp', '-o', at('w1.webp')],
    'bare sharp': [...byHand, 'webp', at('photo.jpg'), at('w2.webp')],
    ImageMagick: im && [...im, at('photo.jpg'), '-quality', '80', at('w3.webp')],
  }),
  'convert to AVIF': () => ({
    mediaproc: [...program, 'image', 'convert', at('photo.jpg'), '--format', 'avif', '-o', at('v1.avif')],
    'bare sharp': [...byHand, 'avif', at('photo.jpg'), at('v2.avif')],
  }),
  compress: () => ({
    mediaproc: [...program, 'image', 'compress', at('photo.jpg'), '-o', at('c1.jpg')],
    'bare sharp': [...byHand, 'compress', at('photo.jpg'), at('c2.jpg')],
    ImageMagick: im && [...im, at('photo.jpg'), '-quality', '80', at('c3.jpg')],
  }),
  '100 photos': () => {
    const lanes = [1, 2, availableParallelism(), availableParallelism() * 2].filter(
      (n, index, all) => all.indexOf(n) === index,
    )
    mkdirSync(at('batch'), { recursive: true })
    return {
      mediaproc: [...program, 'image', 'resize', list(100), '--width', '800', '-d', at('batch'), '--force', '-q'],
      ...Object.fromEntries(
        lanes.map((n) => [
          `bare sharp loop, ${n} at a time`,
          [...byHand, 'batch', at('batch'), String(n), ...photos(100)],
        ]),
      ),
    }
  },
  'PDF merge': () => ({
    mediaproc: [
      ...program,
      'pdf',
      'merge-pdf',
      ...['a', 'b', 'c', 'd'].map((name) => at(`${name}.pdf`)),
      '-o',
      at('m1.pdf'),
    ],
    qpdf: optional(has('qpdf'), [
      'qpdf',
      '--empty',
      '--pages',
      ...['a', 'b', 'c', 'd'].map((name) => at(`${name}.pdf`)),
      '--',
      at('m2.pdf'),
    ]),
  }),
  ...pipelineCases({ program, byHand, ffmpeg, at }),
}

/** Peak memory after 100 and after 1,000 of 1,000 files in one run: it must not grow with the number. */
async function memory() {
  const output = at('out-1000')
  mkdirSync(output, { recursive: true })
  const peaks = []
  const { peak } = await once(
    [...program, 'image', 'resize', list(1000), '--width', '800', '-d', output, '--force', '-q'],
    {
      onPeak: (sofar) => {
        if (peaks.length === 0 && readdirSync(output).length >= 100) peaks.push(sofar)
      },
    },
  )
  return [...peaks, peak]
}

function machine() {
  const lines = [
    `${cpus()[0].model}, ${availableParallelism()} cores, Node ${process.version}, ${process.platform} ${process.arch}`,
    `sharp ${sharp.versions.sharp} (libvips ${sharp.versions.vips})`,
    has('vipsthumbnail') && versionOf('vips'),
    im && versionOf(im[0], ['-version']),
    versionOf(ffmpeg, ['-version']),
    has('qpdf') && versionOf('qpdf'),
  ]
  return lines.filter(Boolean)
}

const rows = []
const note = (line) => {
  rows.push(line)
  console.log(line)
}

try {
  await makeInputs()
  for (const line of machine()) console.log(line)
  note('| work | contender | ms | mediaproc / contender | peak MiB |')
  note('|---|---|---|---|---|')
  for (const [name, contenders] of Object.entries(cases)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    const results = await race(contenders(), LONG.has(name) ? Math.min(3, rounds) : rounds)
    const ours = results.mediaproc.ms
    for (const [who, { ms, peak }] of Object.entries(results))
      note(
        `| ${name} | ${who} | ${withSpread(ms)} | ${who === 'mediaproc' ? '' : median(ratios(ours, ms)).toFixed(2)} | ${peak > 0 ? peak.toFixed(0) : ''} |`,
      )
  }
  if (wanted.length === 0 || wanted.includes('quality'))
    for (const [name, who, psnr] of await qualityRows({ program, ffmpeg, at }))
      note(`| ${name} | ${who} | | PSNR ${psnr.toFixed(2)} dB | |`)
  if (wanted.length === 0 || wanted.includes('verify'))
    for (const [name, who, ms] of await verifyRows({ ffmpeg, at })) note(`| ${name} | ${who} | ${ms.toFixed(3)} | | |`)
  if (wanted.length === 0 || wanted.includes('memory')) {
    const [small, large] = await memory()
    note(`| memory | after file 100 | | | ${small.toFixed(0)} |`)
    note(`| memory | after file 1,000 | | ${(large / small).toFixed(2)} × that after 100 | ${large.toFixed(0)} |`)
  }
  if (save) {
    const lines = machine().map((line) => `- ${line}`)
    saveBlock('table', `${lines.join('\n')}\n\n${rows.join('\n')}`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
