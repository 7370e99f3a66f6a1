import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** Longest event, in characters: results of jobs with long reports. */
const MAX_EVENT = 64 * 1024 * 1024

/** The JSON objects of a stream of server-sent events, each in one `data:` line. */
export async function* eventsOf(body: Readable): AsyncGenerator<Record<string, unknown>> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const chunk of body as AsyncIterable<Buffer>) {
    rest += decoder.write(chunk)
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_EVENT) return
    for (const line of lines) {
      const event = parsed(line)
      if (event) yield event
    }
  }
}

function parsed(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('data:')) return undefined
  try {
    const value: unknown = JSON.parse(line.slice('data:'.length))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
