import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { findTool } from '../../src/pipeline/read/find-tool.ts'
import type { NamedFile, ToolTask } from '../../src/pool/messages.ts'
import { createPool, type Pool, type PoolOptions } from '../../src/pool/pool.ts'
import { checkSettings } from '../../src/tool/validate.ts'
import { afterEveryTest } from './clean-up.ts'

const open: Pool[] = []
let tasks = 0

afterEveryTest(async () => {
  await Promise.all(open.splice(0).map((pool) => pool.close()))
})

/** A pool that is closed after the test: one slot, a queue of ten jobs. */
export function testPool(options: Partial<PoolOptions> = {}): Pool {
  const pool = createPool({ size: 1, queueLimit: 10, memoryMb: 1024, recycleAfter: 100, ...options })
  open.push(pool)
  return pool
}

export const namedFile = (path: string): NamedFile => ({ path, name: basename(path) })

/** A task with checked settings, and its own destination in `folder`. */
export function toolTask(
  folder: string,
  target: string,
  inputs: readonly string[],
  settings: Record<string, unknown> = {},
  more: Partial<ToolTask> = {},
): ToolTask {
  tasks += 1
  const id = `task-${tasks}`
  return {
    id,
    kind: 'tool',
    target,
    settings: checkSettings(findTool(target).entry.settings, settings),
    inputs: inputs.map(namedFile),
    destination: join(folder, id),
    timeoutS: 60,
    heavy: false,
    ...more,
  }
}

/** Files in the destination of a task, and unfinished ones next to it. */
export function leftBy(destination: string): string[] {
  const end = `-${basename(destination)}`
  const beside = readdirSync(dirname(destination)).filter(
    (name) => name.startsWith('.mediaproc-') && name.endsWith(end),
  )
  return [...(existsSync(destination) ? readdirSync(destination) : []), ...beside]
}

/** The id of the process that runs the pool's one job. */
export const busyProcess = (pool: Pool): number => pool.stats().processes.find(({ isBusy }) => isBusy)!.processId!

/** Waits until a condition is true. */
export async function until<T>(find: () => T | undefined | false, ms = 20_000): Promise<T> {
  const patience = Date.now() + ms
  for (;;) {
    const found = find()
    if (found) return found
    if (Date.now() > patience) throw new Error('it never came to that')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Whether a process is running and not only waiting to be collected. Linux only. */
export function isAlive(processId: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${processId}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** The programs that a process has started. Linux only. */
export function programsOf(processId: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => {
      try {
        return new RegExp(`^PPid:\\s+${processId}$`, 'm').test(readFileSync(`/proc/${one}/status`, 'utf8'))
      } catch {
        return false
      }
    })
}

/** A PDF of one page whose forms draw each other ten times, ten deep: a valid file that takes years to draw. */
export function endlessPdf(): Buffer {
  const depth = 10
  const stream = (head: string, body: string): string =>
    `<< ${head} /Length ${body.length} >>\nstream\n${body}\nendstream`
  const form = '/Type /XObject /Subtype /Form /BBox [0 0 200 200]'
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /XObject << /F 5 0 R >> >> >>',
    stream('', '/F Do'),
    ...Array.from({ length: depth }, (_, level) =>
      stream(`${form} /Resources << /XObject << /F ${6 + level} 0 R >> >>`, '/F Do '.repeat(10)),
    ),
    stream(form, '0 0 100 100 re f'),
  ]
  let text = '%PDF-1.4\n'
  const offsets = objects.map((body, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${body}\nendobj\n`
    return offset
  })
  const start = text.length
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`
  return Buffer.from(`${text}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`)
}
