import { layOver } from '../../../../src/media/image/backgrounds.ts'
import { ImageFrame, type Samples, type Size } from '../../../../src/media/image/frame.ts'
import type { PictureInput, StepContext } from '../../../../src/tool/contract.ts'
import { parseHex } from '../colour/colours.ts'
import { checkCanvas } from './canvas-limit.ts'
import { onlyFirstPage } from './pages.ts'

/** Maximum number of pixels kept decoded while sizes are read. */
const HELD_PIXELS = 100_000_000

export interface SurveyedPicture extends Size, Pick<PictureInput, 'named'> {
  bits: 8 | 16
  hasAlpha: boolean
  /** The decoded first page, upright, in its own colours. */
  open(): Promise<ImageFrame>
}

/** Size and depth of every image. Decoded images are kept for `open`, as many as memory allows. */
export async function surveyed(pictures: readonly PictureInput[], context: StepContext): Promise<SurveyedPicture[]> {
  const found: SurveyedPicture[] = []
  let pixels = 0
  for (const { open, named } of pictures)
    await named(async () => {
      const frame = await onlyFirstPage(await open(), context)
      const { width, height, bits, hasAlpha } = frame
      pixels += width * height
      const kept = pixels <= HELD_PIXELS ? frame : undefined
      found.push({ width, height, bits, hasAlpha, named, open: async () => kept ?? (await open()).firstPage() })
    })
  return found
}

/**
 * One large image that others are placed on side by side: sRGB, 8 or 16 bits, opaque (3 channels) or with alpha (4).
 */
export type Sheet = Samples

/**
 * A sheet of one colour (#rrggbb), or transparent.
 * @throws TARGET_UNREACHABLE when it would be too large
 */
export function newSheet({ width, height }: Size, colour: string, deep: boolean): Sheet {
  checkCanvas(width, height)
  const clear = colour === 'transparent'
  const channels = clear ? 4 : 3
  const count = width * height * channels
  const data = deep ? new Uint16Array(count) : new Uint8Array(count)
  if (!clear) {
    const scale = deep ? 257 : 1
    const line = Array.from({ length: width }, () => parseHex(colour).map((value) => value * scale)).flat()
    for (let row = 0; row < height; row += 1) data.set(line, row * width * channels)
  }
  return { data, width, height, channels, pages: 1 }
}

/** Converts an image to the sheet's sample format; its transparent parts show the colour of an opaque sheet. */
async function samplesFor(sheet: Sheet, frame: ImageFrame, colour: string): Promise<Samples['data']> {
  const clear = sheet.channels === 4
  const laid =
    frame.hasAlpha && !clear
      ? await (await frame.toSrgb()).apply((image) => layOver(image, colour, frame), { alpha: false })
      : frame
  if (sheet.data instanceof Uint8Array) return (await laid.pixels({ alpha: clear ? 'add' : 'drop' })).data
  const rgb = await (await laid.toSrgb()).toRgb()
  const full = clear ? await rgb.apply((image) => image.ensureAlpha(), { alpha: true }) : rgb
  const { data } = await full.samples()
  return data instanceof Uint16Array ? data : Uint16Array.from(data, (value) => value * 257)
}

/** Places an image, which must fit, on the sheet. Transparent parts show `colour` if the sheet is opaque. */
export async function putOn(
  sheet: Sheet,
  frame: ImageFrame,
  at: { left: number; top: number },
  colour: string,
): Promise<void> {
  const data = await samplesFor(sheet, frame, colour)
  const line = frame.width * sheet.channels
  for (let row = 0; row < frame.height; row += 1) {
    const start = ((at.top + row) * sheet.width + at.left) * sheet.channels
    sheet.data.set(data.subarray(row * line, (row + 1) * line), start)
  }
}

/** The finished sheet as an image that messages call `name`. */
export async function sheetFrame({ data, width, height, channels }: Sheet, name: string): Promise<ImageFrame> {
  const depth = data instanceof Uint16Array ? 16 : 8
  return ImageFrame.fromRaster({ data, width, height, channels, depth }, name)
}
