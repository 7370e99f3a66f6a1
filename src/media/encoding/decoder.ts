/**
 * Windows-1252 characters of the bytes 0x80 to 0x9f; Node 20's own decoder treats them as Latin-1 control characters.
 */
const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178'

const fromLatin = (text: string): string =>
  text.replace(/[\u0080-\u009f]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80]!)

/** Decodes bytes to text in chunks. Invalid bytes become U+FFFD. */
export interface PieceDecoder {
  decode(bytes: Uint8Array): string
  /** The rest at the end: U+FFFD for a truncated character. */
  end(): string
}

/** @param encoding an Encoding Standard name, in lower case. A UTF byte order mark is removed. */
export function decoderOf(encoding: string): PieceDecoder {
  if (encoding === 'windows-1252')
    return {
      decode: (bytes) => fromLatin(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')),
      end: () => '',
    }
  const decoder = new TextDecoder(encoding)
  return { decode: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() }
}

/** Decodes all bytes at once. */
export function decodeBytes(bytes: Uint8Array, encoding: string): string {
  const decoder = decoderOf(encoding)
  return decoder.decode(bytes) + decoder.end()
}
