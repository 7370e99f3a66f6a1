// Timing of whole processes, paired: every contender once per round, in turn, so that a drifting machine is fair to all.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Whether a program is on PATH. */
export const has = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

/** The first line that a program says of its version, or ''. */
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

/** Runs a command once: milliseconds, peak memory and what it wrote to stderr. A failure ends the benchmark. */
export function once([program, ...args], { onPeak, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const start = process.hrtime.bigint()
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], ...options })
    let peak = 0
    let said = ''
    const poll = setInterval(() => {
      peak = Math.max(peak, peakOf(child.pid))
      onPeak?.(peak)
    }, 15)
    child.stderr.on('data', (data) => {
      said += data
    })
    child.on('error', reject)
    child.on('exit', (code) => {
      clearInterval(poll)
      if (code !== 0) reject(new Error(`${program} ${args.join(' ')} ended with ${code}: ${said.slice(-400)}`))
      else resolve({ ms: Number(process.hrtime.bigint() - start) / 1e6, peak, said })
    })
  })
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]

/**
 * Every contender `rounds` times, in turn, after one round that is not counted (unless `warmUp` is false).
 * @param contenders name → command, or undefined where the program is absent
 * @returns name → { ms, peak }, medians; absent ones are left out
 */
export async function race(contenders, rounds, { warmUp = true, ...options } = {}) {
  const present = Object.entries(contenders).filter(([, command]) => command)
  const results = Object.fromEntries(present.map(([name]) => [name, { ms: [], peak: [] }]))
  for (let round = warmUp ? 0 : 1; round <= rounds; round += 1)
    for (const [name, command] of present) {
      const { ms, peak } = await once(command, options)
      if (round === 0) continue
      results[name].ms.push(ms)
      results[name].peak.push(peak)
    }
  return Object.fromEntries(
    Object.entries(results).map(([name, { ms, peak }]) => [name, { ms: median(ms), peak: Math.max(...peak) }]),
  )
}
