const encoder = new TextEncoder()

/**
 * The beginning of a text that fits into so many bytes of UTF-8, cut between characters. Takes time for what is kept only,
 * so that a name of a megabyte costs no more than one that just does not fit.
 */
export function cutToBytes(text: string, bytes: number): string {
  const { read } = encoder.encodeInto(text, new Uint8Array(Math.max(0, bytes)))
  return text.slice(0, read)
}
