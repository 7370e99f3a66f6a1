import { rename } from 'node:fs/promises'
import { posix } from 'node:path'
import { type MediaFile, openMediaFile, printableName, stemOf } from '../../media/file.ts'
import type { Encoded } from '../../media/image/encode/encode.ts'
import type { FurtherPages } from '../../media/image/encode/encode-pages.ts'
import type { ImageFrame, ImageTarget } from '../../media/image/frame.ts'
import { mimeOf } from '../../media/type.ts'
import { once } from '../../once.ts'
import type { OutputFile } from '../../tool/contract.ts'

/** Returns the path for a file of this name: in the scratch folder, or among the outputs. */
export type Sink = (name: string) => Promise<string>

/** An open image, and the warnings of the steps that made it, reported once it is a file. */
export interface OpenPicture {
  frame: ImageFrame
  /** Its other pages, which are processed in the same way if the format supports several. */
  further?: FurtherPages
  /** The source file, or the name that a step gave it. */
  origin: Pick<MediaFile, 'name'>
  reports: readonly ((encoded: Encoded) => Record<string, unknown> | undefined)[]
}

/** What steps pass on: a file, or an open image. */
export interface Item {
  /** Its display name; members of a set may be in a folder, with '/'. */
  name: string
  /** The step that made it chose the name, and no declaration changes it. */
  isNamed?: boolean
  file?: MediaFile
  /** A step's output file whose type is not yet detected. */
  made?: OutputFile
  picture?: OpenPicture
  field?: OutputFile['field']
}

/** The items passed between two groups: one, or several that belong together. */
export interface Items {
  list: readonly Item[]
  /** The name of the set, if they are one. */
  set?: string
  report?: Record<string, unknown>
  /** Shell output instead of the report. */
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
  /** What was lost in the image, or which requests were not met: messages for the user. */
  warnings: readonly string[]
}

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(bytes < 100_000 ? 1 : 0)} kB`

/** Warnings about a written image. */
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

/** The warning for dropped pages after the first. */
export const onlyFirstPage = (name: string, { count }: FurtherPages): string =>
  `${printableName(name)} has ${count} pages; only the first is used`

const encoding = once(() =>
  Promise.all([import('../../media/image/encode/encode.ts'), import('../../media/image/encode/fit-to-format.ts')]),
)

/** Encodes an open image: the single encode of its group. @param nameOf the name for the extension of its format */
export async function writePicture(
  { picture, field }: Item & { picture: OpenPicture },
  nameOf: (extension: string) => string,
  sink: Sink,
): Promise<WrittenPicture> {
  const [{ encodeImage }, { formatOf }] = await encoding()
  const { frame, further, reports } = picture
  const { id, extension: planned } = formatOf(frame)
  const plannedPath = await sink(nameOf(planned))
  const encoded =
    further && id === 'tiff'
      ? await (await import('../../media/image/encode/encode-pages.ts')).encodePages(frame, further, plannedPath)
      : await encodeImage(frame, plannedPath)
  const left = further && id !== 'tiff' ? onlyFirstPage(frame.origin.name, further) : undefined
  // Unchanged input bytes keep the extension of their type.
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

/** A step's output as an item. */
export function itemOf(made: OutputFile): Item {
  return { name: made.name, made }
}

/** The file of an item that is not open, with its type detected. */
export async function fileOf({ name, file, made }: Item): Promise<MediaFile> {
  return file ?? openMediaFile(made!.path, posix.basename(name))
}
