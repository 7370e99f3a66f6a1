/** Longest event, in characters: results of jobs with long reports. */
const MAX_EVENT = 64 * 1024 * 1024

function parsed(line: string): unknown {
  if (!line.startsWith('data:')) return undefined
  try {
    return JSON.parse(line.slice('data:'.length))
  } catch {
    return undefined
  }
}

/** The JSON objects of a stream of server-sent events, each in one `data:` line. The stream is canceled when the caller stops. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Record<string, unknown>> {
  const [reader, decoder] = [body.getReader(), new TextDecoder()]
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      rest += decoder.decode(value, { stream: true })
      const lines = rest.split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > MAX_EVENT) return
      for (const line of lines) {
        const event = parsed(line)
        if (typeof event === 'object' && event !== null) yield event as Record<string, unknown>
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
