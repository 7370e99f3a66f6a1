import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { MediaprocError } from '../errors.ts'
import type { Engine } from './engine.ts'
import { libraryEngine } from './library.ts'
import { workerUrl } from './worker-url.ts'

export interface Point {
  x: number
  y: number
}

/** A code as it was read. */
export interface FoundCode {
  /** The library's name, such as `QRCode` or `EAN13`. */
  format: string
  text: string
  /** Top left, top right, bottom right and bottom left of the code as it is read, px. */
  corners: [Point, Point, Point, Point]
}

export interface BarcodeReader {
  /**
   * Looks for codes in RGBA pixels.
   * @throws MediaprocError PROCESSING_FAILED, CANCELED
   */
  read(pixels: { data: Uint8Array; width: number; height: number }, tryHarder: boolean): Promise<FoundCode[]>
  close(): Promise<unknown>
}

const require = createRequire(import.meta.url)

/** Starts a reader on a thread of its own; it must be closed. */
export async function openBarcodeReader(signal: AbortSignal): Promise<BarcodeReader> {
  const worker = new Worker(workerUrl('zxing-worker'), {
    workerData: {
      library: pathToFileURL(require.resolve('zxing-wasm/reader')).href,
      wasmBinary: await readFile(require.resolve('zxing-wasm/reader/zxing_reader.wasm')),
    },
  })
  const failed = (cause: unknown): MediaprocError =>
    new MediaprocError('PROCESSING_FAILED', 'The barcode reader failed', { detail: String(cause), cause })
  let refuse: (error: unknown) => void = () => undefined
  const stop = (): void => refuse(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  worker.on('error', (error) => refuse(failed(error)))
  return {
    read: ({ data, width, height }, tryHarder) =>
      new Promise<FoundCode[]>((resolve, reject) => {
        refuse = reject
        if (signal.aborted) return reject(signal.reason)
        worker.once('message', ({ found, error }: { found?: FoundCode[]; error?: string }) =>
          found ? resolve(found) : reject(failed(error)),
        )
        worker.postMessage({ data, width, height, tryHarder })
      }),
    close() {
      signal.removeEventListener('abort', stop)
      return worker.terminate()
    },
  }
}

export const zxing: Engine = libraryEngine({
  id: 'zxing',
  purpose: 'reading barcodes and QR codes',
  licence: 'MIT; ZXing-C++ Apache-2.0',
  package: 'zxing-wasm',
  entry: 'zxing-wasm/reader',
})
