const encoder = new TextEncoder()

/**
 * Truncates a text to a number of UTF-8 bytes, between characters. The time depends only on the kept part, so that a
 * name of one megabyte costs no more than one that is slightly too long.
 */
export function cutToBytes(text: string, bytes: number): string {
  const { read } = encoder.encodeInto(text, new Uint8Array(Math.max(0, bytes)))
  return text.slice(0, read)
}
