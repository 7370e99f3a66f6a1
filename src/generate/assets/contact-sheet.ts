/**
 * Part of `npm run generate`: docs/media/image-tools.webp, one picture per example of every image tool on a sheet, for
 * people to look over. Made from the pictures that the examples gave.
 */

import { openSharp } from '../../engines/sharp.ts'
import { required } from '../../lists.ts'
import { drawText } from '../../media/image/text/text.ts'
import type { ExampleResults } from '../docs/example-results.ts'

const CELL = { width: 200, picture: 150, label: 26, gap: 10 }
const COLUMNS = 7
const QUALITY = 70
/** Grey, so that white and clear pictures are seen. */
const GROUND = '#d8d8d8'

interface Layer {
  input: Buffer
  left: number
  top: number
}

async function cell(name: string, picture: Buffer, left: number, top: number): Promise<Layer[]> {
  // Icons and placeholders are shown as large as all others, pixel by pixel: what is small cannot be judged.
  const image = (await openSharp(picture)).resize(CELL.width, CELL.picture, { fit: 'inside', kernel: 'nearest' })
  const { data, info } = await image.png().toBuffer({ resolveWithObject: true })
  const label = await labelOf(name)
  return [
    {
      input: data,
      left: left + Math.floor((CELL.width - info.width) / 2),
      top: top + Math.floor((CELL.picture - info.height) / 2),
    },
    { input: label.png, left: left + Math.floor((CELL.width - label.width) / 2), top: top + CELL.picture + 4 },
  ]
}

async function labelOf(text: string): Promise<{ png: Buffer; width: number }> {
  const drawn = await drawText({ text, font: 'Noto Sans', size: 13, color: '#202020', align: 'left' })
  const image = (await openSharp(drawn.png)).resize({
    ...{ width: CELL.width, height: CELL.label - 6, fit: 'inside', withoutEnlargement: true },
  })
  const { data, info } = await image.png().toBuffer({ resolveWithObject: true })
  return { png: data, width: info.width }
}

/**
 * @param results of the examples; `media` the small pictures by file name
 * @returns the sheet as WebP
 */
export async function contactSheet(results: ExampleResults, media: ReadonlyMap<string, Buffer>): Promise<Buffer> {
  const shown = Object.entries(results)
    .filter(([tool]) => tool.startsWith('image/'))
    .flatMap(([tool, examples]) =>
      examples
        .flatMap(({ after }) => after.slice(0, 1))
        .map(({ file }) => [tool.slice('image/'.length), file] as const),
    )
  const { width, picture, label, gap } = CELL
  const rows = Math.ceil(shown.length / COLUMNS)
  const layers: Layer[] = []
  for (const [index, [name, file]] of shown.entries()) {
    const left = gap + (index % COLUMNS) * (width + gap)
    const top = gap + Math.floor(index / COLUMNS) * (picture + label + gap)
    layers.push(...(await cell(name, required(media, file), left, top)))
  }
  const canvas = await openSharp(undefined, {
    create: {
      width: gap + COLUMNS * (width + gap),
      height: gap + rows * (picture + label + gap),
      channels: 3,
      background: GROUND,
    },
  })
  return canvas.composite(layers).webp({ quality: QUALITY }).toBuffer()
}
