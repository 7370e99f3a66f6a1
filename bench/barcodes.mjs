// Compares barcode-read with ZXing-C++ (as WebAssembly, all options) and zbar (`zbarimg`, if installed): codes found, false
// codes, and processor time. The pictures are drawn; --photographs FOLDER adds pictures beside .txt files with their texts.
// node bench/barcodes.mjs [--each N] [--photographs FOLDER] [--save]
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import sharp from 'sharp'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { run as runTool } from '../dist/src/index.js'
import { CONDITIONS, scene } from './barcode-scenes.mjs'
import { saveBlock } from './save.mjs'
import { withSpread } from './statistics.mjs'

const { values: options } = parseArgs({
  options: {
    each: { type: 'string', default: '3' },
    photographs: { type: 'string' },
    save: { type: 'boolean', default: false },
  },
})
const RETAIL = ['ean13', 'upca']
const OTHERS = ['ean8', 'code128', 'code39', 'interleaved2of5', 'qrcode', 'datamatrix', 'pdf417', 'azteccode']
const WITHOUT_CODE = 40

const wasm = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
prepareZXingModule({ overrides: { wasmBinary: readFileSync(wasm) } })
const folder = await mkdtemp(join(tmpdir(), 'mediaproc-barcodes-'))
const path = join(folder, 'picture.png')

async function ours() {
  const { report } = await runTool('image/barcode-read', path, {}, { outputDir: folder, force: true })
  return report.barcodes.map(({ text }) => text)
}

async function zxing() {
  const { data, info } = await sharp(path).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const image = { data: new Uint8ClampedArray(data.buffer), width: info.width, height: info.height, colorSpace: 'srgb' }
  const all = { tryHarder: true, tryRotate: true, tryInvert: true, tryDownscale: true, maxNumberOfSymbols: 255 }
  return (await readBarcodes(image, all)).filter(({ isValid }) => isValid).map(({ text }) => text)
}

/** As XML: texts can have several lines. */
async function zbar() {
  try {
    const { stdout } = await promisify(execFile)('zbarimg', ['-q', '--xml', path])
    return [...stdout.matchAll(/<!\[CDATA\[(.*?)\]\]>/gs)].map(([, text]) => text)
  } catch (error) {
    // 4: nothing found.
    if (error.code === 4) return []
    throw error
  }
}

const hasZbar = await promisify(execFile)('zbarimg', ['--version']).then(
  () => true,
  () => false,
)
const READERS = { mediaproc: ours, 'ZXing-C++': zxing, ...(hasZbar && { zbar }) }

/** A leading zero makes an EAN-13 of a UPC-A; ends of lines of the text files differ. */
const isSame = (read, text) => [text, `0${text}`].includes(read.trim())

/** By set: codes, and for each reader the codes found, the false ones and the processor times in milliseconds. */
const sets = new Map()

/** @param text of the code; undefined: the picture has none */
async function look(set, picture, text) {
  await writeFile(path, picture)
  const fresh = Object.keys(READERS).map((name) => [name, { found: 0, wrong: 0, ms: [] }])
  const row = sets.get(set) ?? { codes: 0, readers: Object.fromEntries(fresh) }
  sets.set(set, row)
  if (text !== undefined) row.codes += 1
  for (const [name, read] of Object.entries(READERS)) {
    const before = process.cpuUsage()
    const texts = await read()
    const { user, system } = process.cpuUsage(before)
    const result = row.readers[name]
    result.ms.push((user + system) / 1000)
    if (text !== undefined && texts.some((one) => isSame(one, text))) result.found += 1
    result.wrong += texts.filter((one) => text === undefined || !isSame(one, text)).length
  }
}

async function drawn(set, symbologies, each) {
  for (const [nth, condition] of Object.keys(CONDITIONS).entries())
    for (const [which, kind] of symbologies.entries())
      for (let count = 0; count < each; count += 1) {
        const { jpeg, text } = await scene(
          kind,
          CONDITIONS[condition],
          1 + (nth * symbologies.length + which) * each + count,
        )
        await look(set, jpeg, text)
      }
}

async function photographs(from) {
  const names = readdirSync(from, { recursive: true }).sort()
  for (const name of names.filter((one) => /\.(?:png|jpe?g)$/i.test(one))) {
    const text = name.replace(/\.\w+$/, '.txt')
    if (names.includes(text))
      await look('photographs', readFileSync(join(from, name)), readFileSync(join(from, text), 'utf8').trim())
  }
}

function table() {
  const names = Object.keys(READERS)
  const head = ['set', 'codes', ...names.map((name) => `${name}: found, false`)]
  // zbar is a process of its own, which the processor time of this one does not contain.
  const timed = names.filter((name) => name !== 'zbar')
  const lines = [...sets].map(([set, { codes, readers }]) => [
    ...[set, codes, ...names.map((name) => `${readers[name].found}, ${readers[name].wrong}`)],
    ...timed.map((name) => withSpread(readers[name].ms)),
  ])
  const rows = [[...head, ...timed.map((name) => `${name}: ms`)], ...lines]
  rows.splice(
    1,
    0,
    rows[0].map(() => '---'),
  )
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

const load = loadavg()[0].toFixed(1)
try {
  // The first look loads WebAssembly and starts the thread.
  await look('first', (await scene('ean13', {}, 0)).jpeg, '')
  sets.clear()
  if (options.photographs) await photographs(options.photographs)
  await drawn('drawn EAN-13, UPC-A', RETAIL, Number(options.each))
  await drawn('drawn, other', OTHERS, 1)
  for (let count = 0; count < WITHOUT_CODE; count += 1)
    await look('without a code', (await scene(undefined, { noise: count % 30 }, 9000 + count)).jpeg, undefined)
  const text = `- ${cpus()[0].model}, ${cpus().length} cores, Node ${process.version}; load at the beginning ${load}\n\n${table()}`
  console.log(text)
  if (options.save) saveBlock('barcodes', text)
} finally {
  await rm(folder, { recursive: true, force: true })
}
