import { addressOf, OfflineError } from '../../api/call.ts'
import type { GetReadyz } from '../../api/types.ts'

/** Which parts of the server are ready. The answer of one that is not has the status 503, and the same shape. */
export async function readiness(): Promise<GetReadyz> {
  const response = await fetch(addressOf('api/v1/readyz')).catch(() => {
    throw new OfflineError('The server cannot be reached')
  })
  return (await response.json()) as GetReadyz
}
