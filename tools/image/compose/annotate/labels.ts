import { openSharp } from '../../../../src/engines/sharp.ts'
import { drawText } from '../../../../src/media/image/text/text.ts'
import type { Drawing } from '../../_shared/layers/text-layer.ts'
import type { Mark, Point } from './marks.ts'
import { contrasting, rimOf, type Style } from './shapes.ts'

/** The diameter of a number's disc, as a multiple of the font size. */
const DISC = 1.7

/** A number in a disc around a point. */
async function numbered(count: number, at: Point, color: string, { size, outline }: Style): Promise<Drawing[]> {
  const ink = contrasting(color)
  const radius = (size * DISC) / 2
  const rim = outline ? rimOf(size / 6) : 0
  const side = Math.ceil(2 * (radius + rim)) + 2
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}"><circle cx="${side / 2}" cy="${side / 2}" r="${radius}" ` +
    `fill="${color}"${rim > 0 ? ` stroke="${ink}" stroke-width="${rim}"` : ''}/></svg>`
  const disc = await (await openSharp(Buffer.from(svg))).png({ compressionLevel: 0 }).toBuffer()
  // Three digits still fit the disc.
  const letters = count > 99 ? size * 0.75 : size
  const text = await drawText({ text: String(count), font: 'sans-serif', size: letters, color: ink, bold: true })
  return [
    { png: disc, width: side, height: side, left: at.x - side / 2, top: at.y - side / 2 },
    { png: text.png, width: text.width, height: text.height, left: at.x - text.width / 2, top: at.y - text.height / 2 },
  ]
}

/** The texts and the numbers of marks, in their order. Numbers count from 1. */
export async function drawLabels(marks: readonly Mark[], style: Style, pageWidth: number): Promise<Drawing[]> {
  const labels: Drawing[] = []
  let count = 0
  for (const mark of marks) {
    const { color = style.color, size = style.size } = mark
    if (mark.kind === 'number') {
      count += 1
      labels.push(...(await numbered(count, mark.at, color, { ...style, size })))
    } else if (mark.kind === 'text') {
      const { png, width, height } = await drawText({
        ...{ text: mark.text, font: 'sans-serif', size, color, bold: true, reach: 2 * pageWidth },
        maxWidth: Math.max(size, pageWidth - Math.max(0, mark.at.x)),
        ...(style.outline && { stroke: { color: contrasting(color), width: Math.max(1, size / 12) } }),
      })
      labels.push({ png, width, height, left: mark.at.x, top: mark.at.y })
    }
  }
  return labels
}
