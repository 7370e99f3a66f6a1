import { readFile } from 'node:fs/promises'
import { toMediaprocError } from '../../errors.ts'
import { builtFile } from '../../root.ts'
import type { Engine } from '../engine.ts'
import { libraryEngine } from '../library.ts'
import { IdleThreads } from '../workers/idle-threads.ts'
import { openWorker, type WorkerThread } from '../workers/worker-thread.ts'
import type { FoundCode, SoughtCodes, ZxingLibrary, ZxingRequest } from '../workers/zxing-worker.ts'

export type { FoundCode, Point, SoughtCodes } from '../workers/zxing-worker.ts'

export interface BarcodeReader {
  /**
   * Searches grey samples for codes: for all types, or for the given ones. For bars the given number of scan lines must
   * agree: two adjacent ones (ZXing's default) are nearly identical, and too often agree on an error.
   * @throws MediaprocError PROCESSING_FAILED, CANCELED
   */
  read(
    pixels: { data: Uint8Array; width: number; height: number },
    options?: { sought?: SoughtCodes; lines?: number },
  ): Promise<FoundCode[]>
  close(): Promise<void>
}

type Thread = WorkerThread<ZxingRequest, FoundCode[]>

/** WebAssembly never gives memory back: threads that read larger pictures end with their job. In pixels. */
const KEPT_PIXELS = 4_000_000

/** To start a thread and to compile the reader takes longer than most searches. */
const idle = new IdleThreads<Thread>()

const startThread = async (): Promise<Thread> =>
  openWorker(builtFile('src/engines/workers/zxing-worker.js'), {
    data: { wasmBinary: await readFile(builtFile('wasm/zxing_reader.wasm')) } satisfies ZxingLibrary,
  })

/** Opens a reader on its own thread, which later readers use again; it must be closed. */
export async function openBarcodeReader(signal: AbortSignal): Promise<BarcodeReader> {
  if (signal.aborted) throw toMediaprocError(signal.reason, 'CANCELED')
  const thread = idle.take() ?? (await startThread())
  let isReusable = true
  const end = (): void => {
    isReusable = false
    void thread.close()
  }
  signal.addEventListener('abort', end, { once: true })
  return {
    async read({ data, width, height }, { sought = 'all', lines = 3 } = {}) {
      if (signal.aborted) throw toMediaprocError(signal.reason, 'CANCELED')
      if (width * height > KEPT_PIXELS) isReusable = false
      try {
        return await thread.ask({ data, width, height, sought, lines })
      } catch (error) {
        isReusable = false
        if (signal.aborted) throw toMediaprocError(signal.reason, 'CANCELED')
        throw toMediaprocError(error, 'PROCESSING_FAILED', 'The barcode reader failed')
      }
    },
    async close() {
      signal.removeEventListener('abort', end)
      if (isReusable && thread.isFree) idle.keep(thread)
      else await thread.close()
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
