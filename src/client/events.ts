/** Longest event, in characters: results of jobs with long reports. */
const MAX_EVENT = 64 * 1024 * 1024

function parsed(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('data:')) return undefined
  try {
    const value: unknown = JSON.parse(line.slice('data:'.length))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** The JSON objects of a stream of server-sent events, each in one `data:` line. */
export async function* eventsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Record<string, unknown>> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_EVENT) return
    for (const line of lines) {
      const event = parsed(line)
      if (event) yield event
    }
  }
}

/** The parts of a body; it is canceled when the caller stops. Not every browser can iterate over a stream. */
export async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
