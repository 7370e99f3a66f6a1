import { toMediaprocError } from '../../errors.ts'
import { builtFile } from '../../root.ts'
import type { Engine } from '../engine.ts'
import { libraryEngine } from '../library.ts'
import { isSmall } from '../workers/idle-threads.ts'
import { leaseWorker } from '../workers/worker-thread.ts'
import type { FoundCode, SoughtCodes, ZxingRequest } from '../workers/zxing-worker.ts'

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

/** A photograph of a code; its grey samples take less memory than the colours of other tools. In pixels. */
const KEPT_PIXELS = 4_000_000

/** Opens a reader on a thread, which later readers use again; it must be closed. */
export function openBarcodeReader(signal: AbortSignal): BarcodeReader {
  const lease = leaseWorker<ZxingRequest, FoundCode[]>(builtFile('src/engines/workers/zxing-worker.js'), signal)
  let isReusable = true
  return {
    async read({ data, width, height }, { sought = 'all', lines = 3 } = {}) {
      isReusable &&= isSmall({ width, height }, KEPT_PIXELS)
      try {
        return await lease.ask({ data, width, height, sought, lines })
      } catch (error) {
        throw toMediaprocError(error, 'PROCESSING_FAILED', 'The barcode reader failed')
      }
    },
    close: () => lease.release(isReusable),
  }
}

export const zxing: Engine = libraryEngine({
  id: 'zxing',
  purpose: 'reading barcodes and QR codes',
  licence: 'MIT; ZXing-C++ Apache-2.0',
  package: 'zxing-wasm',
  entry: 'zxing-wasm/reader',
})
