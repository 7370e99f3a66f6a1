import { MediaprocError } from '../../errors.ts'

/** The error for a file that violates its own format. `sentence` is public: the problem, with the measured value. */
export function damaged(sentence: string): MediaprocError {
  return new MediaprocError('INVALID_FILE', sentence)
}

/** The error for a valid file in a variant of its format that is not supported. */
export function unsupportedVariant(sentence: string): MediaprocError {
  return new MediaprocError('UNSUPPORTED_FILE_TYPE', sentence, {
    hint: 'Save it in a more common form (such as PNG) with the program that made it.',
  })
}

/** The error for a requested file that cannot exist because its format has a limit (such as 256 × 256 for icons). */
export function beyondFormat(sentence: string, hint: string): MediaprocError {
  return new MediaprocError('TARGET_UNREACHABLE', sentence, { hint })
}

/** Throws INVALID_FILE when there are fewer than `needed` bytes. `format` is the display name, such as `BMP`. */
export function requireBytes(bytes: Uint8Array, needed: number, format: string): void {
  if (bytes.length >= needed) return
  throw damaged(`The ${format} file is cut off: it has ${bytes.length} bytes and needs at least ${needed}`)
}

/** The error for encoded pixel data that ends too early. Both counts are pixels. */
export function pixelsMissing(format: string, decoded: number, expected: number): MediaprocError {
  return damaged(`The ${format} file is cut off: it has ${decoded} of ${expected} pixels`)
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
