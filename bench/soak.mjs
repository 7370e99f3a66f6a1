// `node bench/serve.mjs --soak 20000`: memory of the server process while it runs many small jobs. The heap after a
// garbage collection, at the start and at the end, is what the program retains. The resident memory, measured without a
// collection, also includes what the engine and the allocator reserve.
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** Node flags that make the server report its memory. */
export const MEMORY_FLAGS = ['--expose-gc', '--import', new URL('print-memory.mjs', import.meta.url).href]
/** Number of jobs between two measurements. */
const STEP = 2000

const MEBIBYTE = 1024 * 1024

/** Requests the server's memory with a signal. */
function teller({ pid, stdout }) {
  const lines = createInterface({ input: stdout })
  return async (signal) => {
    const answered = once(lines, 'line')
    process.kill(pid, signal)
    const [line] = await answered
    const { rss, heapTotal, heapUsed, external } = JSON.parse(line)
    return Object.fromEntries(
      Object.entries({ rss, heapTotal, heapUsed, external }).map(([name, bytes]) => [name, bytes / MEBIBYTE]),
    )
  }
}

/**
 * Runs jobs and prints the memory over time.
 * @param run sends the given number of jobs
 * @returns the memory after the first step and at the end: before that, code is compiled and buffers grow to their size
 */
export async function soakOver(child, count, run) {
  const memory = teller(child)
  const print = (...cells) => console.log(`| ${cells.join(' | ')} |`)
  print('jobs', 'resident MB', 'heap', 'of it used', 'external', 'heap used after a collection')
  print('---', '---', '---', '---', '---', '---')
  const looks = []
  for (let done = 0; done < count; ) {
    const next = Math.min(STEP, count - done)
    await run(next)
    done += next
    const now = await memory('SIGUSR2')
    const isEnd = looks.length === 0 || done === count
    const kept = isEnd ? (await memory('SIGUSR1')).heapUsed : undefined
    const cells = [now.rss, now.heapTotal, now.heapUsed, now.external].map((value) => value.toFixed(1))
    print(done.toLocaleString('en'), ...cells, kept?.toFixed(1) ?? '')
    looks.push({ resident: now.rss, kept })
  }
  return [looks[0], looks.at(-1)]
}
