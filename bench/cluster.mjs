// npm run bench:cluster [-- --save]: what several servers cost, in one run on this machine, as ratios against one server with files.
// Needs PostgreSQL and Redis from Debian's packages. --save writes the table into bench/README.md.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { milliseconds, perSecond, residentMb } from './rates.mjs'
import { saveBlock } from './save.mjs'
import { median, percentile, ratios, withSpread } from './statistics.mjs'

const PROGRAM = fileURLToPath(new URL('../bin/mediaproc.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'mediaproc-bench-cluster-'))
const [POSTGRES_PORT, REDIS_PORT] = [5871, 6871]
const ROUNDS = Number(process.env.BENCH_ROUNDS) || 5
const REQUESTS = 60
const PASSWORD = 'Start-Passw0rd-1'
const QUEUED = Number(process.env.BENCH_QUEUED) || 100_000
const RECORDS = Number(process.env.BENCH_RECORDS) || 1_000_000
const children = []

const versions = readdirSync('/usr/lib/postgresql').sort((one, other) => Number(other) - Number(one))
const BIN = join('/usr/lib/postgresql', versions[0], 'bin')
const isRoot = process.getuid() === 0
const postgres = (program, ...given) =>
  isRoot
    ? execFileSync('runuser', ['-u', 'postgres', '--', join(BIN, program), ...given], { cwd: '/tmp', stdio: 'ignore' })
    : execFileSync(join(BIN, program), given, { cwd: '/tmp', stdio: 'ignore' })
const sql = (text) =>
  execFileSync('psql', ['-h', '127.0.0.1', '-p', POSTGRES_PORT, '-U', 'mediaproc', '-d', 'bench', '-Atc', text], {
    encoding: 'utf8',
  }).trim()

function startParts() {
  const data = join(folder, 'postgres')
  mkdirSync(data)
  if (isRoot) {
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'])))
    chownSync(folder, uid, gid)
    chownSync(data, uid, gid)
  }
  postgres('initdb', '-D', data, '-U', 'mediaproc', '--auth=trust', '--locale=C.UTF-8', '-E', 'UTF8')
  const options = `-p ${POSTGRES_PORT} -k ${folder} -c listen_addresses=127.0.0.1`
  postgres('pg_ctl', '-D', data, '-o', options, '-l', join(data, 'log'), '-w', 'start')
  postgres('createdb', '-h', '127.0.0.1', '-p', String(POSTGRES_PORT), '-U', 'mediaproc', 'bench')
  children.push(spawn('redis-server', ['--port', REDIS_PORT, '--save', '', '--bind', '127.0.0.1'], { stdio: 'ignore' }))
  return () => postgres('pg_ctl', '-D', data, '-m', 'fast', '-w', 'stop')
}

const CLUSTER = {
  DATABASE_URL: `postgres://mediaproc@127.0.0.1:${POSTGRES_PORT}/bench`,
  REDIS_URL: `redis://127.0.0.1:${REDIS_PORT}`,
  SHARED_DIR: join(folder, 'shared'),
}

async function start(name, role, environment = CLUSTER, more = {}) {
  const given = ['serve', '--port', '0', '--host', '127.0.0.1', '--data', join(folder, name)]
  const child = spawn(process.execPath, [PROGRAM, ...given, ...(role ? ['--role', role] : [])], {
    env: {
      ...process.env,
      ...{ RATE_LIMIT_PER_MIN: '0', LOG_LEVEL: 'warn', DEFAULT_PASSWORD: PASSWORD, AUTH_ENABLED: 'false' },
      ...{ MAX_QUEUED_JOBS: '1000000', CONCURRENT_JOBS: '2', ...environment, ...more },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const [line] = await once(child.stdout, 'data')
  child.stdout.resume()
  return { child, base: line.toString().trim().split('\n')[0] }
}

const stop = async ({ child }) => {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

const small = await sharp({
  create: { width: 640, height: 480, channels: 3, noise: { type: 'gaussian', mean: 128, sigma: 30 } },
})
  .jpeg()
  .toBuffer()

/** A small resize with the download of its result. */
async function job({ base }) {
  const body = new FormData()
  body.set('file', new Blob([small]), 'a.jpg')
  body.set('settings', JSON.stringify({ width: 320 }))
  const answer = await fetch(`${base}/api/v1/tools/image/resize`, { method: 'POST', body })
  const { downloadUrl, error } = await answer.json()
  if (!downloadUrl) throw new Error(error)
  const bytes = await (await fetch(base + downloadUrl)).arrayBuffer()
  if (bytes.byteLength < 1000) throw new Error('the result is empty')
}

const rows = []
const row = (...cells) => {
  rows.push(cells)
  console.log(cells.join(' | '))
}

/** Times of the same work at two servers, in turn. */
async function compare(what, asked, ours, theirs, clients) {
  const [own, other] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    other.push(1000 / (await perSecond(() => job(theirs), REQUESTS, clients)))
    own.push(1000 / (await perSecond(() => job(ours), REQUESTS, clients)))
  }
  row(what, asked, `${withSpread(ratios(own, other), 2)}; ${median(own).toFixed(1)} / ${median(other).toFixed(1)} ms`)
}

/** The median of several calls. */
async function usual(work) {
  const all = []
  for (let count = 0; count < 9; count++) all.push(await milliseconds(work))
  return median(all)
}

/** The 99th percentile of the answers to /health while jobs run. */
async function healthUnder(work, server) {
  const all = []
  let isOver = false
  const asked = (async () => {
    while (!isOver) {
      all.push(await milliseconds(() => get(server, '/api/v1/health')))
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })()
  try {
    await work()
  } finally {
    isOver = true
    await asked
  }
  return percentile(all, 0.99)
}

const get = async ({ base }, path) => {
  const answer = await fetch(base + path)
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
}

/** Rows of jobs whose records have what lists show; they are inserted in parts. */
function insertJobs(count, columns, values) {
  for (let from = 0; from < count; from += 50_000)
    sql(`insert into jobs (id, type, status, tool_id, created, started, completed, expires, has_outputs, input_bytes, bytes, record
      ${columns}) select gen_random_uuid(), 'single', ${values} from (select n, (extract(epoch from now()) * 1000)::bigint - n::bigint * 25000 as at
      from generate_series(${from + 1}, ${Math.min(count, from + 50_000)}) as n) as numbers`)
}

const record = (
  status,
) => `json_build_object('id', n, 'clientJobId', null, 'ownerId', null, 'type', 'single', 'toolId', 'resize',
  'status', '${status}', 'percent', 0, 'stage', null, 'createdAt', '2026-01-01T00:00:00.000Z', 'startedAt', null, 'completedAt', null,
  'attempts', 0, 'inputBytes', 1, 'outputs', json_build_array(), 'result', null, 'error', null, 'expiresAt', null)`

const stopPostgres = startParts()
try {
  const files = await start('files', undefined, {})
  const api = await start('api', 'api')
  const workers = [await start('worker-1', 'worker')]
  for (const server of [files, api]) await perSecond(() => job(server), 300, 4)
  // As autovacuum does within a minute: without statistics, PostgreSQL reads the whole table for some statements.
  sql('analyze')
  await compare('a small job through API and worker, one at a time', '≤ 1.5 × one server with files', api, files, 1)
  await compare('the same, eight at a time', '', api, files, 8)
  for (const count of [1, 2, 3]) {
    while (workers.length < count) workers.push(await start(`worker-${workers.length + 1}`, 'worker'))
    await perSecond(() => job(api), 200, 8)
    const rates = []
    for (let round = 0; round < ROUNDS; round++) rates.push(await perSecond(() => job(api), REQUESTS * 2, 8))
    row(`jobs per second with ${count} workers of two processes`, '', withSpread(rates))
  }
  const p99 = await healthUnder(() => perSecond(() => job(api), 600, 8), api)
  row('answer to /health beside eight clients, 99th percentile, ms', '', p99.toFixed(0))
  for (const worker of workers) await stop(worker)
  const before = residentMb(api.child.pid)
  // The triggers would count each row by itself.
  sql('alter table jobs disable trigger all')
  insertJobs(
    QUEUED,
    ', turn, tools, bundles',
    `'queued', 'resize', at, null, null, null, false, 1, null, ${record('queued')}, n, '{image/none}', '{}'`,
  )
  sql('alter table jobs enable trigger all')
  sql('vacuum analyze jobs')
  row(`${QUEUED} waiting jobs: memory of the API, MB more`, 'flat', (residentMb(api.child.pid) - before).toFixed(0))
  row('its answer to /health, ms', '', (await usual(() => get(api, '/api/v1/health'))).toFixed(1))
  const worker = await start('worker-1', 'worker')
  await perSecond(() => job(api), 50, 4)
  row('a small job beside them, ms', '', (1000 / (await perSecond(() => job(api), REQUESTS, 1))).toFixed(1))
  await stop(worker)
  sql('alter table jobs disable trigger all')
  sql('delete from jobs where turn is not null')
  sql('update job_sums set jobs = 0')
  insertJobs(
    RECORDS,
    '',
    `'completed', 'tool-' || n % 100, at, at, at + n % 5000, null, true, 1, 1, ${record('completed')}`,
  )
  sql(`insert into job_sums values ('n', false, 'completed', ${RECORDS}, ${RECORDS})
    on conflict (owner_key, is_upload, status) do update set jobs = excluded.jobs`)
  sql(`delete from job_days; insert into job_days select created / 86400000, type, status, tool_id, 'n', count(*), sum(input_bytes)
    from jobs group by 1, 2, 3, 4`)
  sql(`delete from job_times; insert into job_times select created / 86400000, type, job_bucket(completed - started), count(*)
    from jobs where completed is not null group by 1, 2, 3`)
  sql('alter table jobs enable trigger all')
  sql('vacuum analyze jobs')
  // The connection of before may be closed by now, or at this moment.
  await get(api, '/api/v1/health').catch(() => {})
  const times = [
    ['list of jobs', '/api/v1/jobs'],
    ['list of failed jobs', '/api/v1/jobs?status=failed'],
    ['page 1000', '/api/v1/jobs?limit=50&offset=50000'],
    ['usage of 30 days', '/api/v1/admin/usage'],
    ['usage of a year', '/api/v1/admin/usage?days=365'],
  ]
  for (const [what, path] of times)
    row(`${RECORDS} finished records: ${what}, ms`, '≤ 50', (await usual(() => get(api, path))).toFixed(0))
} finally {
  for (const child of children) child.kill('SIGKILL')
  stopPostgres()
  rmSync(folder, { recursive: true, force: true })
}

const load = loadavg()[0].toFixed(1)
const table = [
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores (${cpus()[0].model.trim()}), load ${load} at the end, Node ${process.version}; medians of ${ROUNDS} rounds.`,
  '',
  '| what | asked | measured |',
  '| --- | --- | --- |',
  ...rows.map((cells) => `| ${cells.join(' | ')} |`),
].join('\n')
if (process.argv.includes('--save')) saveBlock('cluster', table)
