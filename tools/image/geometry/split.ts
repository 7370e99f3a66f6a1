import { stemOf } from '../../../src/media/file.ts'
import { formatOf } from '../../../src/media/image/encode/fit-to-format.ts'
import type { ImageFormatId } from '../../../src/media/image/formats.ts'
import { extensionLike, outputName, setName } from '../../../src/media/naming.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice, integer, number, type SettingsOf } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import type { Rectangle } from '../_shared/layout/edges.ts'
import { tileCutter } from './split/tile-cutter.ts'

/** Maximum number of tiles per row or column (catalogue). */
const MOST = 100

/** Formats that a quality setting applies to; it would make TIFF lossy. */
const LOSSY: ReadonlySet<ImageFormatId> = new Set(['jpg', 'webp', 'avif', 'jxl'])

const settings = {
  mode: choice(['grid', 'rows', 'cols'], 'rows: one column only; cols: one row only', { default: 'grid' }),
  rows: integer('how many tiles from top to bottom', {
    default: 3,
    min: 1,
    max: MOST,
    when: { mode: ['grid', 'rows'] },
  }),
  cols: integer('how many tiles from left to right', {
    label: 'Columns',
    default: 3,
    min: 1,
    max: MOST,
    aliases: ['columns'],
    when: { mode: ['grid', 'cols'] },
  }),
  tileWidth: integer('width of a tile; together with tileHeight it takes precedence over rows and cols', {
    min: 10,
    unit: 'px',
    example: 256,
  }),
  tileHeight: integer('height of a tile', { min: 10, unit: 'px', example: 256 }),
  outputFormat: choice(['original', 'png', 'jpg', 'webp', 'avif', 'jxl'], 'output format', {
    default: 'original',
    valueAliases: { jpeg: 'jpg' },
  }),
  quality: number('for lossy formats; 100 is best', {
    default: 90,
    min: 1,
    max: 100,
    when: { outputFormat: ['original', 'jpg', 'webp', 'avif', 'jxl'] },
  }),
}

/** Start and end of the tiles in one direction; the last tile takes the remainder. */
function spans(length: number, count: number, tile: number): { start: number; length: number }[] {
  return Array.from({ length: count }, (_, index) => ({
    start: index * tile,
    length: index === count - 1 ? length - index * tile : tile,
  }))
}

/** The tiles in one direction, limited to 100; `word` is their name in messages. */
function divided(
  length: number,
  { count, tile }: { count: number; tile: number | undefined },
  word: string,
  warn: (message: string) => void,
): { start: number; length: number }[] {
  if (tile === undefined) {
    if (count > length)
      throw invalidSettings(`The image has ${length} pixels in this direction; it cannot be cut into ${count} ${word}`)
    return spans(length, count, Math.floor(length / count))
  }
  const wanted = Math.ceil(length / tile)
  if (wanted > MOST) warn(`there would be ${wanted} ${word}; the limit is ${MOST}, so the last one is larger`)
  return spans(length, Math.min(MOST, wanted), tile)
}

/** Rows of tiles. Both tile sides together take precedence over the numbers of rows and columns. */
function tilesOf(
  { width, height }: { width: number; height: number },
  options: SettingsOf<typeof settings>,
  warn: (message: string) => void,
): Rectangle[][] {
  const { mode, tileWidth, tileHeight } = options
  const sized = tileWidth !== undefined && tileHeight !== undefined
  const across =
    mode === 'rows' ? { count: 1, tile: undefined } : { count: options.cols, tile: sized ? tileWidth : undefined }
  const down =
    mode === 'cols' ? { count: 1, tile: undefined } : { count: options.rows, tile: sized ? tileHeight : undefined }
  const columns = divided(width, across, 'columns', warn)
  return divided(height, down, 'rows', warn).map((row) =>
    columns.map((column) => ({ left: column.start, top: row.start, width: column.length, height: row.length })),
  )
}

/** `.<ext>` of the tiles: the input's, in its own spelling, if the format is kept. */
const extensionFor = (file: { name: string }, extension: string, isOriginal: boolean): string =>
  isOriginal ? extensionLike(file, extension) : extension

export default imageTool({
  id: 'split',
  summary: 'Cut one image into tiles and return them as a ZIP',
  settings,
  output: {
    kind: 'files',
    type: { setting: 'outputFormat' },
    set: '{stem}_split',
    archive: 'split',
    direct: true,
  },
  examples: [
    { title: 'nine tiles' },
    { title: 'three slices for a carousel', settings: { mode: 'cols', cols: 3, outputFormat: 'webp' } },
    { title: 'map tiles of 256 pixels', settings: { tileWidth: 256, tileHeight: 256 } },
  ],
  async produce([picture], options, context) {
    const { outputFormat, quality } = options
    const isOriginal = outputFormat === 'original'
    const decoded = await picture.open()
    const wanted = (isOriginal ? formatOf(decoded).id : outputFormat) as ImageFormatId
    const frame = decoded.withTarget({ format: wanted, ...(LOSSY.has(wanted) && { quality }) })
    const rows = tilesOf(frame, options, context.warn)
    const cut = await tileCutter(frame)
    const extension = extensionFor(picture, formatOf(frame).extension, isOriginal)
    async function* tiles() {
      for (const [row, across] of rows.entries()) {
        for (const [column, tile] of across.entries())
          yield {
            name: outputName(stemOf(picture.name), `_r${row + 1}_c${column + 1}`, extension),
            frame: await cut(tile),
          }
        context.progress((row + 1) / rows.length, 'cutting')
      }
    }
    return { frames: tiles(), set: setName(picture, 'split') }
  },
})
