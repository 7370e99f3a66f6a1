import { MediaprocError } from '../../errors.ts'

/** The file contradicts its own format. `sentence` is public: what is wrong, with the measured value. */
export function damaged(sentence: string): MediaprocError {
  return new MediaprocError('INVALID_FILE', sentence)
}

/** The file is sound, but holds a variant of its format that is not read here. */
export function unsupportedVariant(sentence: string): MediaprocError {
  return new MediaprocError('UNSUPPORTED_FILE_TYPE', sentence, {
    hint: 'Save it in a more common form (such as PNG) with the program that made it.',
  })
}

/** The asked file cannot exist, because its format has a bound (such as 256 × 256 for icons). */
export function beyondFormat(sentence: string, hint: string): MediaprocError {
  return new MediaprocError('TARGET_UNREACHABLE', sentence, { hint })
}

/** Throws INVALID_FILE unless at least `needed` bytes are there. `format` is the name for people, such as `BMP`. */
export function requireBytes(bytes: Uint8Array, needed: number, format: string): void {
  if (bytes.length >= needed) return
  throw damaged(`The ${format} file is cut off: it has ${bytes.length} bytes and needs at least ${needed}`)
}

/** The error for coded pixel data that ends too early. Both counts are pixels. */
export function pixelsMissing(format: string, decoded: number, expected: number): MediaprocError {
  return damaged(`The ${format} file is cut off: it has ${decoded} of ${expected} pixels`)
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
