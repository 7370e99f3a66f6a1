/** Longest response of a provider, in bytes: documents, keys and tokens are far shorter. */
const MAX_ANSWER = 1_000_000

/** As `fetch`, but reads the response completely, up to 1 MB. @throws Error for a longer response */
export async function limitedFetch(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options)
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > MAX_ANSWER) throw new Error('the response is too long')
    chunks.push(chunk)
  }
  const { status, headers } = response
  const hasBody = ![204, 205, 304].includes(status)
  return new Response(hasBody ? Buffer.concat(chunks) : null, { status, headers })
}
