/**
 * The thread on which libraries make or read the pixels of one picture that would otherwise keep the thread which calls
 * them busy for seconds: HEIC, JPEG 2000, JPEG XL and PNG as WebAssembly. pixels-thread.ts asks it.
 */

import type { MupdfPixels } from '../mupdf-picture.ts'
import type { HeifPixels } from '../pictures/libheif.ts'
import { answerRequests, type Consult, type Reply } from './worker-answers.ts'

export type JxlWasmPixels = Awaited<ReturnType<typeof import('../pictures/icodec.ts').decodeJxlWasm>>

/** Inputs and results of each kind of work. */
export interface PixelsWork {
  heif: { given: Uint8Array; made: HeifPixels | undefined }
  /** Asks for leave with the size before it makes the pixels. */
  jp2: { given: Uint8Array; made: MupdfPixels }
  jxl: { given: Uint8Array; made: JxlWasmPixels }
  'to-jxl': { given: { image: { width: number; height: number; data: Uint8Array }; quality: number }; made: Uint8Array }
  /** The smallest of several PNGs of one picture, once each is squeezed. */
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

/** Pixels are transferred; those in WebAssembly memory can only be copied. */
function reply(answer: PixelsAnswer): Reply<PixelsAnswer> {
  const bytes = answer && 'data' in answer ? answer.data : answer
  if (!bytes || bytes.byteLength < bytes.buffer.byteLength) return { answer }
  return { answer, transfer: [bytes.buffer] }
}

answerRequests<PixelsRequest, PixelsAnswer>(async (request, _tell, consult) => reply(await work(request, consult)))
