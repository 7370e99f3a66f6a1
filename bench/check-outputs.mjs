// npm run check:outputs -- FOLDER [TOOL…]: runs every file of a folder through every tool and preset that accepts it.
// Other programs (ffprobe, exiftool, poppler, qpdf, unzip) read input and output. A difference is silent if the tool
// was not asked for it and no warning names it. Writes nothing into the folder. Exits with 1 for a silent difference or
// a bug (INTERNAL); a refusal is neither.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import sharp from 'sharp'
import { landscape } from '../dist/src/generate/assets/sample-drawings.js'
import { run as runTool } from '../dist/src/index.js'
import * as av from './check-outputs/facts-av.mjs'
import * as image from './check-outputs/facts-image.mjs'
import * as pdf from './check-outputs/facts-pdf.mjs'
import * as text from './check-outputs/facts-text.mjs'
import { missing } from './check-outputs/program.mjs'
import { ASKED, toolsFor } from './check-outputs/tools.mjs'

/** Timeout of one tool on one file, in seconds. */
const LIMIT_S = 300

const [folder, ...wanted] = process.argv.slice(2)
if (!folder) {
  console.error('npm run check:outputs -- FOLDER [TOOL…]')
  process.exit(2)
}
const work = mkdtempSync(join(tmpdir(), 'mediaproc-check-'))
const logo = join(work, 'logo.png')
await sharp(Buffer.from(landscape(80, 60)))
  .png()
  .toFile(logo)

/** Property readers for an input and an output. Files of different media types have their words in common. */
function factsFor(from, to) {
  if (from === 'image' && to === 'image') return image
  if (['video', 'audio'].includes(from) && ['video', 'audio'].includes(to)) return av
  if (from === 'pdf' && to === 'pdf') return pdf
  return text
}

const GROUPS = {
  image: 'jpg jpeg png apng webp avif gif tiff tif heic heif svg bmp ico jxl jp2 tga psd exr hdr qoi ppm eps'.split(
    ' ',
  ),
  video: 'mp4 m4v mov webm mkv avi ts mts m2ts 3gp flv wmv mpg mpeg ogv'.split(' '),
  audio: 'mp3 wav flac aac m4a m4r ogg opus wma aiff amr ac3'.split(' '),
  pdf: ['pdf'],
}
const groupOf = (path) => {
  const extension = path.split('.').at(-1).toLowerCase()
  return Object.keys(GROUPS).find((group) => GROUPS[group].includes(extension)) ?? 'text'
}

const read = new Map()
/** Properties of an input, read once for all tools. */
function inputFacts(path, facts) {
  const key = `${FACTS_NAMES.get(facts)} ${path}`
  if (!read.has(key)) read.set(key, facts.factsOf(path))
  return read.get(key)
}
const FACTS_NAMES = new Map([
  [image, 'image'],
  [av, 'av'],
  [pdf, 'pdf'],
  [text, 'text'],
])

/** Properties that a requested format does not support, by the output's extension, if it differs from the input's. */
const ASKED_BY_FORMAT = { jpg: ['alpha', 'depth'], webp: ['depth'], avif: ['depth'], gif: ['depth', 'density'] }

const extensionOf = (path) => path.split('.').at(-1).toLowerCase().replace('jpeg', 'jpg')

/** Properties that a format conversion changes. */
const askedByFormat = (from, to) =>
  extensionOf(from) === extensionOf(to) ? [] : (ASKED_BY_FORMAT[extensionOf(to)] ?? [])

const shown = (value) => JSON.stringify(value)

/** All differences between an input and an output, as property names with both values. */
async function differences(facts, from, to) {
  const [before, after] = [await inputFacts(from, facts), await facts.factsOf(to)]
  if (!before || !after) return []
  return facts.FACTS.flatMap(({ name, words, lost }) => {
    const found = lost(before[name], after[name])
    if (!found) return []
    const what = found === true ? `${shown(before[name])} → ${shown(after[name])}` : `lost ${shown(found)}`
    return [{ name, words, what }]
  })
}

const count = { files: 0, runs: 0, done: 0, refused: 0, warned: 0, silent: 0, broken: 0 }
const faults = []
const refusals = new Map()

async function tryTool(file, type, { name, basis, settings, inputs, secondary }) {
  const outputDir = join(work, 'out')
  rmSync(outputDir, { recursive: true, force: true })
  mkdirSync(outputDir)
  const about = `${relative(folder, file)}: ${name}`
  count.runs += 1
  try {
    const { outputs, warnings } = await runTool(name, inputs, settings, { outputDir, secondary, timeout: LIMIT_S })
    count.done += 1
    const asked = ASKED[basis] ?? []
    if (asked.includes('all')) return
    for (const { path } of outputs) {
      for (const { name: fact, words, what } of await differences(factsFor(type.group, groupOf(path)), file, path)) {
        if (asked.includes(fact) || askedByFormat(file, path).includes(fact)) continue
        if (warnings.some((warning) => words.test(warning.message))) count.warned += 1
        else {
          count.silent += 1
          faults.push(`SILENT: ${about}: ${fact}: ${what}`)
        }
      }
    }
  } catch (error) {
    if (error.code === 'INTERNAL' || error.code === undefined) {
      count.broken += 1
      faults.push(`BROKEN: ${about}: ${error.detail ?? error.message}`)
      return
    }
    count.refused += 1
    const sentence = `${error.code}: ${error.message}`
    refusals.set(sentence, [...(refusals.get(sentence) ?? []), about])
  }
}

const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  .sort()
try {
  for (const file of files) {
    const { type, tries } = await toolsFor(file, logo, wanted)
    if (!type) continue
    count.files += 1
    const before = faults.length
    for (const one of tries) await tryTool(file, type, one)
    process.stderr.write(
      `${relative(folder, file)}: ${tries.length} tools, ${faults.length - before} silent or broken\n`,
    )
    for (const fault of faults.slice(before)) console.log(fault)
    read.clear()
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}

for (const [sentence, by] of refusals)
  console.log(`refused: ${sentence} — ${by.length > 3 ? `${by.length} runs` : by.join(', ')}`)
for (const [what, number] of Object.entries(count)) console.log(`${String(number).padStart(6)} ${what}`)
if (missing.size > 0) console.log(`Not installed, so their facts were not compared: ${[...missing].join(', ')}`)
process.exitCode = count.silent + count.broken > 0 ? 1 : 0
