// npm run check:images -- FOLDER [TOOL…]: runs every file of a folder through our decoder, an independent one, and
// every image tool. Counts successes, refusals and differences, so that users can search for bugs with their own files.
// Writes nothing into the folder. Exits with 1 if a picture differs or a tool fails (INTERNAL); a refusal is not a
// failure.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { run as runTool, tools } from '../dist/src/index.js'

const run = promisify(execFile)
/** Timeout of one tool on one file, in seconds. */
const LIMIT_S = 120
/** Mean difference of 8 bit samples that rounding, chroma upsampling and colour engines can explain. */
const MAX_MEAN_DIFFERENCE = 4

const [folder, ...wanted] = process.argv.slice(2)
if (!folder) {
  console.error('npm run check:images -- FOLDER [TOOL…]')
  process.exit(2)
}
const work = mkdtempSync(join(tmpdir(), 'mediaproc-check-'))

/** Programs that decode a file to PNG, by extension and as a default; the first installed one is used. */
const BY_EXTENSION = {
  jxl: [['djxl', (file, png) => [file, png]]],
  heic: [['heif-convert', (file, png) => [file, png]]],
  heif: [['heif-convert', (file, png) => [file, png]]],
  avif: [
    ['avifdec', (file, png) => [file, png]],
    ['heif-convert', (file, png) => [file, png]],
  ],
}
const magick = (file, png) => [`${file}[0]`, '-auto-orient', '-colorspace', 'sRGB', '-depth', '8', png]
const FOR_ALL = [
  ['magick', magick],
  ['convert', magick],
  ['ffmpeg', (file, png) => ['-v', 'error', '-y', '-i', file, '-frames:v', '1', '-update', '1', png]],
]

const missing = new Set()
async function isInstalled(program) {
  if (missing.has(program)) return false
  return run(program, ['-version'], { timeout: 20_000 }).then(
    () => true,
    ({ code }) => {
      if (code === 'ENOENT') missing.add(program)
      return code !== 'ENOENT'
    },
  )
}

/** The picture as decoded by another program; undefined if none can open it. */
async function decodedByOthers(file, name) {
  const own = BY_EXTENSION[extname(name).slice(1).toLowerCase()]
  for (const [program, args] of own ?? FOR_ALL) {
    if (!(await isInstalled(program))) continue
    const png = join(work, `${program}.png`)
    rmSync(png, { force: true })
    try {
      await run(program, args(file, png), { timeout: LIMIT_S * 1000, maxBuffer: 1e8 })
      statSync(png)
      return { program, png }
    } catch {}
  }
  return undefined
}

/** Whether two decoders must agree: the size of a vector drawing and the colours of untagged CMYK are arbitrary. */
const isComparable = (file) =>
  sharp(file, { failOn: 'none' })
    .metadata()
    .then(
      ({ format, space }) => format !== 'svg' && space !== 'cmyk',
      () => true,
    )

/** 8 bit sRGB over white. */
const samples = (path) =>
  sharp(path, { failOn: 'none' })
    .toColourspace('srgb')
    .flatten({ background: '#ffffff' })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })

/** Describes the difference between two decoded pictures; undefined if there is none. */
async function difference(ours, theirs) {
  const [one, other] = await Promise.all([samples(ours), samples(theirs)])
  const size = ({ info }) => `${info.width}x${info.height}`
  if (size(one) !== size(other)) return `${size(one)} and not ${size(other)}`
  if (one.info.channels !== other.info.channels) return `${one.info.channels} and not ${other.info.channels} channels`
  let sum = 0
  for (let at = 0; at < one.data.length; at += 1) sum += Math.abs(one.data[at] - other.data[at])
  const mean = sum / one.data.length
  return mean > MAX_MEAN_DIFFERENCE ? `a mean difference of ${mean.toFixed(1)} of 255` : undefined
}

/** Runs a tool on a file and discards the outputs. */
async function tried(id, file, settings, secondary) {
  const outputDir = join(work, 'out')
  rmSync(outputDir, { recursive: true, force: true })
  mkdirSync(outputDir)
  const names = typeof file === 'string' ? file : [...file]
  return runTool(id, names, settings, { outputDir, secondary, timeout: LIMIT_S }).then(
    (result) => ({ result }),
    (error) => ({ error }),
  )
}

/** The image tools that take one picture, with the settings of their first example. */
function toolsToTry() {
  return tools()
    .filter(({ section, base, input }) => section === 'image' && !base && input.files !== 'none')
    .filter(({ id }) => wanted.length === 0 || wanted.includes(id))
    .map(({ id, input, examples }) => ({
      id: `image/${id}`,
      count: input.min,
      settings: examples[0]?.settings ?? {},
      secondary: Object.entries(input.secondary ?? {})
        .filter(([, { required }]) => required)
        .map(([name]) => name),
    }))
}

const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  .sort()
const count = { pictures: 0, 'no pictures': 0, compared: 0, different: 0, done: 0, refused: 0, broken: 0 }
const faults = []
const refusals = new Map()

try {
  for (const file of files) {
    const name = relative(folder, file)
    const opened = await tried('image/convert', file, { format: 'png' })
    if (opened.error && ['UNSUPPORTED_FILE_TYPE', 'EMPTY_FILE'].includes(opened.error.code)) {
      count['no pictures'] += 1
      continue
    }
    count.pictures += 1
    if (opened.result) {
      const theirs = (await isComparable(file)) ? await decodedByOthers(file, name) : undefined
      if (theirs) {
        count.compared += 1
        const what = await difference(opened.result.outputs[0].path, theirs.png)
        if (what) {
          count.different += 1
          faults.push(`${name}: ${what} (${theirs.program})`)
        }
      }
    }
    for (const { id, count: inputs, settings, secondary } of toolsToTry()) {
      const further = Object.fromEntries(secondary.map((role) => [role, file]))
      const { error } = await tried(id, inputs > 1 ? Array(inputs).fill(file) : file, settings, further)
      if (!error) count.done += 1
      else if (error.code === 'INTERNAL') {
        count.broken += 1
        faults.push(`${name}: ${id}: ${error.detail ?? error.message}`)
      } else {
        count.refused += 1
        const sentence = `${name}: ${error.message} (${error.code})`
        refusals.set(sentence, [...(refusals.get(sentence) ?? []), id.slice('image/'.length)])
      }
    }
    process.stderr.write('.')
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}

process.stderr.write('\n')
for (const [sentence, by] of refusals)
  console.log(`refused: ${sentence} — ${by.length > 6 ? `${by.length} tools` : by.join(', ')}`)
for (const fault of faults) console.log(`FAULT: ${fault}`)
for (const [what, number] of Object.entries(count)) console.log(`${String(number).padStart(6)} ${what}`)
if (missing.size > 0) console.log(`Not installed, so not compared with: ${[...missing].join(', ')}`)
process.exitCode = faults.length > 0 ? 1 : 0
