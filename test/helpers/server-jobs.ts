import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { plain } from './picture.ts'
import { endlessPdf, until } from './pool.ts'
import { type Answer, call, type Served, send } from './server.ts'

/** A small picture as an upload. */
export const smallPicture = async () => ({ name: 'small.png', bytes: await plain(64, 48, '#20a040').png().toBuffer() })

/** Sends a job that takes milliseconds, to prove that the server works. */
export async function resize(server: Served, token: string, fields: Record<string, string> = {}): Promise<Answer> {
  const settings = ['settings', JSON.stringify({ width: 32 })] as const
  const file = ['file', await smallPicture()] as const
  return send(server, '/api/v1/tools/image/resize', [file, settings, ...Object.entries(fields)], token)
}

/** Sends a job that only its time limit ends: WebAssembly that computes for years. */
export function sendEndless(server: Served, token: string, clientJobId: string): Promise<Answer> {
  const file = { name: 'endless.pdf', bytes: endlessPdf() }
  return send(
    server,
    '/api/v1/tools/pdf/pdf-to-image',
    [
      ['file', file],
      ['clientJobId', clientJobId],
    ],
    token,
  )
}

export const statusOf = async (server: Served, token: string, id: string) =>
  (await call(server, 'GET', `/api/v1/jobs/${id}`, { token })).json

/** Waits until a job is in a state; returns its response. */
export async function untilStatus(server: Served, token: string, id: string, ...wanted: string[]) {
  for (;;) {
    const job = await statusOf(server, token, id)
    if (wanted.includes(job.status)) return job
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

/** Starts such a job, and waits until it runs. Its answer comes after `SYNC_WAIT_MS`, or when it is canceled. */
export async function startEndless(server: Served, token: string, id: string) {
  const answer = sendEndless(server, token, id)
  return { answer, job: await untilStatus(server, token, id, 'processing') }
}

const recordPath = ({ data }: Served, id: string): string => join(data, 'workspace', id, 'job.json')

/** The record of a job on disk. */
export function recordOnDisk(server: Served, id: string) {
  return JSON.parse(readFileSync(recordPath(server, id), 'utf8'))
}

/** Waits until the record on disk has a number of attempts. */
export const untilAttempts = (server: Served, id: string, attempts: number) =>
  until(() => existsSync(recordPath(server, id)) && recordOnDisk(server, id).attempts === attempts)

/** The process that runs the server's only job. */
export async function busyProcess(server: Served, token: string): Promise<number> {
  const { json } = await call(server, 'GET', '/api/v1/admin/health', { token })
  const { processes } = json.pools.jobs as { processes: { processId: number; isBusy: boolean }[] }
  return processes.find(({ isBusy }) => isBusy)!.processId
}
