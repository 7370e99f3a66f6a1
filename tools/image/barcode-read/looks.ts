import { openSharp, type Sharp } from '../../../src/engines/sharp.ts'
import type { BarcodeReader, FoundCode, Point, SoughtCodes } from '../../../src/engines/zxing.ts'
import { type Clearing, clearedRows, type Grey } from './rows.ts'

/** One look at a picture: made so many times as large, and turned by so many degrees clockwise. */
export interface Look {
  scale: number
  angle: number
  /** What is looked for; everything when absent. */
  sought?: SoughtCodes
  /** Edges made steeper over so many pixels, for what is out of focus. */
  sharpened?: number
  /** Bars alone, as few rows that are wide: each the mean of several. */
  rows?: Rows
}

/** How rows are made of a look that is scaled and turned: the clearing's lengths are in pixels of that look. */
export interface Rows extends Clearing {
  /** Times as wide, so that edges are told between pixels. */
  across: number
  /** Rows of which one is made. */
  down: number
}

/** Soft edges gain as much as hard ones, without a bound: what is read is black or white in the end. */
const STEEPER = { m1: 2, m2: 2, x1: 0, y2: 255, y3: 255 }

/** Grey samples as the reader wants them: RGBA. */
function asRgba(grey: Buffer): Uint8Array {
  const data = new Uint8Array(grey.length * 4)
  const words = new Uint32Array(data.buffer)
  for (let at = 0; at < grey.length; at += 1) words[at] = (grey[at]! * 0x010101 + 0xff000000) >>> 0
  return data
}

/** What is read is light and dark: colours would only cost time in every look. 8 bit samples. */
export async function greyOf(image: Sharp): Promise<Grey> {
  const made = image.greyscale().toColourspace('b-w').raw({ depth: 'uchar' })
  const { data, info } = await made.toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

const opened = ({ data, width, height }: Grey) => openSharp(data, { raw: { width, height, channels: 1 } })

/** What the reader is given, and the size of the turned picture that it was made of. */
interface Seen {
  grey: Grey
  turned: { width: number; height: number }
}

/** The picture as looks want it; looks that differ in their last step share what comes before. */
export class Prepared {
  readonly whole: Grey
  readonly #made = new Map<string, Promise<Grey>>()

  constructor(whole: Grey) {
    this.whole = whole
  }

  async for(look: Look): Promise<Seen> {
    const { scale, angle, rows } = look
    const turned = await this.#turned(look)
    if (!rows) return { grey: turned, turned }
    const size = { width: Math.round(turned.width * rows.across), height: Math.ceil(turned.height / rows.down) }
    const made = await this.#once([scale, angle, size], async () =>
      greyOf((await opened(turned)).resize({ ...size, fit: 'fill', kernel: 'cubic' })),
    )
    const [blur, window] = [(rows.blur ?? 0) * rows.across, rows.window * rows.across]
    return { grey: clearedRows(made, { ...rows, blur, window }), turned }
  }

  async #turned(look: Look): Promise<Grey> {
    const { scale, angle, sharpened } = look
    const upright = await this.#upright(look)
    if (angle === 0) return upright
    return this.#once([scale, sharpened, angle], async () =>
      greyOf((await opened(upright)).rotate(angle, { background: '#ffffff' })),
    )
  }

  async #upright({ scale, sharpened }: Look): Promise<Grey> {
    if (scale === 1 && !sharpened) return this.whole
    return this.#once([scale, sharpened], async () => {
      const { width } = this.whole
      let image = await opened(this.whole)
      if (scale !== 1) image = image.resize({ width: Math.max(1, Math.round(width * scale)) })
      if (sharpened) image = image.sharpen({ sigma: sharpened, ...STEEPER })
      return greyOf(image)
    })
  }

  #once(key: unknown[], make: () => Promise<Grey>): Promise<Grey> {
    const name = JSON.stringify(key)
    const made = this.#made.get(name) ?? make()
    this.#made.set(name, made)
    return made
  }
}

/** Where a point of what the reader saw is in the picture itself. */
function placed({ x, y }: Point, { scale, angle }: Look, whole: Grey, { grey, turned }: Seen): Point {
  const radians = (-angle * Math.PI) / 180
  const across = (x / grey.width - 0.5) * turned.width
  const down = (y / grey.height - 0.5) * turned.height
  const back = {
    x: across * Math.cos(radians) - down * Math.sin(radians) + (whole.width * scale) / 2,
    y: across * Math.sin(radians) + down * Math.cos(radians) + (whole.height * scale) / 2,
  }
  const within = (value: number, most: number): number => Math.round(Math.min(most, Math.max(0, value / scale)))
  return { x: within(back.x, whole.width), y: within(back.y, whole.height) }
}

/** What one look finds, with its places in the whole picture; of bars so many scan lines must say the same. */
export async function lookOnce(
  prepared: Prepared,
  reader: BarcodeReader,
  look: Look,
  lines: number,
): Promise<FoundCode[]> {
  const seen = await prepared.for(look)
  const { data, width, height } = seen.grey
  const sought = look.sought ?? (look.rows ? 'rows of bars' : 'all')
  const found = await reader.read({ data: asRgba(data), width, height }, { sought, lines })
  return found.map((code) => ({
    ...code,
    corners: code.corners.map((corner) => placed(corner, look, prepared.whole, seen)) as FoundCode['corners'],
  }))
}
