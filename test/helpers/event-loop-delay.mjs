/**
 * Imported by a server under test: writes a line to standard error for each turn of the event loop that computed for longer
 * than WATCH_LOOP_MS. Measures the processor time of the thread instead of wall-clock time, so that a
 * busy machine does not matter.
 */
import { readFileSync } from 'node:fs'

const EVERY_MS = 10

/** Milliseconds that the main thread has computed (proc(5): schedstat); on other systems those of all threads. */
function computed() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
}

if (process.argv.includes('serve')) {
  const longest = Number(process.env.WATCH_LOOP_MS)
  let before = computed()
  setInterval(() => {
    const now = computed()
    if (now - before > longest) process.stderr.write(`the event loop computed for ${Math.round(now - before)} ms\n`)
    before = computed()
  }, EVERY_MS).unref()
}
