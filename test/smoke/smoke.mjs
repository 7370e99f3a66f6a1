/**
 * Smoke test for a Node other than the one that runs the tests: the built program, twelve tools, a pipeline and a server
 * with one job, under the Node that runs this file. Plain Node, so that only the program itself is tested.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import module from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../../bin/mediaproc.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'mediaproc-smoke-'))
const at = (name) => join(folder, name)
const environment = { ...process.env, HOME: folder, MEDIAPROC_OFFLINE: '1' }

/** A newer Node warns about deprecations: those fail too. */
const assertQuiet = (text) => assert.doesNotMatch(text, /\(node:\d+\)|Warning/)

function mediaproc(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
  })
  assert.equal(status, 0, `mediaproc ${args.join(' ')}: ${status}\n${stderr}`)
  assertQuiet(stderr)
  return stdout
}

const record = (...args) => JSON.parse(mediaproc(...args, '--json'))
const startOf = (name, length) => readFileSync(at(name)).subarray(0, length).toString('latin1')

/** Compiled code is cached for the next run, if no other user can write there. */
function compiled() {
  if (!module.enableCompileCache) return
  const own = at('cache')
  environment.MEDIAPROC_CACHE_DIR = own
  const help = mediaproc('image', 'resize', '--help')
  const kept = () => readdirSync(join(own, 'compiled'), { recursive: true }).length
  const first = kept()
  assert.ok(first > 1, 'nothing compiled was kept')
  assert.equal(statSync(join(own, 'compiled')).mode & 0o077, 0)
  assert.equal(mediaproc('image', 'resize', '--help'), help)
  assert.equal(kept(), first)
  if (process.getuid?.() === 0) {
    // A folder of another user is not used.
    chownSync(own, 12345, 12345)
    rmSync(join(own, 'compiled'), { recursive: true })
    assert.equal(mediaproc('image', 'resize', '--help'), help)
    assert.equal(kept(), 0)
  }
  // The following runs use the cache as a user's runs do, in one folder with the other notes.
  delete environment.MEDIAPROC_CACHE_DIR
  for (const name of ['XDG_CACHE_HOME', 'NODE_COMPILE_CACHE', 'NODE_DISABLE_COMPILE_CACHE']) delete environment[name]
  mediaproc('image', 'qr-generate', '--data', 'x', '-o', 'x.png')
  const caches = process.platform === 'darwin' ? ['Library', 'Caches'] : ['.cache']
  assert.deepEqual(readdirSync(join(folder, ...caches, 'mediaproc')).sort(), ['compiled', 'places', 'records'])
}

function cli() {
  assert.match(mediaproc('--version'), /\d+\.\d+\.\d+/)
  compiled()
  mediaproc('image', 'qr-generate', '--data', 'a smoke signal', '--size', '400', '-o', 'code.png')
  mediaproc('image', 'resize', 'code.png', '--width', '100', '-o', 'small.png')
  mediaproc('image', 'convert', 'code.png', '--format', 'webp', '-o', 'code.webp')
  const { result } = record('image', 'info', 'small.png')
  assert.deepEqual([result.width, result.height, result.format], [100, 100, 'png'])
  assert.equal(startOf('code.webp', 12).slice(8), 'WEBP')
  assert.equal(record('image', 'barcode-read', 'code.webp').result.barcodes[0].text, 'a smoke signal')

  mediaproc('image', 'image-to-pdf', 'code.png', '-o', 'one.pdf')
  mediaproc('pdf', 'merge-pdf', 'one.pdf', 'one.pdf', '-o', 'two.pdf')
  mediaproc('pdf', 'compress-pdf', 'two.pdf', '-o', 'two-small.pdf')
  assert.equal(record('pdf', 'pdf-to-image/info', 'two-small.pdf').result.pageCount, 2)

  writeFileSync(at('people.csv'), 'name,born\r\nAda,1815\r\n')
  mediaproc('files', 'csv-json', 'people.csv', '-o', 'people.json')
  assert.deepEqual(JSON.parse(readFileSync(at('people.json'), 'utf8')), [{ name: 'Ada', born: '1815' }])
  mediaproc('files', 'convert-spreadsheet', 'people.csv', '--format', 'xlsx', '-o', 'people.xlsx')
  mediaproc('files', 'create-zip', 'people.csv', 'people.xlsx', '-o', 'people.zip')
  mediaproc('files', 'extract-zip', 'people.zip', '-d', 'unpacked')

  writeFileSync(at('steps.yaml'), 'steps:\n  - image/resize: { width: 50 }\n  - image/convert: { format: jpg }\n')
  mediaproc('run', 'steps.yaml', 'code.png', '-o', 'fifty.jpg')
  assert.equal(record('image', 'info', 'fifty.jpg').result.width, 50)
}

/** Whether ffmpeg is available. */
function video() {
  const ffmpeg = JSON.parse(mediaproc('doctor', '--json')).find(({ id }) => id === 'ffmpeg')
  if (!ffmpeg.available) return false
  const source = ['-f', 'lavfi', '-i', 'testsrc2=size=128x96:rate=25:duration=2', '-pix_fmt', 'yuv420p']
  execFileSync(ffmpeg.path, ['-v', 'error', ...source, at('clip.mp4')])
  mediaproc('video', 'trim-video', 'clip.mp4', '--start-s', '0', '--end-s', '1', '-o', 'short.mp4')
  assert.equal(startOf('short.mp4', 8).slice(4), 'ftyp')
  return true
}

async function serve() {
  const child = spawn(
    process.execPath,
    [PROGRAM, 'serve', '--port', '0', '--host', '127.0.0.1', '--data', at('data')],
    {
      env: { ...environment, AUTH_ENABLED: 'false' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let log = ''
  child.stderr.on('data', (chunk) => {
    log += chunk
  })
  const ended = once(child, 'exit')
  try {
    const [line] = await Promise.race([once(child.stdout, 'data'), ended.then(() => [undefined])])
    assert.ok(line, `the server did not start:\n${log}`)
    const base = line.toString().trim()
    const body = new FormData()
    body.set('file', new Blob([readFileSync(at('code.png'))]), 'code.png')
    body.set('settings', JSON.stringify({ width: 64 }))
    const answer = await fetch(`${base}/api/v1/tools/image/resize`, { method: 'POST', body })
    assert.equal(answer.status, 200)
    const { downloadUrl } = await answer.json()
    const result = await fetch(base + downloadUrl)
    writeFileSync(at('served.png'), Buffer.from(await result.arrayBuffer()))
    assert.equal(record('image', 'info', 'served.png').result.width, 64)
    child.kill('SIGTERM')
    assert.equal((await ended)[0], 0)
    assertQuiet(log)
  } finally {
    child.kill('SIGKILL')
  }
}

/** The library, as a program that has it installed uses it. */
function library() {
  mkdirSync(at('app/node_modules'), { recursive: true })
  symlinkSync(fileURLToPath(new URL('../..', import.meta.url)), at('app/node_modules/mediaproc'))
  const script = fileURLToPath(new URL('library-examples.mjs', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [script, at('app')], { env: environment, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
}

try {
  cli()
  const hasVideo = video()
  await serve()
  // An example needs ffmpeg.
  if (hasVideo) library()
  console.log(
    `Node ${process.version}: the program, its tools${hasVideo ? '' : ' (no ffmpeg: no video)'} and a server work`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
