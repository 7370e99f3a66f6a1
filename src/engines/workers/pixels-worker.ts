/**
 * The thread for libraries that decode or encode the pixels of one image and would otherwise block the calling thread
 * for seconds: HEIC, JPEG 2000, JPEG XL and PNG as WebAssembly. Used by pixels-thread.ts.
 */

import type { MupdfPixels } from '../mupdf-picture.ts'
import type { HeifPixels } from '../pictures/libheif.ts'
import { answerRequests, type Consult, type Reply } from './worker-answers.ts'

export type JxlWasmPixels = Awaited<ReturnType<typeof import('../pictures/icodec.ts').decodeJxlWasm>>

/** Input and output of each operation. */
export interface PixelsWork {
  heif: { given: Uint8Array; made: HeifPixels | undefined }
  /** Requests approval of the size before the pixels are allocated. */
  jp2: { given: Uint8Array; made: MupdfPixels }
  jxl: { given: Uint8Array; made: JxlWasmPixels }
  'to-jxl': { given: { image: { width: number; height: number; data: Uint8Array }; quality: number }; made: Uint8Array }
  /** The smallest of several optimised PNGs of one image. */
  'to-png': { given: readonly Uint8Array[]; made: { index: number; data: Uint8Array } }
}

export type PixelsRequest = {
  [Kind in keyof PixelsWork]: { kind: Kind; given: PixelsWork[Kind]['given'] }
}[keyof PixelsWork]
type PixelsAnswer = PixelsWork[keyof PixelsWork]['made']

async function work(request: PixelsRequest, consult: Consult): Promise<PixelsAnswer> {
  switch (request.kind) {
    case 'heif':
      return (await import('../pictures/libheif.ts')).decodeHeif(request.given)
    case 'jp2': {
      const { decodePicture } = await import('../mupdf-picture.ts')
      return decodePicture(request.given, async (width, height) => void (await consult({ width, height })))
    }
    case 'jxl':
      return (await import('../pictures/icodec.ts')).decodeJxlWasm(request.given)
    case 'to-jxl':
      return (await import('../pictures/icodec.ts')).encodeJxlWasm(request.given.image, request.given.quality)
    case 'to-png':
      return smallest(request.given)
  }
}

async function smallest(pngs: readonly Uint8Array[]): Promise<PixelsWork['to-png']['made']> {
  const { squeezePng } = await import('../pictures/oxipng.ts')
  const made = await Promise.all(pngs.map(squeezePng))
  const index = made.reduce((best, { length }, at) => (length < made[best]!.length ? at : best), 0)
  return { index, data: made[index]! }
}

/** Pixels are transferred to the other thread; those in WebAssembly memory can only be copied. */
function reply(answer: PixelsAnswer): Reply<PixelsAnswer> {
  const bytes = answer && 'data' in answer ? answer.data : answer
  if (!bytes || bytes.byteLength < bytes.buffer.byteLength) return { answer }
  return { answer, transfer: [bytes.buffer] }
}

answerRequests<PixelsRequest, PixelsAnswer>(async (request, _tell, consult) => reply(await work(request, consult)))
