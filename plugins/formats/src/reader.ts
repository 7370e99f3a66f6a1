/** Reading of file headers: every read is checked against the end of the file. */
import { MediaprocError } from 'mediaproc/tool'

export const damaged = (message: string): MediaprocError => new MediaprocError('INVALID_FILE', message)

export const unsupported = (message: string): MediaprocError => new MediaprocError('UNSUPPORTED_FILE_TYPE', message)

/** Whether bytes start with a mark (Latin-1). */
export const startsWith = (bytes: Uint8Array, mark: string): boolean =>
  bytes.length >= mark.length && [...mark].every((letter, index) => bytes[index] === letter.charCodeAt(0))

export class Reader {
  readonly bytes: Uint8Array
  readonly #view: DataView
  readonly #kind: string
  readonly #isLittle: boolean

  /** @param kind the name of the format, for messages */
  constructor(bytes: Uint8Array, kind: string, order: 'little' | 'big') {
    this.bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#kind = kind
    this.#isLittle = order === 'little'
  }

  get length(): number {
    return this.bytes.length
  }

  /** @throws MediaprocError INVALID_FILE when the file ends before this offset */
  need(end: number): void {
    if (!(end <= this.length)) throw damaged(`The ${this.#kind} file is cut off: it has ${this.length} of ${end} bytes`)
  }

  u8(at: number): number {
    this.need(at + 1)
    return this.#view.getUint8(at)
  }

  u16(at: number): number {
    this.need(at + 2)
    return this.#view.getUint16(at, this.#isLittle)
  }

  u32(at: number): number {
    this.need(at + 4)
    return this.#view.getUint32(at, this.#isLittle)
  }

  /** Bytes of the file, not copied. */
  part(at: number, length: number): Uint8Array {
    this.need(at + length)
    return this.bytes.subarray(at, at + length)
  }
}

/** Luminance of an sRGB colour (Rec. 709), in the range of its parts. */
export const luma = (red: number, green: number, blue: number): number => red * 0.2126 + green * 0.7152 + blue * 0.0722
