import { layOver } from '../../../../src/media/image/backgrounds.ts'
import type { ImageFrame, Size } from '../../../../src/media/image/frame.ts'
import { invalidSettings } from '../../../../src/tool/validate.ts'
import { newSheet, putOn, sheetFrame } from '../../_shared/layout/sheet.ts'
import type { PhotoRules } from './countries.ts'
import { type Frame, photoSize, pixelsFor } from './crop.ts'

/** Print sheet sizes, millimetres. */
export const SHEETS = {
  '4x6': { widthMm: 102, heightMm: 152 },
  a4: { widthMm: 210, heightMm: 297 },
  letter: { widthMm: 215.9, heightMm: 279.4 },
} as const
export type SheetId = keyof typeof SHEETS

/** Gap between two photos on a sheet, millimetres. */
const GUTTER = 2
/** Resolution of sheets and their photos. */
const SHEET_DPI = 300

/**
 * One direction of a crop: the source range in the image, its scaled length, and its range and position in the photo.
 */
interface Span {
  from: number
  length: number
  scaled: number
  skipped: number
  to: number
  kept: number
}

/** @throws INVALID_SETTINGS if the frame is outside the image */
function spanOf(start: number, length: number, picture: number, photo: number): Span {
  const scale = photo / length
  const from = Math.max(0, Math.floor(start))
  const end = Math.min(picture, Math.ceil(start + length))
  // Whole image pixels start and end next to the frame; the difference is corrected to a pixel of the photo.
  const [first, last] = [Math.round((from - start) * scale), Math.round((end - start) * scale)]
  const [to, over] = [Math.max(0, first), Math.min(photo, last)]
  if (end <= from || over <= to)
    throw invalidSettings('The photo would show no part of the image', 'Use smaller values for adjustX and adjustY.')
  return { from, length: end - from, scaled: last - first, skipped: to - first, to, kept: over - to }
}

/** A part of a cut-out at the size of a photo; areas outside the image are transparent. */
export async function cropped(cutOut: ImageFrame, frame: Frame, photo: Size): Promise<ImageFrame> {
  const x = spanOf(frame.left, frame.width, cutOut.width, photo.width)
  const y = spanOf(frame.top, frame.height, cutOut.height, photo.height)
  const around = {
    ...{ left: x.to, top: y.to, right: photo.width - x.to - x.kept, bottom: photo.height - y.to - y.kept },
    background: { r: 0, g: 0, b: 0, alpha: 0 },
  }
  const part = await cutOut.apply(
    (image) =>
      image
        .ensureAlpha()
        .extract({ left: x.from, top: y.from, width: x.length, height: y.length })
        .resize({ width: x.scaled, height: y.scaled, fit: 'fill' })
        .extract({ left: x.skipped, top: y.skipped, width: x.kept, height: y.kept }),
    { size: { width: x.kept, height: y.kept }, alpha: true },
  )
  // Separately: after a second extract, sharp reports a size without the extension.
  return (await part.apply((image) => image.extend(around), { size: photo })).settled()
}

/** A photo on its background. */
export const onColour = (photo: ImageFrame, colour: string): Promise<ImageFrame> =>
  photo.apply((image) => layOver(image, colour, photo), { alpha: false })

/** As many copies of a photo as fit on a sheet, centred; undefined if none fits. */
export async function printSheet(
  cutOut: ImageFrame,
  frame: Frame,
  rules: PhotoRules,
  { sheet: id, colour, name }: { sheet: SheetId; colour: string; name: string },
): Promise<{ frame: ImageFrame; copies: number } | undefined> {
  const { widthMm, heightMm } = SHEETS[id]
  const size = { width: pixelsFor(widthMm, SHEET_DPI), height: pixelsFor(heightMm, SHEET_DPI) }
  const fitting = (room: number, length: number): number => Math.floor((room + GUTTER) / (length + GUTTER) + 1e-9)
  const columns = fitting(widthMm, rules.widthMm)
  const rows = fitting(heightMm, rules.heightMm)
  if (columns === 0 || rows === 0) return undefined
  const photo = photoSize(rules, SHEET_DPI)
  const gutter = pixelsFor(GUTTER, SHEET_DPI)
  const one = await (await onColour(await cropped(cutOut, frame, photo), colour)).settled()
  const sheet = newSheet(size, '#ffffff', false)
  const start = (whole: number, count: number, length: number): number =>
    Math.max(0, Math.floor((whole - count * length - (count - 1) * gutter) / 2))
  const [left, top] = [start(size.width, columns, photo.width), start(size.height, rows, photo.height)]
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const place = { left: left + column * (photo.width + gutter), top: top + row * (photo.height + gutter) }
      await putOn(sheet, one, place, colour)
    }
  const drawn = await sheetFrame(sheet, name)
  const target = { format: 'jpg', quality: 95, density: SHEET_DPI, metadata: 'none' } as const
  return { frame: drawn.withTarget(target), copies: rows * columns }
}
