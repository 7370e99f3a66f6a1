/** The thread that looks for barcodes: WebAssembly that may take seconds. It gets pictures as messages and answers each. */
import { parentPort, workerData } from 'node:worker_threads'

interface Reading {
  isValid: boolean
  format: string
  text: string
  position: Record<'topLeft' | 'topRight' | 'bottomLeft' | 'bottomRight', { x: number; y: number }>
}

interface Library {
  prepareZXingModule(options: { overrides: { wasmBinary: Uint8Array } }): void
  readBarcodes(
    image: { data: Uint8ClampedArray; width: number; height: number },
    options: { tryHarder: boolean; maxNumberOfSymbols: number },
  ): Promise<Reading[]>
}

interface Question {
  data: Uint8Array
  width: number
  height: number
  tryHarder: boolean
}

/** The most codes that the library tells of. */
const MOST_CODES = 255

const { library, wasmBinary } = workerData as { library: string; wasmBinary: Uint8Array }

async function main(): Promise<void> {
  const { prepareZXingModule, readBarcodes } = (await import(library)) as Library
  // Without the bytes it would fetch them from the network.
  prepareZXingModule({ overrides: { wasmBinary } })
  parentPort!.on('message', ({ data, width, height, tryHarder }: Question) => {
    const pixels = new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength)
    readBarcodes({ data: pixels, width, height }, { tryHarder, maxNumberOfSymbols: MOST_CODES }).then(
      (found) =>
        parentPort!.postMessage({
          found: found
            .filter(({ isValid }) => isValid)
            .map(({ format, text, position: { topLeft, topRight, bottomRight, bottomLeft } }) => ({
              ...{ format, text, corners: [topLeft, topRight, bottomRight, bottomLeft] },
            })),
        }),
      (error: unknown) => parentPort!.postMessage({ error: String(error) }),
    )
  })
}

void main()
