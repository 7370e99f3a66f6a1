/** One live preview. */
import { request } from '../api/call.ts'
import { askOnce } from '../run/ephemeral.ts'
import { downloadsOf } from '../run/result-files.ts'

/**
 * Runs a tool on a copy.
 * @param tool `section/id`
 * @returns the picture; undefined if the result is no picture
 * @throws ApiError, OfflineError; an AbortError after a stop
 */
export function askPreview(
  tool: string,
  copy: File,
  settings: Readonly<Record<string, unknown>>,
  stop: AbortSignal,
): Promise<Blob | undefined> {
  return askOnce({ path: `api/v1/tools/${tool}`, file: copy, settings }, stop, async (answer) => {
    const [made] = downloadsOf(answer)
    const blob = made && (await (await request(made.url, { signal: stop })).blob())
    return blob?.type.startsWith('image/') ? blob : undefined
  })
}
