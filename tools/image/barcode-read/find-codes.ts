import { openSharp, type Sharp } from '../../../src/engines/sharp.ts'
import type { BarcodeReader, FoundCode, Point } from '../../../src/engines/zxing.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'

/** One look at a picture: made so many times as large, and turned by so many degrees clockwise. */
interface Look {
  scale: number
  angle: number
  /** Bars alone: matrices are found at any angle, and looking for them takes most of the time. */
  onlyBars?: boolean
  /** Edges made steeper over so many pixels, for what is out of focus. */
  sharpened?: number
  /** Contrast stretched everywhere by itself, for pale prints and half shadow. */
  stretched?: boolean
}

/** Longer sides are looked at in this size, when the picture is turned; px. */
const TURNED_SIDE = 1600
/** Stretching the contrast takes most time of all, and what is pale is rarely fine as well; px. */
const STRETCHED_SIDE = 1200
/** The same for the last looks. Smaller pictures are enlarged, twice at most: bars of one pixel are hard to read. */
const HARDER_SIDE = 2000
/** Bars are found within some 15 degrees of upright; quarter turns are the reader's own. */
const ANGLES = [18, 36, 54, 72]

/** The reader finds linear codes that are nearly upright only: the others need the picture turned. */
function turnedLooks({ width, height }: Grey): Look[] {
  const scale = Math.min(1, TURNED_SIDE / Math.max(width, height))
  return ANGLES.map((angle) => ({ scale, angle, onlyBars: true }))
}

/** In the order in which they are tried when nothing was found so far; the first that finds something ends the search. */
function harderLooks({ width, height }: Grey): Look[] {
  const longer = Math.max(width, height)
  const scale = Math.min(2, HARDER_SIDE / longer)
  const whole = Math.min(1, TURNED_SIDE / longer)
  return [
    { scale, angle: 0, onlyBars: true, sharpened: 2 * scale },
    { scale: whole, angle: 0, sharpened: 2 },
    { scale: Math.min(1, STRETCHED_SIDE / longer), angle: 0, stretched: true },
    { scale, angle: 0, onlyBars: true, sharpened: scale },
    { scale: longer < HARDER_SIDE / 2 ? 2 : 0.5 * whole, angle: 0 },
    ...ANGLES.map((angle) => ({ scale, angle, onlyBars: true, sharpened: 2 * scale })),
  ]
}

const centre = ({ corners }: FoundCode): Point => ({
  x: corners.reduce((sum, { x }) => sum + x, 0) / 4,
  y: corners.reduce((sum, { y }) => sum + y, 0) / 4,
})

/** Whether a code stands where one was found before: a turned look may see part of it once more. */
function isKnown(found: readonly FoundCode[], code: FoundCode): boolean {
  const { x, y } = centre(code)
  return found.some(({ corners }) => {
    const [across, down] = [corners.map((corner) => corner.x), corners.map((corner) => corner.y)]
    const isInside = (value: number, values: number[]): boolean => {
      const margin = Math.max(10, (Math.max(...values) - Math.min(...values)) / 10)
      return value >= Math.min(...values) - margin && value <= Math.max(...values) + margin
    }
    return isInside(x, across) && isInside(y, down)
  })
}

/** Where a point of a look is in the picture itself. */
function placed({ x, y }: Point, { scale, angle }: Look, frame: Grey, turned: { width: number; height: number }) {
  const radians = (-angle * Math.PI) / 180
  const [across, down] = [x - turned.width / 2, y - turned.height / 2]
  const back = {
    x: across * Math.cos(radians) - down * Math.sin(radians) + (frame.width * scale) / 2,
    y: across * Math.sin(radians) + down * Math.cos(radians) + (frame.height * scale) / 2,
  }
  const within = (value: number, most: number): number => Math.round(Math.min(most, Math.max(0, value / scale)))
  return { x: within(back.x, frame.width), y: within(back.y, frame.height) }
}

