import type { BarcodeReader, FoundCode, Point, SoughtCodes } from '../../../../src/engines/pictures/zxing.ts'
import { openSharp, type Sharp } from '../../../../src/engines/sharp.ts'
import type { Part } from './regions.ts'
import { type Clearing, clearedRows, type Grey } from './rows.ts'

/** Large pictures are made this large once, and what is smaller still is made of that; px. */
const REDUCED_SIDE = 2000
/** A smaller reduction is not made. */
const WORTH_REDUCING = 0.8

/** Long and narrow pictures keep some height: the shorter side is at least this fraction of the longer one. */
const LEAST_SHORTER = 0.4

/** The scale for this length of the longer side. */
export const scaleTo = (side: number, { width, height }: Grey): number =>
  Math.min(1, Math.max(side / Math.max(width, height), (side * LEAST_SHORTER) / Math.min(width, height)))

/** The scale of the picture that is looked at first in place of a large one: 1 where it is not large. */
export function reducedScale(whole: Grey): number {
  const scale = scaleTo(REDUCED_SIDE, whole)
  return scale > WORTH_REDUCING ? 1 : scale
}

/** One search pass: the scale, and the clockwise rotation in degrees. */
export interface Look {
  scale: number
  angle: number
  /** Code types to search for; all when absent. */
  sought?: SoughtCodes
  /** Sharpening radius in pixels, for pictures out of focus. */
  sharpened?: number
  /** The part of the picture that is looked at; all of it when absent. */
  within?: Part
  /** Bars alone, as few rows that are wide: each the mean of several. */
  rows?: Rows
}

/** How rows are made of a look that is scaled and turned: the clearing's lengths are in pixels of that look. */
export interface Rows extends Clearing {
  /** Horizontal scale, so that edges between pixels are resolved. */
  across: number
  /** Rows of which one is made. */
  down: number
}

/** How much of what blur would take away is added. */
const STEEPER = 2

/** The reader only uses luminance: colours would cost time in every pass. 8 bit samples. */
export async function greyOf(image: Sharp): Promise<Grey> {
  const made = image.greyscale().toColourspace('b-w').raw({ depth: 'uchar' })
  const { data, info } = await made.toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

const opened = ({ data, width, height }: Grey) => openSharp(data, { raw: { width, height, channels: 1 } })

/** Pixels of a scaled picture. */
interface Area {
  left: number
  top: number
  width: number
  height: number
}

/** The reader's input, the size of the rotated picture, and the part of the scaled picture that was rotated. */
interface Seen {
  grey: Grey
  turned: { width: number; height: number }
  area: Area
}

function areaOf({ left, top, right, bottom }: Part, { width, height }: Grey): Area {
  const [x, y] = [Math.floor(left * width), Math.floor(top * height)]
  return { left: x, top: y, width: Math.ceil(right * width) - x, height: Math.ceil(bottom * height) - y }
}

/** Few of the bytes are copied, so that this is no work for a library. */
function cropped({ data, width }: Grey, area: Area): Grey {
  const made = Buffer.allocUnsafe(area.width * area.height)
  for (let row = 0; row < area.height; row += 1) {
    const start = (area.top + row) * width + area.left
    data.copy(made, row * area.width, start, start + area.width)
  }
  return { data: made, width: area.width, height: area.height }
}

/**
 * An unsharp mask. Soft edges gain as much as hard ones, without a bound: what is read is black or white in the end.
 * libvips sharpens in a space of colours, which is ten times the work.
 */
function steeper(grey: Grey, blurred: Grey): Grey {
  const data = Buffer.allocUnsafe(grey.data.length)
  for (let at = 0; at < data.length; at += 1) {
    const value = grey.data[at]! + STEEPER * (grey.data[at]! - blurred.data[at]!)
    data[at] = value < 0 ? 0 : value > 255 ? 255 : value
  }
  return { ...grey, data }
}

/** Prepares the picture for the passes; passes that only differ in their last step share the others. */
export class Prepared {
  readonly whole: Grey
  readonly #made = new Map<string, Promise<Grey>>()

  constructor(whole: Grey) {
    this.whole = whole
  }

  async for(look: Look): Promise<Seen> {
    const { scale, angle, sharpened, within = { left: 0, top: 0, right: 1, bottom: 1 }, rows } = look
    const upright = await this.#upright(look)
    const area = areaOf(within, upright)
    const turned = await this.#once([scale, sharpened, within, angle], async () => {
      const part = look.within ? cropped(upright, area) : upright
      return angle === 0 ? part : greyOf((await opened(part)).rotate(angle, { background: '#ffffff' }))
    })
    if (!rows) return { grey: turned, turned, area }
    const size = { width: Math.round(turned.width * rows.across), height: Math.ceil(turned.height / rows.down) }
    const made = await this.#once([scale, sharpened, within, angle, size], async () =>
      greyOf((await opened(turned)).resize({ ...size, fit: 'fill', kernel: 'cubic' })),
    )
    const [blur, window] = [(rows.blur ?? 0) * rows.across, rows.window * rows.across]
    return { grey: clearedRows(made, { ...rows, blur, window }), turned, area }
  }

  /** The whole picture in another size. */
  async scaled(scale: number): Promise<Grey> {
    if (scale === 1) return this.whole
    const reduced = reducedScale(this.whole)
    return this.#once([scale], async () => this.#resized(await this.scaled(scale < reduced ? reduced : 1), scale))
  }

  async #upright({ scale, sharpened }: Look): Promise<Grey> {
    if (!sharpened) return this.scaled(scale)
    return this.#once([scale, sharpened], async () => {
      // Made smaller twice, it would be softer than it need be.
      const scaled = await this.#resized(this.whole, scale)
      return steeper(scaled, await greyOf((await opened(scaled)).blur(sharpened)))
    })
  }

  async #resized(source: Grey, scale: number): Promise<Grey> {
    if (scale === 1) return this.whole
    return greyOf((await opened(source)).resize({ width: Math.max(1, Math.round(this.whole.width * scale)) }))
  }

  #once(key: unknown[], make: () => Promise<Grey>): Promise<Grey> {
    const name = JSON.stringify(key)
    const made = this.#made.get(name) ?? make()
    this.#made.set(name, made)
    return made
  }
}

/** Maps a point of the reader's input to the picture. */
function placed({ x, y }: Point, { scale, angle }: Look, whole: Grey, { grey, turned, area }: Seen): Point {
  const radians = (-angle * Math.PI) / 180
  const across = (x / grey.width - 0.5) * turned.width
  const down = (y / grey.height - 0.5) * turned.height
  const back = {
    x: across * Math.cos(radians) - down * Math.sin(radians) + area.left + area.width / 2,
    y: across * Math.sin(radians) + down * Math.cos(radians) + area.top + area.height / 2,
  }
  const within = (value: number, most: number): number => Math.round(Math.min(most, Math.max(0, value / scale)))
  return { x: within(back.x, whole.width), y: within(back.y, whole.height) }
}

/** The result of one pass, with positions in the whole picture; the given number of scan lines must agree on a barcode. */
export async function lookOnce(
  prepared: Prepared,
  reader: BarcodeReader,
  look: Look,
  lines: number,
): Promise<FoundCode[]> {
  const seen = await prepared.for(look)
  const sought = look.sought ?? (look.rows ? 'rows of bars' : 'all')
  const found = await reader.read(seen.grey, { sought, lines })
  return found.map((code) => ({
    ...code,
    corners: code.corners.map((corner) => placed(corner, look, prepared.whole, seen)) as FoundCode['corners'],
  }))
}
