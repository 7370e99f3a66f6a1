#!/usr/bin/env node
/**
 * Tries the Dockerfile without Docker, as root on Debian: `node deploy/try.mjs [slim|full] [FOLDER]`.
 *
 * Makes a clean Debian with debootstrap and this machine's Node, and runs the instructions of the stages in it, in order. Then
 * starts the image as its user, without capabilities and with a read-only root: only /data and /tmp can be written. Waits for
 * the health check, resizes a picture, and stops the server with SIGTERM. Finished stages are kept in FOLDER for the next run.
 */
import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assignmentsOf, isIgnored, stagesOf } from './dockerfile.mjs'

const PROJECT = fileURLToPath(new URL('../', import.meta.url))
const MIRROR = 'http://deb.debian.org/debian'
/** Longest wait for the health check, in milliseconds. */
const READY_MS = 60_000

const [target = 'slim', given] = process.argv.slice(2)
const folder = resolve(given ?? mkdtempSync(join(tmpdir(), 'mediaproc-image-')))
const base = join(folder, 'base')
const stages = stagesOf(readFileSync(new URL('Dockerfile', import.meta.url), 'utf8'))
const report = (text) => process.stdout.write(`\n== ${text}\n`)

/** node:20-bookworm-slim as far as it can be had here: a minimal Debian with Node and npm in /usr/local. */
function makeBase() {
  if (existsSync(join(base, 'usr/local/bin/npm'))) return
  const script = ['--variant=minbase', '--include=ca-certificates,libstdc++6', 'bookworm', base, MIRROR]
  execFileSync('debootstrap', script, { stdio: ['ignore', 'ignore', 'inherit'] })
  cpSync(process.execPath, join(base, 'usr/local/bin/node'))
  const npm = dirname(
    dirname(execFileSync('sh', ['-c', 'readlink -f "$(command -v npm)"'], { encoding: 'utf8' }).trim()),
  )
  cpSync(npm, join(base, 'usr/local/lib/node_modules/npm'), { recursive: true })
  execFileSync('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(base, 'usr/local/bin/npm')])
  cpSync('/etc/resolv.conf', join(base, 'etc/resolv.conf'))
  writeFileSync(join(base, 'etc/hosts'), '127.0.0.1 localhost\n')
  if (process.env.NODE_EXTRA_CA_CERTS) cpSync(process.env.NODE_EXTRA_CA_CERTS, join(base, AUTHORITIES))
}

/** Where the base has the authorities of this machine's network, if it has its own. */
const AUTHORITIES = '/etc/ssl/authorities.pem'

/** What a build needs to reach the registries from here. */
const NETWORK = Object.fromEntries(
  Object.entries({
    ...process.env,
    ...(process.env.NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS: AUTHORITIES }),
  }).filter(([name]) => /^(npm_config_(registry|cafile)$|https?_proxy$|no_proxy$|NODE_EXTRA_CA_CERTS$)/i.test(name)),
)

const upperOf = (stage) => join(folder, stage, 'upper')
const parentsOf = (stage) => (stages.has(stage) ? [stage, ...parentsOf(stages.get(stage).from)] : [])

/** Commands that mount the files of a stage; writes go to its own layer. */
function mounted(stage, at) {
  const [own, ...below] = parentsOf(stage)
  const lower = [...below.map(upperOf), base].join(':')
  for (const path of [own, ...below].map(upperOf).concat(join(folder, own, 'work'), join(folder, at)))
    mkdirSync(path, { recursive: true })
  return `mount -t overlay overlay -o lowerdir=${lower},upperdir=${upperOf(own)},workdir=${join(folder, own, 'work')} ${join(folder, at)}\n`
}

/** A root of its own and not only a changed one, as in a container: user namespaces need that. */
const ENTER = `cd "$ROOT"; mount -t proc proc proc; mount --rbind /dev dev
pivot_root . mnt; cd /; umount -l /mnt 2>/dev/null || true
`

