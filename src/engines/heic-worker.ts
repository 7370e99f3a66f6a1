/**
 * Runs icodec's HEIC encoder (Emscripten with threads) in a Node worker: gives it the few browser names that it asks for.
 * The same entry serves as the encoder and, started by it, as one of its threads.
 */
import { Worker as NodeWorker, parentPort, workerData } from 'node:worker_threads'

interface Task {
  role: 'encoder' | 'thread'
  module: string
  name?: string
  wasmBinary?: Uint8Array
  image?: { data: Uint8ClampedArray; width: number; height: number; depth: number }
  quality?: number
}

interface Encoder {
  encode(data: Uint8ClampedArray, width: number, height: number, options: object): Uint8Array | string | null
}

type Listener = (event: { data: unknown }) => void

const task = workerData as Task
const browser = globalThis as unknown as Record<string, unknown> & { onmessage?: Listener }

/** A browser's Worker, over a Node worker with this entry. */
class BrowserWorker {
  onmessage?: Listener
  onerror?: (error: unknown) => void
  readonly #worker: NodeWorker

  constructor(url: URL, { name }: { name?: string }) {
    this.#worker = new NodeWorker(new URL(import.meta.url), {
      workerData: { role: 'thread', module: url.href, name } satisfies Task,
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
browser.name = task.name ?? ''
browser.location = { href: task.module }
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

async function encode(): Promise<void> {
  const { default: load } = (await import(task.module)) as { default: (options: object) => Promise<Encoder> }
  const encoder = await load({ wasmBinary: task.wasmBinary })
  const { data, width, height, depth } = task.image!
  const result = encoder.encode(data, width, height, { ...OPTIONS, quality: task.quality, bitDepth: depth })
  parentPort!.postMessage(result instanceof Uint8Array ? { data: result.slice() } : { error: result ?? 'no result' })
}

if (task.role === 'thread') {
  const waiting: unknown[] = []
  parentPort!.on('message', (data) => (browser.onmessage ? browser.onmessage({ data }) : waiting.push(data)))
  await import(task.module)
  for (const data of waiting) browser.onmessage?.({ data })
} else await encode().catch((error: unknown) => parentPort!.postMessage({ error: String(error) }))
