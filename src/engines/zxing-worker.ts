/** The thread that looks for barcodes: WebAssembly that may take seconds. It is asked once for every look at a picture. */
import { workerData } from 'node:worker_threads'
import { answerRequests } from './worker-answers.ts'

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

interface Reading {
  isValid: boolean
  format: string
  text: string
  position: Record<'topLeft' | 'topRight' | 'bottomLeft' | 'bottomRight', Point>
}

interface Library {
  prepareZXingModule(options: { overrides: { wasmBinary: Uint8Array } }): void
  readBarcodes(
    image: { data: Uint8ClampedArray; width: number; height: number },
    options: { tryHarder: boolean; maxNumberOfSymbols: number },
  ): Promise<Reading[]>
}

/** As the thread's `workerData`. */
export interface ZxingLibrary {
  /** The address of the library. */
  library: string
  wasmBinary: Uint8Array
}

export interface ZxingRequest {
  data: Uint8Array
  width: number
  height: number
  tryHarder: boolean
}

/** The most codes that the library tells of. */
const MAX_CODES = 255

const { library, wasmBinary } = workerData as ZxingLibrary
const { prepareZXingModule, readBarcodes } = (await import(library)) as Library
// Without the bytes it would fetch them from the network.
prepareZXingModule({ overrides: { wasmBinary } })

answerRequests<ZxingRequest, FoundCode[]>(async ({ data, width, height, tryHarder }) => {
  const pixels = new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength)
  const found = await readBarcodes({ data: pixels, width, height }, { tryHarder, maxNumberOfSymbols: MAX_CODES })
  const answer = found
    .filter(({ isValid }) => isValid)
    .map(({ format, text, position: { topLeft, topRight, bottomRight, bottomLeft } }): FoundCode => {
      return { format, text, corners: [topLeft, topRight, bottomRight, bottomLeft] }
    })
  return { answer }
})
