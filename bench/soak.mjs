// `node bench/serve.mjs --soak 20000`: what the server's process holds while it runs many small jobs. The heap after a
// collection, at the beginning and at the end, is what the program keeps; the resident memory, which is looked at without any,
// has besides what the engine and the allocator keep for later.
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** Flags of Node with which the server tells its memory. */
export const TELLING = ['--expose-gc', '--import', new URL('tell-memory.mjs', import.meta.url).href]
/** Jobs between two looks. */
const STEP = 2000

const MEBIBYTE = 1024 * 1024

/** Asks the server's process by a signal. */
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
 * Runs jobs and prints the curve.
 * @param run sends so many jobs
 * @returns the memory after the first step and at the end: until then code is compiled and buffers find their size
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
