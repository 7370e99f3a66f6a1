// npm run bench:serve [-- --save]: cost of the HTTP server in one run on this machine, compared with a bare Fastify
// handler that calls sharp in its own process. --save writes the table into bench/README.md.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { sampleReport } from '../dist/src/generate/assets/sample-documents.js'
import { milliseconds, processorMs, perSecond as rate, residentMb } from './rates.mjs'
import { saveBlock } from './save.mjs'
import { MEMORY_FLAGS, soakOver } from './soak.mjs'
import { median, percentile, ratios, withSpread } from './statistics.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'mediaproc-bench-serve-'))
const PASSWORDS = ['Start-Passw0rd-1', 'Second-Passw0rd-2']
const REQUESTS = Number(process.env.BENCH_REQUESTS) || 600
const WARM_UP = 1000
const CLIENTS = 8
/** The second column of the rows that bare processes set. */
const POSSIBLE = '(what can be had)'
const ROUNDS = 5
const QUIET = { RATE_LIMIT_PER_MIN: '0', LOG_LEVEL: 'warn', MAX_UPLOAD_SIZE_MB: '3000' }
const UPLOAD_BYTES = (Number(process.env.BENCH_UPLOAD_MB) || 2000) * 1_000_000

const small = await sharp({
  create: { width: 640, height: 480, channels: 3, noise: { type: 'gaussian', mean: 128, sigma: 30 } },
})
  .jpeg()
  .toBuffer()

const smallPng = await sharp({
  create: { width: 400, height: 300, channels: 3, noise: { type: 'gaussian', mean: 128, sigma: 30 } },
})
  .png()
  .toBuffer()

const large = await sharp({
  create: { width: 3000, height: 2000, channels: 3, noise: { type: 'gaussian', mean: 128, sigma: 10 } },
})
  .jpeg()
  .toBuffer()

/** Starts a program that prints its address when it is listening. */
async function start(args, environment = {}) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [line] = await once(child.stdout, 'data')
  return { child, base: line.toString().trim().split('\n')[0] }
}

