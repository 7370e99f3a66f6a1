// Compares video and audio tools with hand-written ffmpeg commands, alternating, and measures the processor time.
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { avCases, gifRows, makeVideo, writeClips } from './av-cases.mjs'
import { ffmpeg, once, race, versionOf } from './measure.mjs'
import { pipelineCases, writePipelines } from './pipeline-cases.mjs'
import { saveBlock } from './save.mjs'
import { median, ratios, withSpread } from './statistics.mjs'

const program = ['node', fileURLToPath(new URL('../bin/mediaproc.js', import.meta.url))]
const folder = mkdtempSync(join(tmpdir(), 'mediaproc-bench-'))
const at = (name) => join(folder, name)
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const rounds = Number(process.env.BENCH_ROUNDS) || 7
const VIDEO_PIPELINE = 'pipeline: 4 video steps'
/** Cases whose rounds take many seconds. */
const LONG = new Set([VIDEO_PIPELINE, 'video convert', 'video compress', '50 clips'])

const rows = []
const note = (line) => {
  rows.push(line)
  console.log(line)
}
const load = () => `load ${loadavg()[0].toFixed(1)}`

try {
  makeVideo(ffmpeg, at('clip.mp4'), '854x480')
  makeVideo(ffmpeg, at('video.mp4'), '1280x720')
  await once([ffmpeg, '-y', '-v', 'error', '-i', at('video.mp4'), '-vn', at('clip.wav')])
  await writeClips({ ffmpeg, at })
  writePipelines(at)
  const cases = {
    ...avCases({ program, ffmpeg, at }),
    [VIDEO_PIPELINE]: pipelineCases({ program, byHand: [], ffmpeg, at })[VIDEO_PIPELINE],
  }
  note(`- ${cpus()[0].model}, ${availableParallelism()} cores, Node ${process.version}; ${load()} at the beginning`)
  note(`- ${versionOf(ffmpeg, ['-version'])}`)
  note('')
  note('| work | contender | ms | mediaproc / contender | processor ms | mediaproc / contender |')
  note('|---|---|---|---|---|---|')
  for (const [name, contenders] of Object.entries(cases)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    const results = await race(contenders(), LONG.has(name) ? Math.min(3, rounds) : rounds)
    for (const [who, { ms, cpuMs }] of Object.entries(results)) {
      const over = (of, what) => (who === 'mediaproc' ? '' : median(ratios(results.mediaproc[what], of)).toFixed(2))
      note(
        `| ${name} | ${who} | ${withSpread(ms)} | ${over(ms, 'ms')} | ${withSpread(cpuMs)} | ${over(cpuMs, 'cpuMs')} |`,
      )
    }
  }
  if (wanted.length === 0 || wanted.includes('gif'))
    for (const [who, bytes, likeness] of await gifRows({ program, ffmpeg, at }))
      note(`| GIF of 5 s of 480p | ${who} | ${(bytes / 1e6).toFixed(2)} MB | SSIM ${likeness.toFixed(3)} | | |`)
  if (process.argv.includes('--save')) saveBlock('av', `${rows.join('\n')}\n\nAt the end: ${load()}.`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
