import { decodeText, type EncodingOptions } from '../../text-file.ts'

/** The first bytes of UTF-16 without a byte order mark: every second byte of Latin letters is 0. */
function unmarkedWide(bytes: Uint8Array): string | undefined {
  const zeros = (parity: 0 | 1): number =>
    bytes.subarray(0, 512).filter((byte, at) => byte === 0 && at % 2 === parity).length
  return zeros(1) > 16 ? 'utf-16le' : zeros(0) > 16 ? 'utf-16be' : undefined
}

/**
 * Decodes a subtitle file: Unicode by byte order mark or structure, otherwise the caller's encoding, otherwise a guess.
 * Line endings become `\n`.
 * @param name file name for warnings
 */
export async function decodeSubtitles(
  bytes: Uint8Array,
  name: string,
  { encoding, warn }: EncodingOptions = {},
): Promise<string> {
  const said = encoding === undefined || encoding === 'auto' ? unmarkedWide(bytes) : encoding
  const text = await decodeText(bytes, name, { encoding: said, warn })
  return text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .replaceAll('\0', '')
}