async function json(base, method, path, body, token) {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const answer = await fetch(base + path, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

async function signIn(base) {
  const { token } = await json(base, 'POST', '/api/auth/login', { username: 'admin', password: PASSWORDS[0] })
  const [currentPassword, newPassword] = PASSWORDS
  await json(base, 'POST', '/api/auth/change-password', { currentPassword, newPassword }, token)
  return { token, key: (await json(base, 'POST', '/api/v1/api-keys', { name: 'bench' }, token)).key }
}

async function form(url, file, name, settings, token) {
  const body = new FormData()
  body.set('file', new Blob([file]), name)
  if (settings) body.set('settings', JSON.stringify(settings))
  const answer = await fetch(url, { method: 'POST', body, headers: token ? { authorization: `Bearer ${token}` } : {} })
  const bytes = await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${Buffer.from(bytes)}`)
  return Buffer.from(bytes)
}

/** Sends a form, and downloads the result if the response names one. */
async function formAndDownload(base, path, file, settings, key) {
  const { downloadUrl } = JSON.parse(await form(base + path, file, 'a.jpg', settings, key))
  if (downloadUrl === undefined) return
  const answer = await fetch(base + downloadUrl, { headers: key ? { authorization: `Bearer ${key}` } : {} })
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`${downloadUrl}: ${answer.status}`)
}

const tool = (server, name, file, settings, key) =>
  formAndDownload(server.base, `/api/v1/tools/${name}`, file, settings, key)

/** Requests per second of `work`, after each client had one. */
async function perSecond(work, count, clients = CLIENTS) {
  for (let index = 0; index < clients; index += 1) await work()
  return rate(work, count, clients)
}

const rows = []
const row = (what, asked, measured) => {
  rows.push([what, asked, measured])
  console.log(`${what}: ${measured} (asked: ${asked})`)
}

/** Alternates the same work in short runs, so that both see the same machine: requests per second of each round. */
async function race(ours, theirs, count, clients) {
  const [own, bare] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(await perSecond(theirs, count, clients))
    own.push(await perSecond(ours, count, clients))
  }
  return { own, bare }
}

async function throughput(server, bare, isolated, key) {
  const ours = () => tool(server, 'image/resize', small, { width: 320 }, key)
  const theirs = () => form(`${bare.base}/resize`, small, 'a.jpg')
  const least = () => formAndDownload(isolated.base, '/resize', small)
  const contest = async (what, asked, one, other, clients) => {
    const { own, bare } = await race(one, other, REQUESTS / 10, clients)
    row(
      `${what}, ${clients} at a time, requests per second`,
      asked,
      `${withSpread(ratios(own, bare), 2)}; ${median(own).toFixed(0)} / ${median(bare).toFixed(0)}`,
    )
  }
  // V8 has compiled the hot code after some hundred requests, as on a server that runs for days.
  for (const work of [ours, theirs, least]) await perSecond(work, WARM_UP, 4)
  for (const clients of [1, 4, 16]) {
    await contest('small resize with its download', '≥ 0.8 × bare Fastify + sharp', ours, theirs, clients)
    await contest('the same in two bare processes', POSSIBLE, least, theirs, clients)
  }
}

/** Other work, one request at a time, as durations. */
async function singleRequests(server, bare, isolated, key) {
  const cases = [
    ['6 megapixels to 800 px', 'image/resize', { width: 800 }, '/resize?width=800', large, 10],
    ['rotate of a small picture', 'image/rotate', { angle: 90 }, '/rotate', small, 40],
    ['info of a small picture', 'image/info', {}, '/info', small, 40],
  ]
  for (const [what, name, settings, path, file, count] of cases) {
    const theirs = () => form(bare.base + path, file, 'a.jpg')
    const contest = async (what, asked, work) => {
      const rates = await race(work, theirs, count, 1)
      const [mine, other] = [rates.own, rates.bare].map((all) => all.map((perSecond) => 1000 / perSecond))
      const medians = `${median(mine).toFixed(1)} / ${median(other).toFixed(1)} ms`
      row(what, asked, `${withSpread(ratios(mine, other), 2)}; ${medians}`)
    }
    await contest(what, '≤ 1.3 × the time of bare Fastify + sharp', () => tool(server, name, file, settings, key))
    if (name === 'image/info') continue
    await contest('the same in two bare processes', POSSIBLE, () => formAndDownload(isolated.base, path, file))
  }
}

/**
 * Work of four clients, as processor time per request. Each client alternates between the servers, so that all see the same
 * machine at the same time.
 */
async function fourAtATime(server, bare, isolated, key) {
  const cases = [
    ['small PNG to JPEG', 'image/convert', { format: 'jpeg' }, '/convert', smallPng, REQUESTS / 10, 1.3],
    ['6 megapixels to 800 px', 'image/resize', { width: 800 }, '/resize?width=800', large, REQUESTS / 30, 1],
  ]
  for (const [what, name, settings, path, file, count, most] of cases) {
    const each = async () => {
      await tool(server, name, file, settings, key)
      await formAndDownload(isolated.base, path, file)
      await form(bare.base + path, file, 'a.jpg')
    }
    await perSecond(each, count, 4)
    const spent = () => [server, isolated, bare].map(({ child }) => processorMs(child.pid))
    const rounds = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = spent()
      await rate(each, count, 4)
      rounds.push(spent().map((after, side) => (after - before[side]) / count))
    }
    const [own, two, one] = [0, 1, 2].map((side) => rounds.map((times) => times[side]))
    const measured = (times) =>
      `${withSpread(ratios(times, one), 2)}; ${median(times).toFixed(1)} / ${median(one).toFixed(1)} ms`
    row(`${what}, 4 at a time, processor time`, `≤ ${most} × bare Fastify + sharp`, measured(own))
    row('the same in two bare processes', POSSIBLE, measured(two))
  }
}

/** The first job after the start of a server, compared with a later one. */
async function firstRequest() {
  const times = { first: [], later: [] }
  for (let round = 0; round < 3; round += 1) {
    const args = [join(here, '..', 'bin', 'mediaproc.js'), 'serve', '--port', '0', '--host', '127.0.0.1']
    const fresh = await start([...args, '--data', join(folder, `fresh-${round}`)], { ...QUIET, AUTH_ENABLED: 'false' })
    // This includes the client's own first request.
    for (let index = 0; index < 3; index += 1)
      await fetch(`${fresh.base}/api/v1/health`).then((answer) => answer.text())
    await new Promise((resolve) => setTimeout(resolve, 2000))
    const ask = () => form(`${fresh.base}/api/v1/tools/image/resize`, small, 'a.jpg', { width: 320 })
    times.first.push(await milliseconds(ask))
    for (let index = 0; index < 5; index += 1) times.later.push(await milliseconds(ask))
    fresh.child.kill()
    await once(fresh.child, 'exit')
  }
  const later = median(times.later)
  row(
    'the first small resize after a start',
    '≤ 30 ms',
    `${withSpread(times.first)} ms; the next ${later.toFixed(0)} ms`,
  )
}

async function keyCost(server, { key, token }) {
  const ask = (credential) => () =>
    fetch(`${server.base}/api/v1/tools/popular`, { headers: { authorization: `Bearer ${credential}` } }).then((r) =>
      r.text(),
    )
  const open = () => fetch(`${server.base}/api/v1/config/locale`).then((answer) => answer.text())
  const times = { key: [], token: [], open: [] }
  for (let index = 0; index < 300; index += 1) {
    times.open.push(await milliseconds(open))
    times.key.push(await milliseconds(ask(key)))
    times.token.push(await milliseconds(ask(token)))
  }
  const cost = median(times.key) - median(times.open)
  row('an API key, after the first request', '≤ 1 ms', `${cost.toFixed(2)} ms over an open route`)
}

async function healthUnderLoad(server, key) {
  const pdf = join(folder, 'heavy.pdf')
  const one = join(folder, 'one.pdf')
  writeFileSync(one, await sampleReport())
  execFileSync(process.execPath, [
    join(here, '..', 'bin', 'mediaproc.js'),
    'pdf',
    'merge-pdf',
    ...Array(20).fill(one),
    '-o',
    pdf,
  ])
  const bytes = readFileSync(pdf)
  let busy = true
  const heavy = Array.from({ length: 4 }, async () => {
    while (busy) await form(`${server.base}/api/v1/tools/pdf/pdf-to-image`, bytes, 'heavy.pdf', { dpi: 300 }, key)
  })
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const times = []
  for (let index = 0; index < 500; index += 1) {
    times.push(await milliseconds(() => fetch(`${server.base}/api/v1/health`).then((answer) => answer.text())))
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  busy = false
  await Promise.all(heavy)
  row('p99 of /api/v1/health, four heavy PDF jobs running', '≤ 50 ms', `${percentile(times, 0.99).toFixed(1)} ms`)
}

const CROWD = { jobs: 3000, clients: 200 }

/** Response times of health while many clients wait for small jobs. */
async function healthInCrowd(server, key) {
  const picture = join(folder, 'small.jpg')
  writeFileSync(picture, small)
  const { jobs, clients } = CROWD
  const crowd = spawn(
    process.execPath,
    [join(here, 'crowd-clients.mjs'), server.base, key, String(jobs), String(clients), picture],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = once(crowd, 'exit')
  const answers = once(crowd.stdout, 'data')
  let isBusy = true
  ended.then(() => {
    isBusy = false
  })
  const times = []
  const begun = performance.now()
  while (isBusy) {
    times.push(await milliseconds(() => fetch(`${server.base}/api/v1/health`).then((answer) => answer.text())))
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  const [line] = await answers
  row(
    `p99 of /api/v1/health, ${jobs.toLocaleString('en')} jobs of ${clients} clients`,
    '≤ 50 ms',
    `${percentile(times, 0.99).toFixed(1)} ms (median ${median(times).toFixed(1)}; answers ${line.toString().trim()} in ${seconds} s)`,
  )
}

/** Number of small jobs: `node bench/serve.mjs --soak 20000` runs only these. */
const soak = process.argv.includes('--soak') ? Number(process.argv[process.argv.indexOf('--soak') + 1]) : undefined

async function memoryOverJobs(server, key) {
  const count = 1000
  const path = `${server.base}/api/v1/tools/image/resize`
  const run = (count) => perSecond(() => form(path, small, 'a.jpg', { width: 320 }, key), count)
  await run(200)
  const before = residentMb(server.child.pid)
  await run(count)
  const after = residentMb(server.child.pid)
  const growth = ((after / before - 1) * 100).toFixed(1)
  const jobs = count.toLocaleString('en')
  row(
    `memory of the server over ${jobs} jobs`,
    '≤ +10 %',
    `${growth} % (${before.toFixed(0)} → ${after.toFixed(0)} MB)`,
  )
}

/** One upload that is generated while it is sent, and the server's peak memory during it. */
async function largeUpload(server, key) {
  const before = residentMb(server.child.pid)
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMb(server.child.pid))
  }, 50)
  const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="big.bin"\r\n\r\n'
  const tail = '\r\n--b--\r\n'
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'multipart/form-data; boundary=b',
    'content-length': head.length + UPLOAD_BYTES + tail.length,
  }
  const upload = request(`${server.base}/api/v1/upload`, { method: 'POST', headers })
  const answered = once(upload, 'response')
  upload.write(head)
  const chunk = Buffer.alloc(1_000_000, 7)
  for (let sent = 0; sent < UPLOAD_BYTES; sent += chunk.length) if (!upload.write(chunk)) await once(upload, 'drain')
  upload.end(tail)
  const [answer] = await answered
  answer.resume()
  clearInterval(watch)
  if (answer.statusCode !== 200) throw new Error(`the upload was answered ${answer.statusCode}`)
  row(`memory during an upload of ${UPLOAD_BYTES / 1e9} GB`, '≤ +150 MB', `+${(peak - before).toFixed(0)} MB`)
}

/** Many jobs, with the memory over time. */
async function soakServer(server, key, count) {
  const path = `${server.base}/api/v1/tools/image/resize`
  const run = (jobs) => perSecond(() => form(path, small, 'a.jpg', { width: 320 }, key), jobs)
  const [first, last] = await soakOver(server.child, count, run)
  const growth = (before, after) =>
    `${((after / before - 1) * 100).toFixed(1)} % (${before.toFixed(1)} → ${after.toFixed(1)} MB)`
  const jobs = count.toLocaleString('en')
  row(`resident memory from 2,000 to ${jobs} jobs`, '≤ +10 %', growth(first.resident, last.resident))
  row(`heap after a collection from 2,000 to ${jobs} jobs`, '≤ +10 %', growth(first.kept, last.kept))
}

const load = loadavg()[0].toFixed(1)
const data = join(folder, 'data')
const server = await start(
  [
    ...(soak === undefined ? [] : MEMORY_FLAGS),
    ...[join(here, '..', 'bin', 'mediaproc.js'), 'serve', '--port', '0', '--host', '127.0.0.1', '--data', data],
  ],
  { DEFAULT_PASSWORD: PASSWORDS[0], ...QUIET },
)
const bare = await start([join(here, 'bare-fastify.mjs')])
const isolated = await start([join(here, 'bare-isolated.mjs')])
try {
  const credentials = await signIn(server.base)
  if (soak !== undefined) await soakServer(server, credentials.key, soak)
  else if (process.argv.includes('--crowd')) await healthInCrowd(server, credentials.key)
  else {
    await throughput(server, bare, isolated, credentials.key)
    await singleRequests(server, bare, isolated, credentials.key)
    await fourAtATime(server, bare, isolated, credentials.key)
    await firstRequest()
    await keyCost(server, credentials)
    await healthUnderLoad(server, credentials.key)
    await healthInCrowd(server, credentials.key)
    await memoryOverJobs(server, credentials.key)
    await largeUpload(server, credentials.key)
  }
} finally {
  bare.child.kill()
  isolated.child.kill()
  server.child.kill()
  await once(server.child, 'exit')
  rmSync(folder, { recursive: true, force: true })
}

const table = ['| what | asked | measured |', '|---|---|---|', ...rows.map((cells) => `| ${cells.join(' | ')} |`)].join(
  '\n',
)
if (process.argv.includes('--save')) {
  const machine = `${cpus()[0].model}, ${availableParallelism()} cores, Node ${process.version}; load at the beginning ${load}.`
  saveBlock('serve', `${machine}\n\n${table}`)
}
