// Compares barcode-read with zbar (`zbarimg`, if installed) on drawn photographs of codes: found, false, time.
// node bench/barcodes.mjs [pictures per symbology and condition, default 1] [use every nth of them, default 1]
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { run as runTool } from '../dist/src/index.js'
import { CONDITIONS, scene } from './barcode-scenes.mjs'

const SYMBOLOGIES = [
  'ean13',
  'upca',
  'ean8',
  'code128',
  'code39',
  'interleaved2of5',
  'qrcode',
  'datamatrix',
  'pdf417',
  'azteccode',
]
const NEGATIVES = 40
const [each, step] = [Number(process.argv[2] ?? 1), Number(process.argv[3] ?? 1)]
const folder = await mkdtemp(join(tmpdir(), 'mediaproc-barcodes-'))

/** Result of zbar; undefined if it is not installed. */
async function zbar(path) {
  try {
    return (await promisify(execFile)('zbarimg', ['-q', '--raw', path])).stdout.trim().split('\n')
  } catch (error) {
    return error.code === 4 ? [] : undefined
  }
}

const isSame = (read, text) => read === text || read === `0${text}`
const rows = new Map()
const times = []
const add = (name, key, count = 1) => {
  const row = rows.get(name) ?? { pictures: 0, found: 0, wrong: 0, zbar: 0 }
  row[key] += count
  rows.set(name, row)
}

async function look(kind, condition, seed) {
  const { jpeg, text } = await scene(kind, CONDITIONS[condition] ?? { noise: seed % 30 }, seed)
  const path = join(folder, `${seed}.jpg`)
  await writeFile(path, jpeg)
  const start = performance.now()
  const { report } = await runTool('image/barcode-read', path, {}, { outputDir: folder, force: true })
  times.push(performance.now() - start)
  const texts = report.barcodes.map((one) => one.text)
  for (const name of [kind ?? 'nothing', condition]) {
    add(name, 'pictures')
    if (text && texts.some((one) => isSame(one, text))) add(name, 'found')
    add(name, 'wrong', texts.filter((one) => !text || !isSame(one, text)).length)
    const rival = await zbar(path)
    if (rival && text && rival.some((one) => isSame(one, text))) add(name, 'zbar')
  }
}

try {
  let seed = 0
  for (const condition of Object.keys(CONDITIONS))
    for (const kind of SYMBOLOGIES)
      for (let count = 0; count < each; count += 1) {
        seed += 1
        if (seed % step === 0) await look(kind, condition, seed)
      }
  for (let count = 0; count < NEGATIVES; count += step) await look(undefined, 'no code', 9000 + count)
  console.table(Object.fromEntries(rows))
  times.sort((one, other) => one - other)
  console.log(`median ${Math.round(times[times.length >> 1])} ms, longest ${Math.round(times.at(-1))} ms`)
} finally {
  await rm(folder, { recursive: true, force: true })
}
