/** Picture formats that plugins add while the program runs. */
import type { Raster } from '../codecs/raster.ts'
import type { FileType } from '../type.ts'
import type { ImageFormat } from './formats.ts'

/** Decoded pixels: 8 or 16 bits, with the frames of an animation. */
export interface AddedPicture extends Raster {
  depth: 8 | 16
  icc?: Uint8Array
  /** All frames of an animation stacked vertically in `data`, and their delays in milliseconds. */
  delays?: readonly number[]
}

export interface AddedReader {
  /** Whether content is of the format, for types that mediaproc also reads itself. */
  detect(bytes: Uint8Array, name: string): boolean
  /**
   * Decodes on a thread.
   * @param check called with the declared size before the pixels are decoded; throws when it is too large
   */
  decode(
    bytes: Uint8Array,
    check: (width: number, height: number, frames: number) => void,
    stop: { signal?: AbortSignal },
  ): Promise<AddedPicture>
}

export interface AddedWriter {
  format: ImageFormat
  /** Encodes on a thread. `quality` is 1 to 100 if the format has a quality. */
  encode(raster: Raster, quality: number | undefined): Promise<Uint8Array>
}

const readers = new Map<string, AddedReader>()
const writers = new Map<string, AddedWriter>()

/** The reader for a file type, by its id. */
export const addedReader = ({ id }: Pick<FileType, 'id'>): AddedReader | undefined => readers.get(id)

/** The writer for an output format, by its id. */
export const addedWriter = ({ id }: Pick<ImageFormat, 'id'>): AddedWriter | undefined => writers.get(id)

export function addReader(typeId: string, reader: AddedReader): void {
  readers.set(typeId, reader)
}

export function addWriter(writer: AddedWriter): void {
  writers.set(writer.format.id, writer)
}
