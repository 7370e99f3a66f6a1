/**
 * Runs the examples of docs/library.md, the handler and the plugin in it, in a folder that has the package installed, and
 * measures their results. Plain Node, so that other versions of Node and the packed program can be tried with it.
 * Usage: node test/smoke/library-examples.mjs FOLDER [VITE], where FOLDER/node_modules has mediaproc, and VITE is the folder of vite.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const folder = resolve(process.argv[2])
const vite = process.argv[3]
process.chdir(folder)
const { resolve: resolvePackage } = createRequire(join(folder, 'x.js'))
// The entry of an installed package is found as a program in that folder would find it.
const entry = import.meta.resolve
  ? pathToFileURL(join(folder, 'node_modules/mediaproc/dist/src/index.js'))
  : resolvePackage('mediaproc')
const { run } = await import(entry)

const page = readFileSync(fileURLToPath(new URL('../../docs/library.md', import.meta.url)), 'utf8')
const blocks = page.split(/^##+ /m).flatMap((section) => {
  const code = /^```js\n([\s\S]*?)^```/m.exec(section)?.[1]
  return code ? [{ title: section.split('\n')[0], code }] : []
})
const infoOf = async (path) => (await run('image/info', path)).report
const sizeOf = async (path) => {
  const { width, height, format } = await infoOf(path)
  return [width, height, format]
}

/** A tone of a second: 16 bit, 8 kHz, mono. */
function wave() {
  const samples = Int16Array.from({ length: 8000 }, (_, index) => 8000 * Math.sin(index / 5))
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples.byteLength, 4)
  head.write('WAVEfmt ', 8)
  for (const [at, value] of [
    [16, 16],
    [24, 8000],
    [28, 16000],
    [40, samples.byteLength],
  ])
    head.writeUInt32LE(value, at)
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ])
    head.writeUInt16LE(value, at)
  head.write('data', 36)
  return Buffer.concat([head, Buffer.from(samples.buffer)])
}

async function makeInputs() {
  const svg = (body) => ({
    name: 'x.svg',
    data: Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="192" height="128" viewBox="0 0 600 400">${body}</svg>`,
    ),
  })
  const draw = async (name, body, format) => {
    const { outputs } = await run('image/convert', svg(body), { format })
    writeFileSync(name, outputs[0].data)
  }
  await draw(
    'photo.jpg',
    '<rect width="600" height="400" fill="#347"/><circle cx="200" cy="150" r="90" fill="#fc3"/>',
    'jpg',
  )
  await draw('logo.png', '<circle cx="200" cy="150" r="90" fill="#c23" fill-opacity=".5"/>', 'png')
  writeFileSync('speech.wav', wave())
  const { outputs } = await run('image/image-to-pdf', 'photo.jpg', {}, { as: 'buffer' })
  writeFileSync('letter.pdf', outputs[0].data)
}

/** Runs an example as a module of the folder; returns what it printed. */
async function runExample({ title, code }) {
  const printed = []
  const { log, error } = console
  console.log = console.error = (...values) => printed.push(values.join(' '))
  try {
    const name = join(folder, `example-${title.split('.')[0]}.mjs`)
    writeFileSync(name, `import { run, runPipeline, tools } from 'mediaproc'\n${code}`)
    await import(pathToFileURL(name).href)
  } finally {
    Object.assign(console, { log, error })
  }
  return printed.join('\n')
}

const CHECKS = {
  1: async () => assert.deepEqual(await sizeOf('web/photo_resize.jpg'), [300, 200, 'jpeg']),
  2: async () => assert.deepEqual(await sizeOf('photo.webp'), [600, 400, 'webp']),
  3: async () => assert.deepEqual(await sizeOf('turned.jpg'), [400, 600, 'jpeg']),
  4: async (printed) => {
    assert.match(printed, /\d+ %/)
    assert.ok(readdirSync('.').some((name) => /^speech.*\.mp3$/.test(name)))
  },
  5: async (printed) => assert.match(printed, /^(warning|note): .*half-transparent/im),
  6: async (printed) => assert.match(printed, /^FILE_NOT_FOUND /),
  7: async (printed) => assert.match(printed, /^large \S+\.avif \d+\nsmall \S+\.webp \d+$/),
  8: async () => assert.deepEqual(await sizeOf('thumbs/photo_resize.jpg'), [200, 133, 'jpeg']),
  9: async (printed) => assert.match(printed, /^600 400 jpeg\n.*width/s),
  10: async () => {
    const turned = join(folder, 'letter_rotated.pdf')
    for (let waited = 0; !existsSync(turned) && waited < 300; waited++)
      await new Promise((wait) => setTimeout(wait, 100))
    const { outputs } = await run('pdf/pdf-to-image', turned, {}, { as: 'buffer' })
    const { width, height } = await infoOf(outputs[0].data)
    assert.ok(width > height, `${width} × ${height}`)
  },
}

async function checkHandler({ code }) {
  writeFileSync('thumbnail.mjs', code)
  const { thumbnail } = await import(pathToFileURL(join(folder, 'thumbnail.mjs')).href)
  const server = createServer(thumbnail).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const post = (body) => fetch(`http://127.0.0.1:${server.address().port}/`, { method: 'POST', body })
  const good = await post(readFileSync('photo.jpg'))
  assert.equal(good.headers.get('content-type'), 'image/jpeg')
  writeFileSync('answer.jpg', Buffer.from(await good.arrayBuffer()))
  assert.deepEqual(await sizeOf('answer.jpg'), [200, 133, 'jpeg'])
  const bad = await post('no picture')
  assert.ok(bad.status >= 400 && bad.status < 500, `status ${bad.status}`)
  assert.doesNotMatch(await bad.text(), /[/\\]tmp[/\\]/)
  server.close()
}

async function checkPlugin({ code }) {
  writeFileSync('vite-pictures.mjs', code)
  const { pictures } = await import(pathToFileURL(join(folder, 'vite-pictures.mjs')).href)
  const { build } = await import(pathToFileURL(join(vite, 'dist/node/index.js')).href)
  mkdirSync('site')
  writeFileSync('site/index.html', '<script type="module" src="./main.js"></script>')
  writeFileSync('site/main.js', "import url from '../photo.jpg?width=120'\ndocument.title = url\n")
  await build({ root: join(folder, 'site'), configFile: false, logLevel: 'error', plugins: [pictures()] })
  const [name] = readdirSync('site/dist/assets').filter((one) => one.endsWith('.webp'))
  assert.deepEqual(await sizeOf(join('site/dist/assets', name)), [120, 80, 'webp'])
}

await makeInputs()
const before = readdirSync(folder)
let done = 0
for (const block of blocks) {
  const number = /^\d+/.exec(block.title)?.[0]
  if (number) await CHECKS[number](await runExample(block))
  else if (/server/.test(block.title)) await checkHandler(block)
  else if (/Vite/.test(block.title) && vite) await checkPlugin(block)
  else continue
  done += 1
}
assert.ok(before.length > 0 && done >= Object.keys(CHECKS).length + 1, `${done} examples`)
console.log(`${done} examples of docs/library.md`)
