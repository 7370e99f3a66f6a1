// npm run bench:models [-- MODEL…] [--save]: compares our model runs with a bare onnxruntime session on the same
// weights and tensors, mattes of 20 pictures with a hand-written loop, and jobs over HTTP on one and two processes.
// Uses the installed models. --save writes the table into bench/README.md.
import { execFile, spawn } from 'node:child_process'
import { once as onceHeard } from 'node:events'
import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { portrait } from '../dist/src/generate/assets/sample-drawings.js'
import { run as runTool } from '../dist/src/index.js'
import { findRuntime } from '../dist/src/models/runtime.js'
import { installedModel } from '../dist/src/models/store/installed.js'
import { storeFolder } from '../dist/src/models/store/store-folder.js'
import { once } from './measure.mjs'
import { saveBlock } from './save.mjs'
import { median, ratios, withSpread } from './statistics.mjs'

const run = promisify(execFile)
const here = fileURLToPath(new URL('.', import.meta.url))
const byHand = join(here, 'model-by-hand.mjs')
const program = join(here, '..', 'bin', 'mediaproc.js')
const folder = mkdtempSync(join(tmpdir(), 'mediaproc-bench-models-'))
const ROUNDS = Number(process.env.BENCH_ROUNDS) || 3
const PICTURES = 20
const REQUESTS = 8

/** Input tensors as the tools provide them, and the number of runs per process. */
const CASES = {
  'isnet-fp16': { shape: '1x3x1024x1024', runs: 3, isLarge: true },
  'isnet-quint8': { shape: '1x3x1024x1024', runs: 3, isLarge: true },
  'rdn-x2': { shape: '1x3x256x256', runs: 3 },
  'yunet-2023mar': { shape: '1x3x640x640', runs: 20 },
}
/** Phases of remove-background, by its progress messages. */
const PARTS = {
  'reading and decoding': 'opening the file',
  'finding the subject': 'decoding, squeezing to 1024 px, planes, and the run',
  refining: 'matte at full size, cutting out',
  encoding: 'encoding as PNG',
}
const MATTES = ['isnet-fp16', 'isnet-quint8']

const rows = []
function row(...cells) {
  rows.push(cells)
  console.log(cells.join(' | '))
}
const whole = (value) => Math.round(value).toString()

/** The cells of a contender, with the ratios to the baseline's rounds. */
const measured = (rounds, baseline) =>
  ['cpuMs', 'ms', 'peakMb'].map((what) => {
    const own = rounds.map((one) => one[what])
    if (baseline === undefined) return withSpread(own)
    const against = ratios(
      own,
      baseline.map((one) => one[what]),
    )
    return `${withSpread(own)}; ${median(against).toFixed(2)} ×`
  })

const graphOf = async (id) => {
  const files = [...((await installedModel(id))?.files.values() ?? [])]
  return files.find((path) => path.endsWith('.onnx'))
}

async function contender(...args) {
  const { stdout } = await run(process.execPath, [byHand, ...args], { maxBuffer: 1e8 })
  return JSON.parse(stdout)
}

const SESSIONS = { bare: 'bare session', givenBack: 'bare session that keeps no memory', ours: 'mediaproc' }

/** The run itself, alternating, each time in new processes. */
async function raceRuns(id, { shape, runs, isLarge }) {
  const model = await graphOf(id)
  if (!model) return
  const contenders = isLarge ? ['bare', 'givenBack', 'ours'] : ['bare', 'ours']
  const results = Object.fromEntries(contenders.map((who) => [who, []]))
  for (let round = 0; round < ROUNDS; round += 1)
    for (const who of contenders) results[who].push(await contender(who, id, model, shape, String(runs)))
  const sums = new Set(contenders.map((who) => results[who][0].sum))
  if (sums.size > 1) throw new Error(`${id}: two answers to the same tensors`)
  for (const who of contenders)
    row(`${id}, the run itself`, SESSIONS[who], ...measured(results[who], who === 'bare' ? undefined : results.bare))
}

/** Phases of a tool around the run: start times from its progress, for the second and later pictures. */
async function namedParts(id, files) {
  const parts = {}
  for (const [index, file] of files.entries()) {
    const reported = []
    const note = (phase) => reported.push({ phase, at: performance.now(), cpu: process.cpuUsage() })
    note('reading and decoding')
    const onProgress = (_fraction, phase) => {
      if (reported.at(-1).phase !== phase && phase !== 'reading') note(phase)
    }
    await runTool(
      'image/remove-background',
      file,
      { model: id },
      { outputDir: join(folder, 'parts'), force: true, onProgress },
    )
    note('end')
    if (index === 0) continue
    for (const [at, { phase, cpu, at: from }] of reported.slice(0, -1).entries()) {
      const next = reported[at + 1]
      const used = next.cpu.user + next.cpu.system - cpu.user - cpu.system
      parts[phase] ??= { ms: [], cpuMs: [] }
      parts[phase].ms.push(next.at - from)
      parts[phase].cpuMs.push(used / 1000)
    }
  }
  for (const [phase, { ms, cpuMs }] of Object.entries(parts))
    row(`${id}, remove-background: ${PARTS[phase] ?? phase}`, 'mediaproc', withSpread(cpuMs), withSpread(ms), '')
}