function inNamespace(script, options = {}) {
  const root = join(folder, 'root')
  execFileSync('unshare', ['--mount', 'sh', '-c', `set -e\nexport ROOT=${root}\n${script}`], {
    stdio: 'inherit',
    ...options,
  })
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`

/** Files of the project that the build gets, below a path. */
function contextFiles(path) {
  const ignore = readFileSync(new URL('Dockerfile.dockerignore', import.meta.url), 'utf8')
  const list = ['-c', 'safe.directory=*', 'ls-files', '-co', '--exclude-standard', '-z', '--', path]
  const files = execFileSync('git', list, { cwd: PROJECT, encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\0')
  return files.filter((file) => file !== '' && existsSync(join(PROJECT, file)) && !isIgnored(ignore, file))
}

function copy(stage, rest, folderNow) {
  const [, from, words] = /^(?:--from=(\S+) )?(.*)$/.exec(rest)
  const [to, ...sources] = words.split(' ').reverse()
  const into = posix.resolve(folderNow, to)
  if (from) {
    const [source] = sources
    const read = mounted(from, 'source')
    return inNamespace(
      `${read}${mounted(stage, 'root')}mkdir -p "$ROOT${into}"; cp -a ${join(folder, 'source')}${source}/. "$ROOT${into}/"`,
    )
  }
  // As Docker does: a folder's contents are copied, and a file keeps only its name.
  const lists = sources.map((source) => [source, contextFiles(source)])
  const pairs = lists.flatMap(([source, files]) =>
    files.map((file) => [
      file,
      posix.join(into, source === '.' ? file : file === source ? posix.basename(file) : posix.relative(source, file)),
    ]),
  )
  const staged = join(folder, 'context')
  rmSync(staged, { recursive: true, force: true })
  for (const [file, path] of pairs) cpSync(join(PROJECT, file), join(staged, path))
  inNamespace(`${mounted(stage, 'root')}cp -a ${staged}/. "$ROOT/"`)
}

/** Runs the instructions of a stage; returns its settings. */
function build(stage) {
  const { from, instructions } = stages.get(stage)
  const image = stages.has(from) ? structuredClone(built.get(from)) : { env: {}, folder: '/', user: '0:0' }
  const args = {}
  for (const [name, rest] of instructions) {
    const begun = Date.now()
    if (name === 'ENV') Object.assign(image.env, assignmentsOf(rest))
    else if (name === 'ARG') Object.assign(args, assignmentsOf(rest))
    else if (name === 'WORKDIR') {
      image.folder = posix.resolve(image.folder, rest)
      inNamespace(`${mounted(stage, 'root')}mkdir -p "$ROOT${image.folder}"`)
    } else if (name === 'USER') image.user = rest
    else if (name === 'ENTRYPOINT') image.entry = JSON.parse(rest)
    else if (name === 'CMD') image.command = JSON.parse(rest)
    else if (name === 'HEALTHCHECK') image.check = JSON.parse(rest.slice(rest.indexOf('CMD ') + 4))
    else if (name === 'VOLUME') image.volume = rest
    else if (name === 'COPY') {
      report(`${stage}: COPY ${rest}`)
      copy(stage, rest, image.folder)
    } else if (name === 'RUN') {
      report(`${stage}: RUN ${rest}`)
      const env = {
        PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        HOME: '/root',
        ...NETWORK,
        ...args,
        ...image.env,
      }
      const script = join(folder, 'run.sh')
      writeFileSync(script, `set -e\ncd ${image.folder}\n${rest}\n`)
      const words = Object.entries({ ...env, DEBIAN_FRONTEND: 'noninteractive' }).map(([key, value]) =>
        quoted(`${key}=${value}`),
      )
      inNamespace(
        `${mounted(stage, 'root')}${ENTER}exec env -i ${words.join(' ')} sh -c ${quoted(readFileSync(script, 'utf8'))}`,
      )
      process.stdout.write(`   ${((Date.now() - begun) / 1000).toFixed(1)} s\n`)
    } else if (!['EXPOSE', 'STOPSIGNAL', 'LABEL'].includes(name)) throw new Error(`${name} is not tried here`)
  }
  built.set(stage, image)
}

const built = new Map()

/** The stages that a target needs, in the order of the file. */
function needed() {
  const all = new Set()
  const add = (stage) => {
    if (!stages.has(stage) || all.has(stage)) return
    all.add(stage)
    const { from, instructions } = stages.get(stage)
    add(from)
    for (const [name, rest] of instructions) if (name === 'COPY') add(/^--from=(\S+)/.exec(rest)?.[1])
  }
  add(target)
  return [...stages.keys()].filter((stage) => all.has(stage))
}

/** A command that runs programs of the image as a container does. */
function contained(image, program) {
  const data = join(folder, 'data')
  const words = Object.entries({
    PATH: '/usr/local/bin:/usr/bin:/bin',
    ...image.env,
    PORT,
    DEFAULT_PASSWORD: PASSWORD,
    SKIP_MUST_CHANGE_PASSWORD: 'true',
  }).map(([key, value]) => quoted(`${key}=${value}`))
  const [uid, gid] = image.user.split(':')
  return `set -e; export ROOT=${join(folder, 'root')}
${mounted(target, 'root')}mount -t tmpfs -o mode=1777 tmpfs "$ROOT/tmp"; mount --bind ${data} "$ROOT${image.volume}"
mount -o remount,ro,bind "$ROOT"
${ENTER}cd ${image.folder}
if touch /opt/x 2>/dev/null; then echo 'the root is writable' >&2; exit 1; fi
exec env -i ${words.join(' ')} setpriv --reuid ${uid} --regid ${gid} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all ${program}`
}

const PORT = String(20_000 + (process.pid % 20_000))
const PASSWORD = 'Start-Passw0rd-1'

/** A picture of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Signs in and resizes the picture; returns the response. */
async function resize() {
  const base = `http://127.0.0.1:${PORT}/api`
  const body = JSON.stringify({ username: 'admin', password: PASSWORD })
  const headers = { 'content-type': 'application/json' }
  const { token } = await (await fetch(`${base}/auth/login`, { method: 'POST', headers, body })).json()
  const form = new FormData()
  form.append('file', new Blob([Buffer.from(PIXEL, 'base64')]), 'pixel.png')
  form.append('settings', '{"width": 8}')
  const request = { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: form }
  const response = await fetch(`${base}/v1/tools/image/resize`, request)
  if (!response.ok) throw new Error(`resize: ${response.status} ${await response.text()}`)
  return response.text()
}

