import { type MediaFile, stemOf } from '../../src/media/file.ts'
import { decodeImage } from '../../src/media/image/decode.ts'
import { encodeImage, formatOf } from '../../src/media/image/encode.ts'
import { imageError } from '../../src/media/image/errors.ts'
import type { ImageFormatId } from '../../src/media/image/formats.ts'
import { extensionLike, outputName, setName } from '../../src/media/naming.ts'
import { mimeOf } from '../../src/media/type.ts'
import { type OutputFile, oneFile, tool } from '../../src/tool/contract.ts'
import { choice, integer, number, type SettingsOf } from '../../src/tool/settings.ts'
import { invalidSettings } from '../../src/tool/validate.ts'
import type { Rectangle } from './_shared/layout/edges.ts'
import { tileCutter } from './split/tile-cutter.ts'

/** Most tiles in a row or column (catalogue). */
const MOST = 100

/** Formats for which a quality was asked; TIFF would lose by one. */
const LOSSY: ReadonlySet<ImageFormatId> = new Set(['jpg', 'webp', 'avif', 'jxl'])

const settings = {
  mode: choice(['grid', 'rows', 'cols'], 'rows: one column only; cols: one row only', { default: 'grid' }),
  rows: integer('how many tiles from top to bottom', { default: 3, min: 1, max: MOST }),
  cols: integer('how many tiles from left to right', { default: 3, min: 1, max: MOST, aliases: ['columns'] }),
  tileWidth: integer('width of a tile; together with tileHeight it wins over rows and cols', { min: 10, unit: 'px' }),
  tileHeight: integer('height of a tile', { min: 10, unit: 'px' }),
  outputFormat: choice(['original', 'png', 'jpg', 'webp', 'avif', 'jxl'], 'the format to write', {
    default: 'original',
    valueAliases: { jpeg: 'jpg' },
  }),
  quality: number('lossy formats: 100 is best', { default: 90, min: 1, max: 100 }),
}

/** Where the tiles of one direction begin and end; the last takes what is left. */
function spans(length: number, count: number, tile: number): { start: number; length: number }[] {
  return Array.from({ length: count }, (_, index) => ({
    start: index * tile,
    length: index === count - 1 ? length - index * tile : tile,
  }))
}

/** The tiles of one direction, cut at 100; `word` is what they are called. */
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
  if (wanted > MOST) warn(`there would be ${wanted} ${word}; ${MOST} is the most, so that the last of them is larger`)
  return spans(length, Math.min(MOST, wanted), tile)
}

/** Rows of tiles. Both tile sides together win over the numbers of rows and columns. */
function tilesOf(
  { width, height }: { width: number; height: number },
  wishes: SettingsOf<typeof settings>,
  warn: (message: string) => void,
): Rectangle[][] {
  const { mode, tileWidth, tileHeight } = wishes
  const sized = tileWidth !== undefined && tileHeight !== undefined
  const across =
    mode === 'rows' ? { count: 1, tile: undefined } : { count: wishes.cols, tile: sized ? tileWidth : undefined }
  const down =
    mode === 'cols' ? { count: 1, tile: undefined } : { count: wishes.rows, tile: sized ? tileHeight : undefined }
  const columns = divided(width, across, 'columns', warn)
  return divided(height, down, 'rows', warn).map((row) =>
    columns.map((column) => ({ left: column.start, top: row.start, width: column.length, height: row.length })),
  )
}

/** `.<ext>` of the tiles: that of the input, in its own spelling, where its format stays. */
const extensionFor = (file: MediaFile, extension: string, isOriginal: boolean): string =>
  isOriginal ? extensionLike(file, extension) : extension

export default tool({
  section: 'image',
  id: 'split',
  summary: 'Cut one image into tiles and return them as a ZIP',
  input: oneFile('image'),
  settings,
  output: {
    kind: 'files',
    type: { setting: 'outputFormat' },
    archive: 'split',
    direct: true,
  },
  engines: ['sharp'],
  examples: [
    { title: 'nine tiles' },
    { title: 'three slices for a carousel', settings: { mode: 'cols', cols: 3, outputFormat: 'webp' } },
    { title: 'tiles of 256 pixels, as maps have them', settings: { tileWidth: 256, tileHeight: 256 } },
  ],
  async run(job, wishes) {
    const file = job.inputs[0]!
    const { outputFormat, quality } = wishes
    const isOriginal = outputFormat === 'original'
    try {
      job.progress(0, 'reading')
      const decoded = await decodeImage(file)
      const wanted = isOriginal ? formatOf(decoded).id : outputFormat
      const frame = decoded.withTarget({
        format: wanted as ImageFormatId,
        ...(LOSSY.has(wanted as ImageFormatId) && { quality }),
      })
      const rows = tilesOf(frame, wishes, job.warn)
      const cut = await tileCutter(frame)
      const { extension, id } = formatOf(frame)
      const files: OutputFile[] = []
      const losses = new Set<string>()
      for (const [row, tiles] of rows.entries()) {
        for (const [column, tile] of tiles.entries()) {
          const ending = `_r${row + 1}_c${column + 1}`
          const name = outputName(stemOf(file.name), ending, extensionFor(file, extension, isOriginal))
          const path = await job.output(name)
          const { loss } = await encodeImage(await cut(tile), path)
          if (loss) losses.add(loss)
          files.push({ path, name, mime: mimeOf(id) })
          job.signal.throwIfAborted()
        }
        job.progress((row + 1) / rows.length, 'cutting')
      }
      for (const loss of losses) job.warn(loss)
      return { files, set: setName(file, 'split') }
    } catch (error) {
      throw imageError(error, file.name)
    }
  },
})
