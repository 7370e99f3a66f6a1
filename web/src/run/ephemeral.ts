/** Jobs of the console itself, such as previews: they are no results of the user, and none of them stays in the list. */

import { randomId } from '../../../src/client/random-id.ts'
import { call, request } from '../api/call.ts'
import { forgetGone } from '../files/on-server.ts'
import { type Answer, follow } from './follow.ts'
import { prepare } from './prepare.ts'
import { appendParts } from './upload.ts'

const pathOf = (id: string): string => `api/v1/jobs/${encodeURIComponent(id)}`

/** Ids of the jobs that are not removed yet. */
const open = new Set<string>()

/** Removes a job; one that still runs is stopped. */
function forget(id: string): void {
  open.delete(id)
  request(pathOf(id), { method: 'DELETE', outlivesPage: true }).catch(() => undefined)
}

// Nothing else runs in a page that is left.
addEventListener('pagehide', () => {
  for (const id of open) forget(id)
})

interface Asked {
  /** Address of the route. */
  path: string
  file: File
  settings: Readonly<Record<string, unknown>>
  /** A file from this size on is uploaded once, and then named by all requests: bytes. */
  onceFrom?: number
}

async function formOf({ file, settings, onceFrom }: Asked, id: string, stop: AbortSignal): Promise<FormData> {
  const { parts } = await prepare({ files: [{ field: 'file', file }] }, () => undefined, stop, onceFrom)
  const form = new FormData()
  form.append('settings', JSON.stringify(settings))
  form.append('clientJobId', id)
  appendParts(form, parts)
  return form
}

async function answerTo(asked: Asked, id: string, stop: AbortSignal): Promise<Answer> {
  try {
    const body = await formOf(asked, id, stop)
    const first = await call<Answer>(asked.path, { method: 'POST', body, signal: stop, hasJobId: true })
    if (first.async !== true) return first
  } catch (error) {
    if (!forgetGone(error, [asked.file])) throw error
    return answerTo(asked, id, stop)
  }
  return follow(
    id,
    () => undefined,
    stop,
    () => true,
  )
}

/**
 * Runs a job, and removes it.
 * @param use gets the answer before its files are removed
 * @throws ApiError, OfflineError; an AbortError after a stop
 */
export async function askOnce<T>(asked: Asked, stop: AbortSignal, use: (answer: Answer) => Promise<T> | T): Promise<T> {
  const id = `preview-${randomId()}`
  open.add(id)
  try {
    return await use(await answerTo(asked, id, stop))
  } finally {
    forget(id)
  }
}