async function start() {
  const image = built.get(target)
  const [uid, gid] = image.user.split(':').map(Number)
  const data = join(folder, 'data')
  rmSync(data, { recursive: true, force: true })
  mkdirSync(data)
  chownSync(data, uid, gid)
  chmodSync(data, 0o700)
  const line = (words) => words.map(quoted).join(' ')
  const run = (...words) =>
    execFileSync('unshare', ['--mount', 'sh', '-c', contained(image, line(words))], {
      stdio: ['ignore', 'pipe', 'inherit'],
      encoding: 'utf8',
    })
  const missing = JSON.parse(run('mediaproc', 'doctor', '--json')).filter(({ available }) => !available)
  report(`${target}: engines that are missing: ${missing.map(({ id }) => id).join(' ')}`)
  // The runtime of models comes with the models.
  if (target === 'full' && missing.some(({ id }) => id !== 'onnxruntime')) throw new Error('the full image is not full')
  report(`${target}: start with a read-only root, as ${image.user}`)
  const server = spawn('unshare', ['--mount', 'sh', '-c', contained(image, line([...image.entry, ...image.command]))], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ended = new Promise((done) => server.on('exit', (code, signal) => done(code ?? signal)))
  const check = () => {
    try {
      execFileSync(image.check[0], image.check.slice(1), { env: { ...process.env, PORT }, stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  }
  const end = Date.now() + READY_MS
  while (!check()) {
    if (Date.now() > end || server.exitCode !== null) throw new Error('the server did not become ready')
    await new Promise((next) => setTimeout(next, 200))
  }
  const url = `http://127.0.0.1:${PORT}/api/v1/readyz`
  report(`readyz: ${await (await fetch(url)).text()}`)
  report(`resize: ${await resize()}`)
  server.kill('SIGTERM')
  report(`ended after SIGTERM with ${await ended}; a check now ${check() ? 'succeeds' : 'fails'}`)
}

makeBase()
const begun = Date.now()
for (const stage of needed()) {
  // Finished stages of a former run are used again, even if files of the project have changed since.
  const finished = join(folder, `${stage}.json`)
  const text = JSON.stringify(stages.get(stage))
  const former = existsSync(finished) ? JSON.parse(readFileSync(finished, 'utf8')) : undefined
  if (former?.text === text) built.set(stage, former.image)
  else {
    rmSync(join(folder, stage), { recursive: true, force: true })
    build(stage)
    writeFileSync(finished, JSON.stringify({ text, image: built.get(stage) }))
  }
}
await start()
report(`${target}: ${((Date.now() - begun) / 1000).toFixed(0)} s, in ${folder}`)
