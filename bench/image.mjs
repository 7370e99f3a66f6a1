// npm run bench:image [-- TOOL…] [--save]: every image tool on a 12 megapixel photograph, alternating with hand-written
// sharp code in one process: the overhead of the tools over the engine, without the start of Node.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { landscape } from '../dist/src/generate/assets/sample-drawings.js'
import { runJob } from '../dist/src/job/run.js'
import { openMediaFile } from '../dist/src/media/file.js'
import { runnable } from '../dist/src/pipeline/run/run-alone.js'
import { findEntry, loadTool } from '../dist/src/tool/registry.js'
import { checkSettings } from '../dist/src/tool/validate.js'
import { BY_HAND } from './image-by-hand.mjs'
import { saveBlock } from './save.mjs'
import { median, ratios, withSpread } from './statistics.mjs'

const ROUNDS = Number(process.env.BENCH_ROUNDS) || 5
const folder = mkdtempSync(join(tmpdir(), 'mediaproc-bench-image-'))
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))

/** A photograph with grain, as a camera JPEG, and a small logo. */
async function makeInputs() {
  const size = { width: 4000, height: 3000 }
  const noise = {
    create: { ...size, channels: 3, background: '#808080', noise: { type: 'gaussian', mean: 128, sigma: 12 } },
  }
  const grain = await sharp(noise).png({ compressionLevel: 0 }).toBuffer()
  await sharp(Buffer.from(landscape(4000, 3000)))
    .composite([{ input: grain, blend: 'soft-light' }])
    .removeAlpha()
    .jpeg({ quality: 92 })
    .toFile(join(folder, 'photo.jpg'))
  await sharp(join(folder, 'photo.jpg')).resize(600).png().toFile(join(folder, 'logo.png'))
}

async function ours(tool, settings, { inputs = ['photo.jpg'], secondary = {} }, round) {
  const open = (name) => openMediaFile(join(folder, name), name)
  const files = await Promise.all(inputs.map(open))
  const further = {}
  for (const [name, file] of Object.entries(secondary)) further[name] = await open(file)
  const destination = join(folder, `${tool.id}-${round}`)
  mkdirSync(destination, { recursive: true })
  const request = { tool: runnable(tool), inputs: files, secondary: further, settings, destination }
  return timed(() => runJob(request, async () => undefined))
}

const theirs = (work) => timed(() => work(join(folder, 'photo.jpg'), join(folder, 'by-hand'), folder))

/** Milliseconds, and the processor time of this process, which other load on the machine affects less. */
async function timed(work) {
  const [begun, used] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(used)
  return { wall: performance.now() - begun, processor: (user + system) / 1000 }
}

try {
  await makeInputs()
  sharp.cache(false)
  const rows = []
  for (const { id, settings = {}, rival, work, ...rest } of BY_HAND) {
    if (wanted.length > 0 && !wanted.includes(id)) continue
    const tool = await loadTool(findEntry(`image/${id}`))
    const values = checkSettings(tool.settings, settings)
    const times = { ours: [], theirs: [] }
    for (let round = 0; round <= ROUNDS; round += 1) {
      const [a, b] = [await ours(tool, values, rest, round), await theirs(work)]
      if (round > 0) {
        times.ours.push(a)
        times.theirs.push(b)
      }
    }
    const cells = ['wall', 'processor'].map((kind) => {
      const [own, byHand] = [times.ours, times.theirs].map((runs) => runs.map((run) => run[kind]))
      return `${withSpread(own)} | ${withSpread(byHand)} | ${median(ratios(own, byHand)).toFixed(2)}`
    })
    const said = Object.keys(settings).length > 0 ? ` ${JSON.stringify(settings)}` : ''
    rows.push(`| ${id}${said} | ${rival} | ${cells.join(' | ')} |`)
    console.log(rows.at(-1))
  }
  const head =
    '| tool | by hand | ms | by hand | ratio | processor ms | by hand | ratio |\n|---|---|---|---|---|---|---|---|'
  const machine = `${cpus()[0].model}, ${availableParallelism()} cores, Node ${process.version}, libvips ${sharp.versions.vips}.`
  if (process.argv.includes('--save')) saveBlock('image', `${machine}\n\n${head}\n${rows.join('\n')}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
