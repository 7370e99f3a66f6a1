import { readFile } from 'node:fs/promises'
import { toMediaprocError } from '../../errors.ts'
import { builtFile } from '../../root.ts'
import type { Engine } from '../engine.ts'
import { libraryEngine } from '../library.ts'
import { openWorker } from '../workers/worker-thread.ts'
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

/** Starts a reader on its own thread; it must be closed. */
export async function openBarcodeReader(signal: AbortSignal): Promise<BarcodeReader> {
  const thread = openWorker<ZxingRequest, FoundCode[]>(builtFile('src/engines/workers/zxing-worker.js'), {
    signal,
    data: { wasmBinary: await readFile(builtFile('wasm/zxing_reader.wasm')) } satisfies ZxingLibrary,
  })
  return {
    async read({ data, width, height }, { sought = 'all', lines = 3 } = {}) {
      try {
        return await thread.ask({ data, width, height, sought, lines })
      } catch (error) {
        throw toMediaprocError(error, 'PROCESSING_FAILED', 'The barcode reader failed')
      }
    },
    close: () => thread.close(),
  }
}

export const zxing: Engine = libraryEngine({
  id: 'zxing',
  purpose: 'reading barcodes and QR codes',
  licence: 'MIT; ZXing-C++ Apache-2.0',
  package: 'zxing-wasm',
  entry: 'zxing-wasm/reader',
})
