// npm run models:check [-- FOLDER] [MODEL…]: runs every installed model on the pictures of a folder, or on a drawn one,
// and reports time, peak memory, and a figure for the quality of the weights. Intended for machines that can download
// weights which this project knows only from their interfaces. Exits with 1 if one fails.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { landscape, portrait } from '../dist/src/generate/assets/sample-drawings.js'
import { run as runTool, tools } from '../dist/src/index.js'
import { allModels, RUNTIME } from '../dist/src/models/manifest.js'
import { installedModel, replaceModel } from '../dist/src/models/store/installed.js'
import { checkOf, drawPicture } from './model-checks.mjs'

const run = promisify(execFile)
const PICTURE = new Set(['.jpg', '.jpeg', '.png', '.webp', '.tif', '.tiff', '.avif', '.heic'])
const SOUND = new Set(['.wav', '.flac', '.mp3', '.m4a', '.ogg', '.opus'])
/** Timeout per model, for all pictures together. */
const LIMIT_MS = 3_600_000
const ONE = '--one'

/** Work of a child process: runs one model on some files, and prints one line of JSON for each. */
async function lookAt(id, files) {
  const check = checkOf(id)
  for (const rival of check.rivals) replaceModel(rival, 'absent')
  const folder = mkdtempSync(join(tmpdir(), 'mediaproc-models-'))
  try {
    for (const [index, picture] of files.entries()) {
      const own = join(folder, `${index}`)
      mkdirSync(own)
      const made = check.make ? await check.make(picture || undefined, own, id) : { input: picture }
      const begun = performance.now()
      let reported
      try {
        const { input, secondary } = made
        const options = { outputDir: join(own, 'out'), secondary, timeout: 0 }
        const result = await runTool(check.tool, input, check.settings(id), options)
        const ms = performance.now() - begun
        reported = {
          ms,
          ...(await check.saw(result, { model: id, picture, made })),
          warnings: result.warnings.map(({ message }) => message),
        }
      } catch (error) {
        const sentence = `${error.message} ${error.detail ?? ''}`.trim()
        // A picture may contain none.
        const isNothing = sentence.startsWith('No subject was found')
        reported = { ms: performance.now() - begun, [isNothing ? 'saw' : 'problem']: sentence }
      }
      console.log(JSON.stringify({ picture, peakMb: process.resourceUsage().maxRSS / 1024, ...reported }))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const printResult = (line) => {
  const { picture, ms, peakMb, saw, problem, warnings = [] } = JSON.parse(line)
  const where = picture ? ` on ${picture.split('/').pop()}` : ''
  console.log(
    `   ${problem ? `FAILED: ${problem}` : saw}${where} (${(ms / 1000).toFixed(1)} s, ${Math.round(peakMb)} MiB)`,
  )
  for (const warning of warnings) console.log(`   ${warning}`)
  return problem === undefined
}

async function lookAtAll(args) {
  const folder = args.find((argument) => existsSync(argument) && statSync(argument).isDirectory())
  const wanted = args.filter((argument) => argument !== folder)
  const drawn = mkdtempSync(join(tmpdir(), 'mediaproc-drawn-'))
  const known = new Set(tools().map(({ section, id }) => `${section}/${id}`))
  const files = folder ? readdirSync(folder).map((name) => join(folder, name)) : []
  const of = (extensions) => files.filter((path) => extensions.has(extname(path).toLowerCase())).sort()
  const own = { picture: of(PICTURE), audio: of(SOUND) }
  let isGood = true
  try {
    await drawPicture(landscape(960, 720), join(drawn, 'landscape.jpg'))
    await drawPicture(portrait(720, 960), join(drawn, 'portrait.jpg'))
    for (const { id, role } of allModels()) {
      if (id === RUNTIME || !(await installedModel(id)) || (wanted.length > 0 && !wanted.includes(id))) continue
      console.log(`${id} (${role})`)
      const check = checkOf(id)
      if (!check || !known.has(check.tool)) {
        console.log('   no tool takes it by itself: not looked at')
        continue
      }
      const given = own[check.takes ?? 'picture']
      const drawing = check.drawing ?? 'landscape'
      const drawings = check.takes ? [] : (check.drawings ?? [drawing && join(drawn, `${drawing}.jpg`)])
      const all = given.length > 0 ? given : drawings
      if (all.length === 0) console.log(`   give a folder with ${check.takes}: not looked at`)
      else isGood = (await lookedAt(id, all)) && isGood
    }
  } finally {
    rmSync(drawn, { recursive: true, force: true })
  }
  return isGood
}

/** In a separate process, so that its memory can be measured and a crash affects only one model. */
async function lookedAt(id, files) {
  const args = [fileURLToPath(import.meta.url), ONE, id, ...files]
  const { stdout, problem } = await run(process.execPath, args, { timeout: LIMIT_MS, maxBuffer: 1e8 }).catch(
    (error) => ({
      stdout: error.stdout ?? '',
      problem: `its process ended with ${error.signal ?? error.code}: ${`${error.stderr}`.slice(-400)}`,
    }),
  )
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'))
  const isGood = lines.map(printResult).every(Boolean)
  if (problem) console.log(`   FAILED: ${problem}`)
  return isGood && !problem
}

const args = process.argv.slice(2)
if (args[0] === ONE) await lookAt(args[1], args.slice(2))
else process.exitCode = (await lookAtAll(args)) ? 0 : 1
