import { rename } from 'node:fs/promises'
import { posix } from 'node:path'
import { type MediaFile, openMediaFile, printableName, stemOf } from '../../media/file.ts'
import type { Encoded } from '../../media/image/encode/encode.ts'
import type { FurtherPages } from '../../media/image/encode/encode-pages.ts'
import type { ImageFrame, ImageTarget } from '../../media/image/frame.ts'
import { mimeOf } from '../../media/type.ts'
import type { OutputFile } from '../../tool/contract.ts'

/** Gives the path for a file of this name: in the scratch folder, or among the outputs. */
export type Sink = (name: string) => Promise<string>

/** An open picture on its way, and what the steps that made it have to say once it is a file. */
export interface OpenPicture {
  frame: ImageFrame
  /** Pages behind it, which are made as it was where the format holds several. */
  further?: FurtherPages
  /** The file that it was decoded from, or that a step calls it. */
  origin: Pick<MediaFile, 'name'>
  reports: readonly ((encoded: Encoded) => Record<string, unknown> | undefined)[]
}

/** What goes from step to step: a file, or a picture that is open. */
export interface Item {
  /** Its name for people; members of a set may stand in a folder, with '/'. */
  name: string
  /** The step that made it chose the name, and no declaration adds to it. */
  isNamed?: boolean
  file?: MediaFile
  /** Step output, not sniffed yet. */
  made?: OutputFile
  picture?: OpenPicture
  field?: OutputFile['field']
}

/** What stands between two groups: one item, or several that belong together. */
export interface Items {
  list: readonly Item[]
  /** The name of the set, where they are one. */
  set?: string
  report?: Record<string, unknown>
  /** What a shell prints instead of the report. */
  lines?: readonly string[]
}

/** A member's name with another extension, in its folder. */
export function withExtension(name: string, extension: string): string {
  const folder = posix.dirname(name)
  const own = `${stemOf(posix.basename(name))}.${extension}`
  return folder === '.' ? own : posix.join(folder, own)
}

export interface WrittenPicture {
  file: OutputFile
  report?: Record<string, unknown>
  /** What of the picture was lost, or of what was asked for was missed: sentences for people. */
  warnings: readonly string[]
}

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(bytes < 100_000 ? 1 : 0)} kB`

/** What a person should know of a picture that was written. */
export function encodingWarnings(
  name: string,
  { loss, targetMet, bytes }: Encoded,
  { targetBytes, allowResize }: ImageTarget,
): string[] {
  const missed =
    targetMet === false && targetBytes !== undefined
      ? `${printableName(name)} has ${kilobytes(bytes)}, more than the ${kilobytes(targetBytes)} asked for: ${
          allowResize ? 'neither quality nor size makes it smaller' : 'no quality makes it smaller'
        }${allowResize === false ? '; --allow-resize scales it down' : ''}`
      : undefined
  return [loss, missed].filter((one) => one !== undefined)
}

/** What is said where the pages behind the first are left out. */
export const onlyFirstPage = (name: string, { count }: FurtherPages): string =>
  `${printableName(name)} has ${count} pages; only the first is used`

/** Encodes an open picture: the one encode of its group. @param nameOf the name by the extension of its format */
export async function writePicture(
  { picture, field }: Item & { picture: OpenPicture },
  nameOf: (extension: string) => string,
  sink: Sink,
): Promise<WrittenPicture> {
  const { encodeImage } = await import('../../media/image/encode/encode.ts')
  const { formatOf } = await import('../../media/image/encode/fit-to-format.ts')
  const { frame, further, reports } = picture
  const { id, extension: planned } = formatOf(frame)
  const plannedPath = await sink(nameOf(planned))
  const encoded =
    further && id === 'tiff'
      ? await (await import('../../media/image/encode/encode-pages.ts')).encodePages(frame, further, plannedPath)
      : await encodeImage(frame, plannedPath)
  const left = further && id !== 'tiff' ? onlyFirstPage(frame.origin.name, further) : undefined
  // The input's own bytes keep the extension of their type.
  const extension = encoded.kept ? frame.origin.type.id : planned
  const name = nameOf(extension)
  const path = await sink(name)
  if (path !== plannedPath) await rename(plannedPath, path)
  const report = Object.assign({}, ...reports.map((one) => one(encoded) ?? {})) as Record<string, unknown>
  return {
    file: { path, name, mime: mimeOf(extension), ...(field !== undefined && { field }) },
    ...(Object.keys(report).length > 0 && { report }),
    warnings: [...(left ? [left] : []), ...encodingWarnings(name, encoded, frame.target)],
  }
}

/** Step output as an item. */
export function itemOf(made: OutputFile): Item {
  return { name: made.name, made }
}

/** The file of an item that is not open, sniffed. */
export async function fileOf({ name, file, made }: Item): Promise<MediaFile> {
  return file ?? openMediaFile(made!.path, posix.basename(name))
}
