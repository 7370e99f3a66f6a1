// node bench/growth.mjs [NAME…] [--save]: time and memory while an upload, a video and a batch grow, at a server and at the
// shell. Time must grow in proportion, and memory stay flat. --save draws bench/growth.svg and writes the table of
// bench/README.md.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { drawGrowth } from './draw-growth.mjs'
import { ffmpeg } from './measure.mjs'
import { childrenOf, residentMb } from './rates.mjs'
import { saveBlock } from './save.mjs'

const folder = mkdtempSync(join(tmpdir(), 'mediaproc-bench-growth-'))
const MB = 1_000_000
const BOUNDARY = 'growth'
/** Most files of a batch at the shell: BENCH_FILES=10000 for a shorter run. */
const MOST_FILES = Number(process.env.BENCH_FILES) || 100_000
const PROGRAM = fileURLToPath(new URL('../bin/mediaproc.js', import.meta.url))
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))

/** A server in its own folder: what an earlier case left in memory would be counted for the next. */
async function startServer() {
  const args = ['serve', '--port', '0', '--host', '127.0.0.1', '--data', mkdtempSync(join(folder, 'data-'))]
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: {
      ...process.env,
      AUTH_ENABLED: 'false',
      RATE_LIMIT_PER_MIN: '0',
      LOG_LEVEL: 'warn',
      MAX_UPLOAD_SIZE_MB: '3000',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [line] = await once(child.stdout, 'data')
  return { child, base: line.toString().trim().split('\n')[0] }
}

/** Resident memory of a process and of all that it started, in MiB. */
function residentOfTree(pid) {
  try {
    return childrenOf(pid).reduce((sum, child) => sum + residentOfTree(child), residentMb(pid))
  } catch {
    // It has ended.
    return 0
  }
}

/** Sends a form whose parts are generated while they are sent; the answer is read to its end, and its bytes are counted. */
async function sendForm(url, parts) {
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
  const sending = request(url, { method: 'POST', headers })
  const answered = once(sending, 'response')
  for await (const chunk of parts) if (!sending.write(chunk)) await once(sending, 'drain')
  sending.end()
  const [answer] = await answered
  const json = answer.headers['content-type']?.startsWith('application/json') ? [] : undefined
  let bytes = 0
  for await (const chunk of answer) {
    bytes += chunk.length
    json?.push(chunk)
  }
  const body = json && JSON.parse(Buffer.concat(json).toString())
  if (answer.statusCode >= 300) throw new Error(`${url}: ${answer.statusCode} ${JSON.stringify(body)}`)
  return { bytes, body }
}

const fileHead = (filename) =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="${filename}"\r\n\r\n`
const field = (name, value) =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${JSON.stringify(value)}\r\n`
const END = `--${BOUNDARY}--\r\n`

async function* formOfFile(filename, chunks, settings) {
  if (settings) yield field('settings', settings)
  yield fileHead(filename)
  yield* chunks
  yield `\r\n${END}`
}

function* chunksOf(bytes) {
  const chunk = Buffer.alloc(MB, 7)
  for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk
}

async function uploadOf(base, megabytes) {
  await sendForm(`${base}/api/v1/upload`, formOfFile('big.bin', chunksOf(megabytes * MB)))
}

/** A video of at least this size: ten seconds of noise, repeated without encoding it again. */
function makeVideo(megabytes) {
  const one = join(folder, 'one.mp4')
  const noise = ['-f', 'lavfi', '-i', 'testsrc2=size=1280x720:rate=30:duration=10,noise=alls=40:allf=t']
  const quiet = ['-y', '-v', 'error']
  if (!readdirSync(folder).includes('one.mp4'))
    execFileSync(ffmpeg, [...quiet, ...noise, '-c:v', 'libx264', '-preset', 'ultrafast', '-b:v', '60M', one])
  const times = Math.ceil((megabytes * MB) / statSync(one).size)
  const path = join(folder, `${megabytes}.mp4`)
  execFileSync(ffmpeg, [...quiet, '-stream_loop', String(times - 1), '-i', one, '-c', 'copy', path])
  return { path, seconds: times * 10 }
}

/** A copied cut of nearly all of it, with the download of the result. */
async function cutOf(base, { path, seconds }) {
  const settings = { startS: 0, endS: seconds - 2 }
  const form = formOfFile('long.mp4', createReadStream(path, { highWaterMark: MB }), settings)
  const { body } = await sendForm(`${base}/api/v1/tools/video/trim-video`, form)
  const url = body.downloadUrl ?? (await resultOf(base, body.jobId))
  const answer = await fetch(base + url)
  let bytes = 0
  for await (const chunk of answer.body) bytes += chunk.length
  if (!answer.ok || bytes < statSync(path).size * 0.8) throw new Error(`${url}: ${answer.status}, ${bytes} bytes`)
}

/** The address of the result of a job that was answered before its end. */
async function resultOf(base, jobId) {
  for (;;) {
    const job = await (await fetch(`${base}/api/v1/jobs/${jobId}`)).json()
    if (job.status === 'failed') throw new Error(`The job failed: ${JSON.stringify(job)}`)
    if (job.status === 'completed') return job.result.downloadUrl
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const small = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#47a' } })
  .png()
  .toBuffer()

async function* formOfMany(count) {
  yield field('settings', { width: 32 })
  for (let index = 0; index < count; index += 1) {
    yield fileHead(`picture-${index}.png`)
    yield small
    yield '\r\n'
  }
  yield END
}

/** One batch, whose ZIP file is read to its end. */
async function batchOf(base, count) {
  const { bytes } = await sendForm(`${base}/api/v1/tools/image/resize/batch`, formOfMany(count))
  if (bytes < count * 100) throw new Error(`The ZIP file of ${count} pictures has ${bytes} bytes`)
}

/** A folder of the pictures, with a folder for the results. */
function makePictures(count) {
  const path = mkdtempSync(join(folder, 'pictures-'))
  for (let index = 0; index < count; index += 1) writeFileSync(join(path, `picture-${index}.png`), small)
  return { path }
}

/** One run of the program for all pictures of a folder. */
function runFor({ path }) {
  const environment = { ...process.env, MEDIAPROC_CACHE_DIR: join(path, 'cache') }
  const args = ['image', 'resize', `${path}/*.png`, '--width', '32', '-d', join(path, 'results'), '-q']
  return spawn(process.execPath, [PROGRAM, ...args], { env: environment, stdio: 'inherit' })
}

const cases = {
  upload: { unit: 'MB', sizes: [50, 100, 200, 350, 500], prepare: (size) => size, work: uploadOf },
  video: { unit: 'MB', sizes: [250, 500, 1000, 2000], prepare: makeVideo, work: cutOf },
  'batch over HTTP': {
    unit: 'files',
    // A request takes at most 10,000.
    sizes: [1000, 5000, 10_000],
    prepare: (size) => size,
    work: batchOf,
  },
  'batch at the shell': {
    unit: 'files',
    sizes: [1000, 10_000, 100_000].filter((size) => size <= MOST_FILES),
    prepare: makePictures,
    program: runFor,
  },
}

/** Seconds of the work, and the largest memory of a process with its children meanwhile. */
async function watched(pid, work) {
  let peak = residentOfTree(pid)
  const watch = setInterval(() => {
    peak = Math.max(peak, residentOfTree(pid))
  }, 50)
  const begun = performance.now()
  await work()
  const seconds = (performance.now() - begun) / 1000
  clearInterval(watch)
  return { seconds, peak }
}

async function measure({ prepare, work, program }, size) {
  const input = await prepare(size)
  const { child, base } = program ? { child: program(input) } : await startServer()
  const ended = once(child, 'exit')
  try {
    if (program) return { size, ...(await watched(child.pid, async () => checkEnd(await ended))) }
    await uploadOf(base, 1)
    return { size, ...(await watched(child.pid, () => work(base, input))) }
  } finally {
    child.kill()
    await ended
    if (input.path) rmSync(input.path, { recursive: true })
  }
}

function checkEnd([code]) {
  if (code !== 0) throw new Error(`The program ended with ${code}`)
}

const load = loadavg()[0].toFixed(1)
const curves = {}
try {
  for (const [name, one] of Object.entries(cases)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    curves[name] = []
    for (const size of one.sizes) {
      const point = await measure(one, size)
      curves[name].push(point)
      console.log(`${name} ${size} ${one.unit}: ${point.seconds.toFixed(1)} s, ${point.peak.toFixed(0)} MiB`)
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

if (process.argv.includes('--save')) {
  const rows = Object.entries(curves).flatMap(([name, points]) =>
    points.map(({ size, seconds, peak }) => {
      const each = (seconds / size) * 1000
      return `| ${name} | ${size.toLocaleString('en')} ${cases[name].unit} | ${seconds.toFixed(1)} | ${each.toFixed(1)} | ${peak.toFixed(0)} |`
    }),
  )
  const machine = `${cpus()[0].model}, ${availableParallelism()} cores, Node ${process.version}; load at the beginning ${load}.`
  const head = '| work | size | seconds | ms per MB or file | peak MiB of all processes |\n|---|---|---|---|---|'
  saveBlock('growth', `${machine}\n\n${head}\n${rows.join('\n')}`)
  const drawn = Object.entries(curves).map(([name, points]) => ({ name, unit: cases[name].unit, points }))
  writeFileSync(new URL('growth.svg', import.meta.url), drawGrowth(drawn))
}
