// Timing of whole processes, paired: every contender runs once per round, alternating, so that drift affects all
// equally.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Whether a program is on PATH. */
export const has = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

/** The ffmpeg used by our tools and by the hand-written commands. */
export const ffmpeg =
  process.env.MEDIAPROC_FFMPEG ||
  (has('ffmpeg')
    ? 'ffmpeg'
    : execFileSync('node', ['-p', "require('@ffmpeg-installer/ffmpeg').path"], { encoding: 'utf8' }).trim())

/** First line of a program's version output, or ''. */
export function versionOf(program, args = ['--version']) {
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  return `${stdout ?? ''}${stderr ?? ''}`.trim().split('\n')[0]
}

/** Peak resident memory of a running process so far, in MiB (Linux only). */
function peakOf(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
  } catch {
    return 0
  }
}

/** Runs a command, and reports on descriptor 3 the processor time of it and its awaited children. */
const WITH_TIMES = 'TIMEFORMAT="%U %S"; { time "$@" 2>&4; } 4>&2 2>&3'

/** The first child of a process. Linux only. */
function childOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0]
  } catch {
    return ''
  }
}

/**
 * Runs a command once: milliseconds, processor time (of all its programs), peak memory and standard error. A failure
 * ends the benchmark.
 */
export function once([program, ...args], { onPeak, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const start = process.hrtime.bigint()
    const stdio = ['ignore', 'ignore', 'pipe', 'pipe']
    const child = spawn('bash', ['-c', WITH_TIMES, 'bash', program, ...args], { stdio, ...options })
    let times = ''
    child.stdio[3].on('data', (data) => {
      times += data
    })
    let peak = 0
    let said = ''
    const poll = setInterval(() => {
      peak = Math.max(peak, peakOf(childOf(child.pid)))
      onPeak?.(peak)
    }, 15)
    child.stderr.on('data', (data) => {
      said += data
    })
    child.on('error', reject)
    let ms
    child.on('exit', () => {
      ms = Number(process.hrtime.bigint() - start) / 1e6
    })
    child.on('close', (code) => {
      clearInterval(poll)
      const [user, system] = times.trim().split(' ').map(Number)
      if (code !== 0) reject(new Error(`${program} ${args.join(' ')} ended with ${code}: ${said.slice(-400)}`))
      else resolve({ ms, cpuMs: (user + system) * 1000, peak, said })
    })
  })
}

/**
 * Runs every contender `rounds` times, alternating, after one round that is not counted (unless `warmUp` is false).
 * @param contenders name → command, or undefined if the program is missing
 * @returns name → { ms, cpuMs, peak }, with the times of each round; missing programs are omitted
 */
export async function race(contenders, rounds, { warmUp = true, ...options } = {}) {
  const present = Object.entries(contenders).filter(([, command]) => command)
  const results = Object.fromEntries(present.map(([name]) => [name, { ms: [], cpuMs: [], peak: [] }]))
  for (let round = warmUp ? 0 : 1; round <= rounds; round += 1)
    for (const [name, command] of present) {
      const { ms, cpuMs, peak } = await once(command, options)
      if (round === 0) continue
      results[name].ms.push(ms)
      results[name].cpuMs.push(cpuMs)
      results[name].peak.push(peak)
    }
  return Object.fromEntries(
    Object.entries(results).map(([name, { peak, ...times }]) => [name, { ...times, peak: Math.max(...peak) }]),
  )
}
