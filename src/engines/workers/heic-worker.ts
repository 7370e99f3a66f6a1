/**
 * Runs icodec's HEIC encoder (Emscripten with threads) in a Node worker: provides the few browser globals that it
 * needs. The same entry serves as the encoder and, when started by it, as one of its threads.
 */
import { Worker as NodeWorker, parentPort, workerData } from 'node:worker_threads'
import { answerRequests, type Reply } from './worker-answers.ts'

/** The role of a thread with this entry, as its `workerData`. */
export interface HeicRole {
  role: 'encoder' | 'thread'
  /** The URL of the encoder's module. */
  module: string
  /** The name of an Emscripten thread. */
  name?: string
}

export interface HeicRequest {
  wasmBinary: Uint8Array
  image: { data: Uint8ClampedArray; width: number; height: number; depth: number }
  quality: number
}

interface Encoder {
  encode(data: Uint8ClampedArray, width: number, height: number, options: object): Uint8Array | string | null
}

type Listener = (event: { data: unknown }) => void

const role = workerData as HeicRole
const browser = globalThis as unknown as Record<string, unknown> & { onmessage?: Listener }

/** A browser-style Worker on top of a Node worker with this entry. */
class BrowserWorker {
  onmessage?: Listener
  onerror?: (error: unknown) => void
  readonly #worker: NodeWorker

  constructor(url: URL, { name }: { name?: string }) {
    this.#worker = new NodeWorker(new URL(import.meta.url), {
      workerData: { role: 'thread', module: url.href, name } satisfies HeicRole,
    })
    this.#worker.on('message', (data) => this.onmessage?.({ data }))
    this.#worker.on('error', (error) => this.onerror?.(error))
  }

  postMessage(message: unknown, transfer?: readonly never[]): void {
    this.#worker.postMessage(message, transfer)
  }

  terminate(): void {
    void this.#worker.terminate()
  }
}

browser.self = globalThis
browser.name = role.name ?? ''
browser.location = { href: role.module }
browser.importScripts = () => undefined
browser.Worker = BrowserWorker
browser.postMessage = (message: unknown) => parentPort!.postMessage(message)

/** libheif's and x265's parameters as icodec names them; see its lib/heic.d.ts. */
const OPTIONS = {
  lossless: false,
  preset: 'slow',
  tune: 'ssim',
  tuIntraDepth: 2,
  complexity: 50,
  chroma: '420',
  sharpYUV: false,
}

async function encode({ wasmBinary, image, quality }: HeicRequest): Promise<Reply<Uint8Array>> {
  const { default: load } = (await import(role.module)) as { default: (options: object) => Promise<Encoder> }
  const encoder = await load({ wasmBinary })
  const { data, width, height, depth } = image
  const result = encoder.encode(data, width, height, { ...OPTIONS, quality, bitDepth: depth })
  if (!(result instanceof Uint8Array)) throw new Error(result ?? 'no result')
  // The result is in the encoder's memory, which its threads share.
  const answer = result.slice()
  return { answer, transfer: [answer.buffer] }
}

if (role.role === 'thread') {
  const waiting: unknown[] = []
  parentPort!.on('message', (data) => (browser.onmessage ? browser.onmessage({ data }) : waiting.push(data)))
  await import(role.module)
  for (const data of waiting) browser.onmessage?.({ data })
} else answerRequests(encode)