async function raceBatch(id, files) {
  const model = await graphOf(id)
  const out = (name) => {
    mkdirSync(join(folder, name), { recursive: true })
    return join(folder, name)
  }
  const list = (count) => {
    writeFileSync(join(folder, `list-${count}.txt`), files.slice(0, count).join('\n'))
    return `@${join(folder, `list-${count}.txt`)}`
  }
  for (const count of [1, PICTURES]) {
    const options = ['--model', id, '-d', out(`ours-${count}`), '--force']
    const commands = {
      bare: ['node', byHand, 'mattes', model, out(`bare-${count}`), ...files.slice(0, count)],
      ours: ['node', program, 'image', 'remove-background', list(count), ...options],
    }
    const results = { bare: [], ours: [] }
    for (let round = 0; round < ROUNDS; round += 1)
      for (const who of ['bare', 'ours']) {
        const { cpuMs, ms, peak } = await once(commands[who])
        results[who].push({ cpuMs, ms, peakMb: peak })
      }
    const what = `${id}, ${count === 1 ? 'one picture' : `${count} pictures`}, whole process`
    row(what, 'loop by hand', ...measured(results.bare))
    row(what, 'mediaproc', ...measured(results.ours, results.bare))
  }
}

const childrenOf = (pid) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
const statusOf = (pid, what) =>
  Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
const ticks = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/**
 * Jobs over HTTP from two clients, after warm-up jobs that load the models. One slot of the pool is reserved for light
 * jobs.
 */
async function serve(id, file, processes) {
  const environment = {
    ...process.env,
    AUTH_ENABLED: 'false',
    RATE_LIMIT_PER_MIN: '0',
    LOG_LEVEL: 'silent',
    SYNC_WAIT_MS: '600000',
  }
  const args = [program, 'serve', '--port', '0', '--data', join(folder, `data-${processes}`)]
  const server = spawn(process.execPath, args, {
    env: { ...environment, MEDIAPROC_MODELS: storeFolder(), CONCURRENT_JOBS: String(processes) },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    const [line] = await onceHeard(server.stdout, 'data')
    const base = line.toString().trim().split('\n')[0]
    const job = async () => {
      const form = new FormData()
      form.set('file', new Blob([readFileSync(file)]), 'a.jpg')
      form.set('settings', JSON.stringify({ model: id }))
      const answer = await fetch(`${base}/api/v1/tools/image/remove-background`, { method: 'POST', body: form })
      const { jobId } = await answer.json()
      const progress = await fetch(`${base}/api/v1/jobs/${jobId}/progress`)
      if (!(await progress.text()).includes('complete')) throw new Error(`${jobId} failed`)
    }
    await Promise.all(Array.from({ length: processes }, job))
    const cpu = () => childrenOf(server.pid).reduce((sum, pid) => sum + ticks(pid), 0)
    const [from, used] = [performance.now(), cpu()]
    let left = REQUESTS
    const client = async () => {
      while (left-- > 0) await job()
    }
    await Promise.all([client(), client()])
    const [ms, cpuMs] = [(performance.now() - from) / REQUESTS, (cpu() - used) / REQUESTS]
    const peaks = childrenOf(server.pid).map((pid) => statusOf(pid, 'VmHWM'))
    const what = `${id}, HTTP, two clients, each picture`
    row(what, `${processes} processes`, whole(cpuMs), whole(ms), peaks.map(whole).join(' + '))
  } finally {
    server.kill('SIGTERM')
    await onceHeard(server, 'exit')
  }
}

try {
  const load = loadavg()[0].toFixed(1)
  const drawn = await sharp(Buffer.from(portrait(1200, 1600)))
    .flatten({ background: '#fff' })
    .jpeg({ quality: 92 })
    .toBuffer()
  mkdirSync(join(folder, 'pictures'))
  writeFileSync(join(folder, 'pictures', '0.jpg'), drawn)
  for (let index = 1; index < PICTURES; index += 1)
    linkSync(join(folder, 'pictures', '0.jpg'), join(folder, 'pictures', `${index}.jpg`))
  const files = readdirSync(join(folder, 'pictures')).map((name) => join(folder, 'pictures', name))
  const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
  for (const [id, one] of Object.entries(CASES)) if (wanted.length === 0 || wanted.includes(id)) await raceRuns(id, one)
  const installed = await Promise.all(MATTES.map(graphOf))
  const id = MATTES[installed.findIndex(Boolean)]
  if (id) {
    await namedParts(id, files.slice(0, 4))
    await raceBatch(id, files)
    for (const processes of [2, 3]) await serve(id, files[0], processes)
  } else console.log('mediaproc models install isnet-fp16 brings what the rest of the table needs')
  if (process.argv.includes('--save')) {
    const { version } = await findRuntime()
    const about = `- ${cpus()[0].model}, ${cpus().length} cores, Node ${process.version}, onnxruntime-node ${version}; load ${load} at the beginning, ${loadavg()[0].toFixed(1)} at the end`
    const head = '| work | by | processor ms | wall ms | peak MiB |\n|---|---|---|---|---|'
    saveBlock('models', `${about}\n\n${head}\n${rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)
