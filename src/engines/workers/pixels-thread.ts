/**
 * Decodes and encodes images that need WebAssembly, each on its own thread: the calling thread stays responsive and can
 * end them.
 */
import { builtFile } from '../../root.ts'
import { isSmall } from './idle-threads.ts'
import type { PixelsRequest, PixelsWork } from './pixels-worker.ts'
import { type AskOptions, askWorker, type WorkerOptions } from './worker-thread.ts'

type Stop = Pick<WorkerOptions, 'signal'>

const ENTRY = builtFile('src/engines/workers/pixels-worker.js')

function onThread<Kind extends keyof PixelsWork>(
  kind: Kind,
  given: PixelsWork[Kind]['given'],
  options?: Pick<AskOptions, 'signal' | 'onQuestion' | 'isReusable'>,
): Promise<PixelsWork[Kind]['made']> {
  return askWorker(ENTRY, { kind, given } as PixelsRequest, options)
}

/** The primary image of a HEIC file; see libheif.ts. */
export const decodeHeif = (bytes: Uint8Array, stop?: Stop): Promise<PixelsWork['heif']['made']> =>
  onThread('heif', bytes, stop)

/**
 * A JPEG 2000 image; see mupdf-picture.ts.
 * @param check called with the size before the pixels are allocated; throws when it is too large
 */
export const decodeJp2 = (
  bytes: Uint8Array,
  check: (width: number, height: number) => void,
  stop?: Stop,
): Promise<PixelsWork['jp2']['made']> =>
  onThread('jp2', bytes, {
    ...stop,
    onQuestion: async (size) => {
      const { width, height } = size as { width: number; height: number }
      check(width, height)
    },
  })

/** The pixels of a JPEG XL file; see icodec.ts. */
export const decodeJxlWasm = (bytes: Uint8Array, stop?: Stop): Promise<PixelsWork['jxl']['made']> =>
  onThread('jxl', bytes, stop)

/** Size of a PNG, from its header. */
function sizeOf(png: Uint8Array): { width: number; height: number } {
  const header = new DataView(png.buffer, png.byteOffset)
  return { width: header.getUint32(16), height: header.getUint32(20) }
}

/** Losslessly optimises several PNGs of one image and returns the smallest with its index; see oxipng.ts. */
export async function squeezedPng(pngs: readonly Uint8Array[]): Promise<{ index: number; bytes: Buffer }> {
  const isReusable = pngs.every((png) => isSmall(sizeOf(png)))
  const { index, data } = await onThread('to-png', pngs, { isReusable })
  return { index, bytes: Buffer.from(data.buffer, data.byteOffset, data.byteLength) }
}

/** JPEG XL bytes; see icodec.ts. */
export const encodeJxlWasm = (
  image: PixelsWork['to-jxl']['given']['image'],
  quality: number,
): Promise<PixelsWork['to-jxl']['made']> => onThread('to-jxl', { image, quality })
