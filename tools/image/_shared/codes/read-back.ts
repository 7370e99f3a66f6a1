import { type BarcodeReader, openBarcodeReader } from '../../../../src/engines/pictures/zxing.ts'
import { openSharp, type Sharp } from '../../../../src/engines/sharp.ts'

/** Why a drawn code may not be readable: the first word of a warning. */
export type Risk = 'contrast' | 'inverted' | 'quiet-zone' | 'logo' | 'style' | 'module-size' | 'length' | 'unreadable'

export interface DrawnCode {
  png: Buffer
  /** Accepted contents: the encoded text, or the bytes of it. */
  expected: readonly (string | Buffer)[]
  /** Side of a module, or width of the narrowest bar, px. */
  module: number
  kind: 'lines' | 'areas'
  /** Light modules on a dark ground. */
  isInverted?: boolean
  /** The ground of transparent pixels; around the code `surround`, so that its quiet zone is all that it has. */
  page?: string
  surround?: string
}

/** Levels of a reading: not at all; only as drawn; small and blurred as well, without or with the surround. */
export type Reading = 'none' | 'as drawn' | 'softened' | 'surrounded'

/** Larger modules are reduced to this: more pixels cost time and show nothing else. */
const LARGEST_MODULE = { areas: 8, lines: 4 }
/** Modules of a small picture, as of a phone at some distance: px. */
const SMALL_MODULE = { areas: 3, lines: 2 }
/** Blur of the small picture: standard deviation, px. */
const BLUR = 0.7
/** Width of the surround, px. */
const SURROUND = 24

interface Grey {
  data: Buffer
  width: number
  height: number
}

async function grey(image: Sharp): Promise<Grey> {
  const made = image.greyscale().toColourspace('b-w').raw({ depth: 'uchar' })
  const { data, info } = await made.toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

const opened = ({ data, width, height }: Grey): Promise<Sharp> =>
  openSharp(data, { raw: { width, height, channels: 1 } })

/** Every few pixels of a large picture: much less work than computing a small one from all of them. */
async function sampled(png: Buffer, factor: number): Promise<Sharp> {
  const image = await openSharp(png)
  if (factor >= 1) return image
  const width = Math.max(1, Math.round((await image.metadata()).width * factor))
  const fewer = image.resize({ width, kernel: 'nearest' }).raw({ depth: 'uchar' })
  const { data, info } = await fewer.toBuffer({ resolveWithObject: true })
  return openSharp(data, { raw: { width: info.width, height: info.height, channels: info.channels as 1 | 2 | 3 | 4 } })
}

export interface CodeReader {
  /** How well the code can be read. */
  read(code: DrawnCode): Promise<Reading>
  close(): Promise<void>
}

/** Starts a reader for codes that were just drawn; it must be closed. */
export function openCodeReader(signal: AbortSignal): CodeReader {
  const reader = openBarcodeReader(signal)
  return { read: (code) => readBack(reader, code), close: () => reader.close() }
}

async function readBack(reader: BarcodeReader, code: DrawnCode): Promise<Reading> {
  const { png, module, kind, isInverted, page = '#ffffff', surround } = code
  // Only this search also looks for light codes on a dark ground.
  const sought = isInverted ? 'all' : kind
  const isRead = async (pixels: Grey): Promise<boolean> => {
    const found = await reader.read(pixels, { sought })
    return found.some(({ text, bytes }) =>
      code.expected.some((one) => (typeof one === 'string' ? one === text : Buffer.compare(one, bytes) === 0)),
    )
  }
  const sampling = Math.min(1, LARGEST_MODULE[kind] / module)
  const drawn = await grey((await sampled(png, sampling)).flatten({ background: page }))
  if (!(await isRead(drawn))) return 'none'
  const reduction = Math.min(1, SMALL_MODULE[kind] / (module * sampling))
  const small = (await opened(drawn)).resize({ width: Math.max(1, Math.round(drawn.width * reduction)) })
  const softened = await grey(small.blur(BLUR))
  const edge = { top: SURROUND, bottom: SURROUND, left: SURROUND, right: SURROUND, background: surround ?? page }
  if (await isRead(await grey((await opened(softened)).extend(edge)))) return 'surrounded'
  return surround !== undefined && (await isRead(softened)) ? 'softened' : 'as drawn'
}
