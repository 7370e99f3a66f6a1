import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { temporaryPath } from './av.ts'
import type { Served } from './server.ts'

export interface RawRequest {
  method?: string
  /** As sent: nothing is normalised. */
  path: string
  headers?: Record<string, string>
  body?: string
}

export interface RawAnswer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Starts a request; returns the response when its headers have arrived. */
export function ask(server: Served, { method = 'GET', path, headers = {}, body }: RawRequest) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(server.base, { method, path, headers, agent: false }, resolve)
    sent.once('error', reject)
    sent.end(body)
  })
}

/** A request that `fetch` would change or refuse to send. */
export async function rawCall(server: Served, wanted: RawRequest): Promise<RawAnswer> {
  const answer = await ask(server, wanted)
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return { status: answer.statusCode!, headers: answer.headers, text: Buffer.concat(chunks).toString() }
}

// biome-ignore lint/suspicious/noExplicitAny: what a server sends has no type before it is looked at
export type Frame = any

export interface ProgressStream {
  headers: IncomingHttpHeaders
  /** All frames so far, without heartbeats. */
  frames: Frame[]
  /** The whole body, when the server has ended the stream. */
  ended: Promise<string>
  /** Waits for a matching frame. */
  first(fits: (frame: Frame) => boolean): Promise<Frame>
  close(): void
}

/** Subscribes to a progress stream. */
export async function listen(server: Served, token: string, id: string): Promise<ProgressStream> {
  const path = `/api/v1/jobs/${id}/progress`
  const answer = await ask(server, { path, headers: { authorization: `Bearer ${token}` } })
  if (answer.statusCode !== 200) throw new Error(`no stream: ${answer.statusCode}`)
  const frames: Frame[] = []
  let [text, read] = ['', 0]
  let changed = (): void => undefined
  answer.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    const whole = text.split('\n\n').slice(0, -1)
    const fresh: Frame[] = whole.slice(read).map((part) => JSON.parse(part.slice('data: '.length)))
    frames.push(...fresh.filter(({ type }) => type !== 'heartbeat'))
    read = whole.length
    changed()
  })
  const ended = new Promise<string>((resolve) => {
    answer.once('close', () => {
      changed()
      resolve(text)
    })
  })
  return {
    headers: answer.headers,
    frames,
    ended,
    async first(fits) {
      for (;;) {
        const found = frames.find(fits)
        if (found) return found
        if (answer.closed) throw new Error(`the stream ended without it: ${text}`)
        await new Promise<void>((resolve) => {
          changed = resolve
        })
      }
    },
    close: () => answer.destroy(),
  }
}

const HOLD = `#!/bin/sh
for word in "$@"; do
  file="\${word#file:}"
  if [ -f "$file" ] && [ "$(head -c 4 "$file" | tr -d '\\0')" = fLaC ]; then
    while [ ! -e "GATE" ]; do sleep 0.05; done
  fi
done
exec "FFMPEG" "$@"
`

/** An ffmpeg that waits for a signal before it processes FLAC files: jobs that run as long as a test wants. */
export function heldFfmpeg(): { environment: { MEDIAPROC_FFMPEG: string }; release(): void } {
  const engine = fileURLToPath(new URL('../../dist/src/engines/ffmpeg/ffmpeg.js', import.meta.url))
  const code = `process.stdout.write(await (await import(${JSON.stringify(engine)})).ffmpegPath())`
  const real = execFileSync(process.execPath, ['--input-type=module', '-e', code]).toString()
  const [path, gate] = [temporaryPath('held-ffmpeg.sh'), temporaryPath('released')]
  writeFileSync(path, HOLD.replace('GATE', gate).replace('FFMPEG', real))
  chmodSync(path, 0o755)
  return { environment: { MEDIAPROC_FFMPEG: path }, release: () => writeFileSync(gate, '') }
}
