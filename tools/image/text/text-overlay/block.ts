import { openSharp } from '../../../../src/engines/sharp.ts'
import { drawText, fitTextSize, LINE_HEIGHT } from '../../../../src/media/image/text/text.ts'
import { CLEAR, croppedTo, type Drawing, onPage } from '../../_shared/layers/text-layer.ts'

export interface BlockOptions {
  text: string
  font: string
  fontSize: number
  color: string
  x?: number | undefined
  y?: number | undefined
  /** #rrggbb, #rrggbbaa or absent. */
  background?: string | undefined
  padding: number
  borderRadius: number
  position: 'top' | 'center' | 'bottom'
  backgroundBox: boolean
  backgroundColor: string
  shadow: boolean
}

/**
 * Catalogue: offset right and down, px; blur, px; alpha of the black. A blur of 3 px is a standard deviation of half
 * that.
 */
const SHADOW = { offset: 2, blur: 3, alpha: 0.7 }

/** The band behind the text: its height for one line as a multiple of the font size, and its opacity (catalogue). */
const BAND = { height: 1.8, alpha: 0.7 }

type Box = Pick<Drawing, 'left' | 'top' | 'width' | 'height'>

async function shadowOf(text: Drawing): Promise<Drawing> {
  const { offset, blur, alpha } = SHADOW
  const margin = 2 * blur
  const wide = await (await openSharp(text.png))
    .extend({ top: margin, bottom: margin, left: margin, right: margin, background: CLEAR })
    .png({ compressionLevel: 0 })
    .toBuffer()
  const png = await (await openSharp(wide))
    .linear([0, 0, 0, alpha], [0, 0, 0, 0])
    .blur(blur / 2)
    .png({ compressionLevel: 0 })
    .toBuffer()
  const [width, height] = [text.width + 2 * margin, text.height + 2 * margin]
  return { png, width, height, left: text.left - margin + offset, top: text.top - margin + offset }
}

/** A filled rectangle with round corners. `colour` is #rrggbb or #rrggbbaa. */
async function filled(box: Box, colour: string, radius: number, opacity = 1): Promise<Drawing> {
  const [left, top] = [Math.round(box.left), Math.round(box.top)]
  const width = Math.max(1, Math.round(box.width))
  const height = Math.max(1, Math.round(box.height))
  const own = colour.length > 7 ? Number.parseInt(colour.slice(7), 16) / 255 : 1
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="${width}" height="${height}" ` +
    `rx="${Math.min(radius, width / 2, height / 2)}" fill="${colour.slice(0, 7)}" fill-opacity="${own * opacity}"/></svg>`
  const png = await (await openSharp(Buffer.from(svg))).png({ compressionLevel: 0 }).toBuffer()
  return { png, width, height, left, top }
}

/** The line box of the text: from half a line above its first centre to half a line below its last. */
function placeLines(page: { width: number; height: number }, ink: Box & { lines: number }, options: BlockOptions): Box {
  const { x, y, fontSize, position, padding } = options
  const pitch = LINE_HEIGHT * fontSize
  const height = ink.lines * pitch
  const inset = options.background ? padding : 0
  const left = x === undefined ? (page.width - ink.width) / 2 : x + inset
  if (y !== undefined) return { left, top: y + inset, width: ink.width, height }
  // Catalogue: the centre of the first line is twice the font size from the top, that of the last the font size above
  // the lower edge.
  const middles = {
    top: 2 * fontSize + (height - pitch) / 2,
    center: page.height / 2,
    bottom: page.height - fontSize - (height - pitch) / 2,
  }
  // Several lines can extend beyond the opposite edge: then they are moved as far as the page allows.
  const edge = inset + 0.1 * fontSize
  const free = page.height - height - 2 * edge
  const wanted = middles[position] - height / 2
  const top = free < 0 ? wanted : Math.min(Math.max(wanted, edge), edge + free)
  return { left, top, width: ink.width, height }
}

/** The part of a rectangle on a page: large ones are never drawn in full. */
function band(page: { width: number; height: number }, lines: Box, fontSize: number): Box {
  const extra = (BAND.height - LINE_HEIGHT) * fontSize
  return { left: 0, width: page.width, top: lines.top - extra / 2, height: lines.height + extra }
}

/** Minimum readable font size; below it, words are broken. */
const SMALLEST = 8

/**
 * The font size that fits the page, at most the requested one, and the width at which lines break. If a given position
 * leaves no room to break lines, the text stays as requested and is clipped at the edge.
 */
async function fitted(
  page: { width: number; height: number },
  { text, font, fontSize, x, y, background, padding }: BlockOptions,
): Promise<{ size: number; maxWidth?: number }> {
  const inset = background ? 2 * padding : 0
  const right = page.width - inset - Math.max(0, x ?? 0)
  if (x !== undefined && right < 4 * fontSize) return { size: fontSize }
  const under = y === undefined ? Infinity : page.height - inset - Math.max(0, y)
  const isLow = under < LINE_HEIGHT * fontSize
  const box = (size: number): { width: number; height: number } => ({
    width: right - (x === undefined ? size / 2 : 0),
    height: y === undefined ? page.height - inset - 0.2 * size : isLow ? Infinity : under,
  })
  const whole = await fitTextSize(text, font, box, { smallest: SMALLEST, largest: fontSize })
  const size = whole === Math.floor(fontSize) ? fontSize : whole
  return { size, maxWidth: Math.max(1, box(size).width) }
}

/** Text with its shadow and background, as one drawing for a page. */
export async function drawBlock(page: { width: number; height: number }, given: BlockOptions): Promise<Drawing> {
  const { size: fontSize, maxWidth } = await fitted(page, given)
  const options = { ...given, fontSize }
  const { text, font, color, x, background, padding, borderRadius, backgroundBox, backgroundColor } = options
  const hasPlace = x !== undefined
  const { png, width, height, middle, lines } = await drawText({
    ...{ text, font, size: fontSize, color },
    align: hasPlace ? 'left' : 'center',
    keep: hasPlace ? 'start' : 'middle',
    ...(maxWidth !== undefined && { maxWidth }),
    reach: 2 * page.width + (hasPlace ? Math.max(0, -x) : 0),
  })
  const box = placeLines(page, { left: 0, top: 0, width, height, lines }, options)
  const ink = { png, width, height, left: box.left, top: box.top + box.height / 2 - middle }
  const drawings: Drawing[] = []
  if (background) {
    const outer = {
      left: box.left - padding,
      top: box.top - padding,
      width: box.width + 2 * padding,
      height: box.height + 2 * padding,
    }
    drawings.push(await filled(outer, background, borderRadius))
  } else if (backgroundBox) drawings.push(await filled(band(page, box, fontSize), backgroundColor, 0, BAND.alpha))
  if (options.shadow) drawings.push(await shadowOf(ink))
  drawings.push(ink)
  const shown = (await Promise.all(drawings.map((one) => croppedTo(one, page)))).filter((one) => one !== undefined)
  return bounded(shown, page)
}

/** Merges drawings on the smallest canvas that contains them. */
async function bounded(drawings: readonly Drawing[], page: { width: number; height: number }): Promise<Drawing> {
  const left = Math.min(page.width - 1, ...drawings.map((one) => one.left))
  const top = Math.min(page.height - 1, ...drawings.map((one) => one.top))
  const width = Math.max(1, ...drawings.map((one) => one.left + one.width - left))
  const height = Math.max(1, ...drawings.map((one) => one.top + one.height - top))
  const moved = drawings.map((one) => ({ ...one, left: one.left - left, top: one.top - top }))
  return { png: await onPage(moved, { width, height }), width, height, left, top }
}
