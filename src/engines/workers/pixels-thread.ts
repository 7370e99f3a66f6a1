/**
 * Decodes and encodes images that need WebAssembly, each on its own thread: the calling thread stays responsive and can
 * end them.
 */
import { builtFile } from '../../root.ts'
import { IdleThreads } from './idle-threads.ts'
import type { PixelsRequest, PixelsWork } from './pixels-worker.ts'
import { askWorker, openWorker, type WorkerOptions, type WorkerThread } from './worker-thread.ts'

type Stop = Pick<WorkerOptions, 'signal'>

const ENTRY = builtFile('src/engines/workers/pixels-worker.js')

function onThread<Kind extends keyof PixelsWork>(
  kind: Kind,
  given: PixelsWork[Kind]['given'],
  { signal, onQuestion }: Stop & { onQuestion?: (question: unknown) => Promise<unknown> } = {},
): Promise<PixelsWork[Kind]['made']> {
  return askWorker(ENTRY, { kind, given } as PixelsRequest, {
    ...(signal && { signal }),
    ...(onQuestion && { onQuestion }),
  })
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

type Squeezer = WorkerThread<PixelsRequest, PixelsWork['to-png']['made']>

/** WebAssembly never gives memory back: threads that optimise larger images are ended. In pixels. */
const KEPT_PIXELS = 1_000_000

/** To start a thread takes longer than to optimise an icon. */
const squeezers = new IdleThreads<Squeezer>()

/** Pixels of a PNG, from its header. */
const pixelsOf = (png: Uint8Array): number => {
  const header = new DataView(png.buffer, png.byteOffset)
  return header.getUint32(16) * header.getUint32(20)
}

/** Losslessly optimises several PNGs of one image and returns the smallest with its index; see oxipng.ts. */
export async function squeezedPng(pngs: readonly Uint8Array[]): Promise<{ index: number; bytes: Buffer }> {
  const thread = squeezers.take() ?? (openWorker(ENTRY) as Squeezer)
  let isReusable = false
  try {
    const { index, data } = await thread.ask({ kind: 'to-png', given: pngs })
    isReusable = pngs.every((png) => pixelsOf(png) <= KEPT_PIXELS)
    return { index, bytes: Buffer.from(data.buffer, data.byteOffset, data.byteLength) }
  } finally {
    if (isReusable) squeezers.keep(thread)
    else await thread.close()
  }
}

/** JPEG XL bytes; see icodec.ts. */
export const encodeJxlWasm = (
  image: PixelsWork['to-jxl']['given']['image'],
  quality: number,
): Promise<PixelsWork['to-jxl']['made']> => onThread('to-jxl', { image, quality })
