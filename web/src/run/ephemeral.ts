/** Jobs of the console itself, such as previews: they are no results of the user, and none of them stays in the list. */
import { call, request } from '../api/call.ts'
import { type Answer, follow } from './follow.ts'

const pathOf = (id: string): string => `api/v1/jobs/${encodeURIComponent(id)}`

/** Removes a job; one that may still run is cancelled first. */
async function forget(id: string, mayRun: boolean): Promise<void> {
  if (mayRun) await request(`${pathOf(id)}/cancel`, { method: 'POST' }).catch(() => undefined)
  await request(pathOf(id), { method: 'DELETE' }).catch(() => undefined)
}

interface Asked {
  /** Address of the route. */
  path: string
  file: File
  settings: Readonly<Record<string, unknown>>
}

/**
 * Runs a job, and removes it.
 * @param use gets the answer before its files are removed
 * @throws ApiError, OfflineError; an AbortError after a stop
 */
export async function askOnce<T>(
  { path, file, settings }: Asked,
  stop: AbortSignal,
  use: (answer: Answer) => Promise<T> | T,
): Promise<T> {
  const id = `preview-${crypto.randomUUID()}`
  const body = new FormData()
  body.append('settings', JSON.stringify(settings))
  body.append('clientJobId', id)
  body.append('file', file, file.name)
  let isEnded = false
  try {
    const first = await call<Answer>(path, { method: 'POST', body, signal: stop })
    const answer =
      first.async === true
        ? await follow(
            id,
            () => undefined,
            stop,
            () => true,
          )
        : first
    isEnded = true
    return await use(answer)
  } finally {
    forget(id, !isEnded)
  }
}