/** Soft edges gain as much as hard ones, without a bound: what is read is black or white in the end. */
const STEEPER = { m1: 2, m2: 2, x1: 0, y2: 255, y3: 255 }

/** Squares in which the contrast is stretched, in pixels. */
const AREA = 120

/** Grey samples as the reader wants them: RGBA. */
function asRgba(grey: Buffer): Uint8Array {
  const data = new Uint8Array(grey.length * 4)
  const words = new Uint32Array(data.buffer)
  for (let at = 0; at < grey.length; at += 1) words[at] = (grey[at]! * 0x010101 + 0xff000000) >>> 0
  return data
}

/** What is read is light and dark: colours would only cost time in every look. 8 bit samples. */
interface Grey {
  data: Buffer
  width: number
  height: number
}

async function greyOf(image: Sharp): Promise<Grey> {
  const made = image.greyscale().toColourspace('b-w').raw({ depth: 'uchar' })
  const { data, info } = await made.toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

const opened = ({ data, width, height }: Grey) => openSharp(data, { raw: { width, height, channels: 1 } })

/** The picture as a look wants it before it is turned; looks that differ in the angle alone share it. */
class Prepared {
  readonly #whole: Grey
  readonly #made = new Map<string, Promise<Grey>>()

  constructor(whole: Grey) {
    this.#whole = whole
  }

  for(look: Look): Promise<Grey> {
    const { scale, sharpened, stretched } = look
    if (scale === 1 && !sharpened && !stretched) return Promise.resolve(this.#whole)
    const key = JSON.stringify([scale, sharpened, stretched])
    const made = this.#made.get(key) ?? this.#make(look)
    this.#made.set(key, made)
    return made
  }

  async #make({ scale, sharpened, stretched = false }: Look): Promise<Grey> {
    const { width, height } = this.#whole
    let image = await opened(this.#whole)
    if (scale !== 1) image = image.resize({ width: Math.max(1, Math.round(width * scale)) })
    if (sharpened) image = image.sharpen({ sigma: sharpened, ...STEEPER })
    const area = Math.max(1, Math.min(AREA, Math.floor(Math.min(width, height) * scale)))
    if (stretched) image = image.clahe({ width: area, height: area, maxSlope: 4 })
    return greyOf(image)
  }
}

async function lookOnce(prepared: Prepared, whole: Grey, reader: BarcodeReader, look: Look): Promise<FoundCode[]> {
  const { angle, onlyBars = false } = look
  const upright = await prepared.for(look)
  const seen = angle === 0 ? upright : await greyOf((await opened(upright)).rotate(angle, { background: '#ffffff' }))
  const found = await reader.read({ ...seen, data: asRgba(seen.data) }, { onlyBars })
  return found.map((code) => ({
    ...code,
    corners: code.corners.map((corner) => placed(corner, look, whole, seen)) as FoundCode['corners'],
  }))
}

/**
 * All codes in a picture, upright ones first. With `tryHarder` it is also looked at turned, and when nothing was found,
 * larger and with more contrast.
 * @param frame of one page, in sRGB
 */
export async function findCodes(
  frame: ImageFrame,
  reader: BarcodeReader,
  tryHarder: boolean,
  onProgress: (part: number) => void,
): Promise<FoundCode[]> {
  const whole = await greyOf((await (await frame.settled()).pipeline()).flatten({ background: '#ffffff' }))
  const prepared = new Prepared(whole)
  const found = await lookOnce(prepared, whole, reader, { scale: 1, angle: 0 })
  if (!tryHarder) return found
  const [turned, harder] = [turnedLooks(whole), harderLooks(whole)]
  const count = turned.length + harder.length + 1
  for (const [index, look] of [...turned, ...harder].entries()) {
    if (index >= turned.length && found.length > 0) break
    onProgress((index + 1) / count)
    for (const code of await lookOnce(prepared, whole, reader, look)) if (!isKnown(found, code)) found.push(code)
  }
  return found
}
