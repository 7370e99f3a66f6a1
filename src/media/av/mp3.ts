import type { MediaInfo } from '../../engines/ffmpeg/media-info.ts'
import type { FileView } from '../verify/file-view.ts'
import { expect, known, unlessInDoubt } from './doubt.ts'
import { id3Texts } from './labels/id3-texts.ts'
import { soundInfo } from './sound-info.ts'

/** Bit rates of Layer III in kbit/s by index from 1 (ISO/IEC 11172-3 and 13818-3, 2.4.2.3): MPEG-1, and MPEG-2 with 2.5. */
const BIT_RATES = [
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const
/** Sample rates of MPEG-1 in Hz; those of MPEG-2 are half of them, and of MPEG-2.5 a quarter. */
const SAMPLE_RATES = [44_100, 48_000, 32_000] as const
/** By the two bits of the version; the second one is not used. */
const HALVINGS = [2, undefined, 1, 0] as const
const LAYER_III = 1
const MONO = 3
/** Frames that must follow one another at the beginning. */
const SURE_FRAMES = 8
/** The table begins with a word, its flags, and the numbers of frames and bytes. The name of the encoder and gains follow. */
const [NAME_AT, GAINS_AT, TABLE_BYTES] = [120, 131, 139]
const IS_COMPLETE = 15
/** An ID3v1 tag is the end of its file. */
const ID3V1_BYTES = 128

/**
 * Reads an MP3 file as ffprobe does, without its start, which takes longer than decoding a minute: a complete file with a
 * table of its length, and with tags that are texts.
 * @returns undefined for all others, such as those with covers, chapters or gains
 */
export const readPlainMp3 = (path: string): MediaInfo | undefined => unlessInDoubt(path, infoOf)

function infoOf(file: FileView): MediaInfo {
  const { start, texts } = id3Texts(file)
  const first = frameAt(file, start)
  const { sampleRate, channels, samples } = first
  const { frames, bytes } = tableOf(file, start + 4 + first.sideBytes)
  expect(bytes === file.size - start && frames >= SURE_FRAMES)
  expect(file.text(Math.max(0, file.size - ID3V1_BYTES), 3) !== 'TAG')
  let at = start
  for (let count = 0; count < SURE_FRAMES; count += 1) {
    const frame = frameAt(file, at)
    expect(frame.sampleRate === sampleRate && frame.channels === channels && frame.samples === samples)
    at += frame.bytes
  }
  const channel_layout = channels === 1 ? 'mono' : 'stereo'
  const stream = { codec_name: 'mp3', sample_fmt: 'fltp', channels, channel_layout }
  return soundInfo({ format: 'mp3', sizeBytes: file.size, samples: frames * samples, sampleRate, tags: texts, stream })
}

interface Frame {
  sampleRate: number
  channels: number
  /** Per channel. */
  samples: number
  /** Of the frame. */
  bytes: number
  /** Of the side information after the header. */
  sideBytes: number
}

/** The header of a frame (ISO/IEC 11172-3, 2.4.1.3). @throws Doubt unless it is of Layer III, without a checksum */
function frameAt(file: FileView, at: number): Frame {
  const header = file.read(at, 4)
  expect(header.length === 4)
  const word = header.readUInt32BE()
  expect(word >>> 21 === 0x7ff && ((word >> 17) & 3) === LAYER_III && ((word >> 16) & 1) === 1)
  const halvings = known(HALVINGS[(word >> 19) & 3])
  const isLow = halvings > 0
  const bitRate = known(BIT_RATES[isLow ? 1 : 0][((word >> 12) & 15) - 1])
  const sampleRate = known(SAMPLE_RATES[(word >> 10) & 3]) >> halvings
  const isMono = ((word >> 6) & 3) === MONO
  const samples = isLow ? 576 : 1152
  return {
    ...{ sampleRate, samples, channels: isMono ? 1 : 2 },
    bytes: Math.floor((samples * 125 * bitRate) / sampleRate) + ((word >> 9) & 1),
    sideBytes: isLow ? (isMono ? 9 : 17) : isMono ? 17 : 32,
  }
}

/** The table of Xing and LAME in the first frame. @throws Doubt without one, and if it states gains, which ffprobe reports */
function tableOf(file: FileView, at: number): { frames: number; bytes: number } {
  const table = file.read(at, TABLE_BYTES)
  expect(table.length === TABLE_BYTES && ['Xing', 'Info'].includes(table.toString('latin1', 0, 4)))
  expect(table.readUInt32BE(4) === IS_COMPLETE && /^(Lav[cf]|LAME)/.test(table.toString('latin1', NAME_AT)))
  expect(table.subarray(GAINS_AT).every((byte) => byte === 0))
  return { frames: table.readUInt32BE(8), bytes: table.readUInt32BE(12) }
}
