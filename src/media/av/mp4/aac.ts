import { expect, known, type RawStream } from '../doubt.ts'
import { type Branch, only } from './tree.ts'

/** Sampling frequencies by index, Hz (ISO/IEC 14496-3, table 1.18). */
const RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350]
/** Names of the usual channel configurations. */
const LAYOUTS: Readonly<Record<number, string>> = { 1: 'mono', 2: 'stereo', 6: '5.1' }
const AAC_LC = 2
/** The descriptors of an elementary stream, of its decoder, and of what the decoder needs (ISO/IEC 14496-1, 7.2.2.1). */
const [STREAM, DECODER, SPECIFIC] = [3, 4, 5]
const MPEG4_AUDIO = 0x40
/** Announces that spectral band replication is stated; the fourth digit is its object type (5). */
const SYNC = 0x2b7
const SBR = 5
/** At lower rates a stream may have spectral band replication without stating it, Hz. */
const MAX_HIDDEN_SBR = 24_000

/** Reads the description of AAC-LC. @throws Doubt for other audio */
export function readAac(tables: Branch, ticksPerS: number): RawStream {
  const entry = only(tables, 'stsd', 'mp4a')
  // Version 0 of the entry, as QuickTime has others.
  expect(entry.body.readUInt16BE(8) === 0)
  const config = specificConfig(only(entry, 'esds').body)
  const [first, second] = [config.readUInt8(0), config.readUInt8(1)]
  const sampleRate = known(RATES[((first & 7) << 1) | (second >> 7)])
  const channels = (second >> 3) & 0xf
  // Frames of 1024 samples, without extension.
  expect(first >> 3 === AAC_LC && (second & 7) === 0 && sampleRate === ticksPerS)
  expect(sampleRate > MAX_HIDDEN_SBR || statesNoSbr(config))
  if (config.length > 2) expect(statesNoSbr(config))
  return {
    ...{ codec_type: 'audio', codec_name: 'aac', profile: 'LC', sample_fmt: 'fltp' },
    ...{ sample_rate: String(sampleRate), channels, channel_layout: known(LAYOUTS[channels]) },
  }
}

/** Whether the extension after the configuration states that there is no spectral band replication. */
function statesNoSbr(config: Buffer): boolean {
  if (config.length !== 5) return false
  const extension = config.readUIntBE(2, 3)
  return extension >> 13 === SYNC && ((extension >> 8) & 0x1f) === SBR && (extension & 0x80) === 0
}

/** The decoder's configuration inside of the descriptors. */
function specificConfig(box: Buffer): Buffer {
  const stream = descriptor(box.subarray(4), STREAM)
  // An id of two bytes and flags, which must announce no further fields.
  expect(stream.readUInt8(2) === 0)
  const decoder = descriptor(stream.subarray(3), DECODER)
  expect(decoder.readUInt8(0) === MPEG4_AUDIO)
  return descriptor(decoder.subarray(13), SPECIFIC)
}

/** The content of the descriptor at the start, whose size has seven bits in each byte. */
function descriptor(bytes: Buffer, tag: number): Buffer {
  expect(bytes.readUInt8(0) === tag)
  let [at, size, byte] = [1, 0, 0x80]
  while (byte & 0x80) {
    byte = bytes.readUInt8(at)
    size = size * 128 + (byte & 0x7f)
    at += 1
    expect(at <= 5)
  }
  expect(at + size <= bytes.length)
  return bytes.subarray(at, at + size)
}
