import { hasMark } from './signatures.ts'

/** Kilobits per second of MPEG audio layer III by index, version 1 and versions 2/2.5 (ISO 11172-3, 13818-3). */
const LAYER_3_RATES = {
  1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
}
const SAMPLE_RATES = [44100, 48000, 32000]

/** Length in bytes of the layer III frame whose header is at `offset`; 0 if there is none. */
function mp3FrameLength(bytes: Uint8Array, offset: number): number {
  if (offset + 4 > bytes.length || bytes[offset] !== 0xff || (bytes[offset + 1]! & 0xe6) !== 0xe2) return 0
  const version = (bytes[offset + 1]! >> 3) & 3
  const rate = SAMPLE_RATES[(bytes[offset + 2]! >> 2) & 3]
  const kilobits = LAYER_3_RATES[version === 3 ? 1 : 2][bytes[offset + 2]! >> 4]
  if (version === 1 || !rate || !kilobits) return 0
  const divisor = version === 3 ? 1 : version === 2 ? 2 : 4
  const padding = (bytes[offset + 2]! >> 1) & 1
  return Math.floor(((version === 3 ? 144 : 72) * kilobits * 1000) / (rate / divisor)) + padding
}

/** Length in bytes of the AAC frame in ADTS form at `offset`; 0 if there is none. */
function adtsFrameLength(bytes: Uint8Array, offset: number): number {
  if (offset + 7 > bytes.length || bytes[offset] !== 0xff || (bytes[offset + 1]! & 0xf6) !== 0xf0) return 0
  if (((bytes[offset + 2]! >> 2) & 15) > 12) return 0
  return ((bytes[offset + 3]! & 3) << 11) | (bytes[offset + 4]! << 3) | (bytes[offset + 5]! >> 5)
}

type FrameLength = (bytes: Uint8Array, offset: number) => number

/** A frame at `offset`, followed by another one if there are enough bytes. */
function framesAt(bytes: Uint8Array, offset: number, frameLength: FrameLength): boolean {
  const length = frameLength(bytes, offset)
  const next = offset + length
  return length >= 7 && (next + 7 > bytes.length || frameLength(bytes, next) > 0)
}

/**
 * An ID3v2 tag: version 2 to 4, and a size whose bytes have a clear top bit (so that text that starts with ID3 does not
 * match).
 */
function isTag(head: Uint8Array): boolean {
  if (!hasMark(head, 'ID3') || head.length < 10 || head[3]! < 2 || head[3]! > 4) return false
  return head.subarray(6, 10).every((byte) => byte < 128)
}

/**
 * Detects MP3 and AAC, with or without an ID3v2 tag. A tag with a large cover image hides the data that follows: then
 * the name decides (AAC and FLAC may also have such a tag), with MP3 as default.
 */
export function sniffFramedAudio(head: Uint8Array, claimed: string | undefined): string | undefined {
  let start = 0
  if (isTag(head)) {
    const [a, b, c, d] = head.subarray(6, 10)
    start = 10 + ((a! & 127) << 21) + ((b! & 127) << 14) + ((c! & 127) << 7) + (d! & 127)
  }
  if (framesAt(head, start, mp3FrameLength)) return 'mp3'
  if (framesAt(head, start, adtsFrameLength)) return 'aac'
  if (start === 0) return undefined
  if (hasMark(head, 'fLaC', start)) return 'flac'
  return start >= head.length && (claimed === 'aac' || claimed === 'flac') ? claimed : 'mp3'
}
