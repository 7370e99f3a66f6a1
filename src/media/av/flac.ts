import type { MediaInfo } from '../../engines/ffmpeg/media-info.ts'
import type { FileView } from '../verify/file-view.ts'
import { expect, known, unlessInDoubt } from './doubt.ts'
import { plainText } from './mp4/labels.ts'
import { soundInfo } from './sound-info.ts'

/** Types of metadata blocks (RFC 9639, 8.1); others have what only ffprobe reads, such as pictures and cue sheets. */
const BLOCKS = { streamInfo: 0, padding: 1, seekTable: 3, comments: 4 } as const
const MARK = 'fLaC'
const BLOCK_HEADER = 4
const STREAM_INFO_BYTES = 34
/** Comments of texts are smaller; larger ones have pictures. Bytes. */
const MAX_COMMENTS_BYTES = 64 * 1024
/** Largest header of a frame, with its checksum. Bytes. */
const FRAME_HEADER_BYTES = 16
/** Sample rates in Hz by their codes in the header of a frame (RFC 9639, 9.1.2); 0 is the rate of the file. */
const RATES = [0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000]
/** Codes of one channel, and of two that are apart or stored as differences (9.1.3). */
const [ONE_CHANNEL, TWO_CHANNELS] = [[0], [1, 8, 9, 10]]
/** Depths by their codes (9.1.4); 0 is the depth of the file. */
const DEPTHS: Readonly<Record<number, number>> = { 0: 0, 4: 16, 6: 24 }

/** ffmpeg's names of comments that have other ones there. */
const NAMES: Readonly<Record<string, string>> = {
  albumartist: 'album_artist',
  tracknumber: 'track',
  discnumber: 'disc',
  description: 'comment',
}
/** Gains, pictures, chapters and channel masks, which ffprobe does not report as texts. */
const NO_TEXT = /^(replaygain|metadata_block_picture|coverart|chapter|waveformatextensible)/

/**
 * Reads a FLAC file as ffprobe does, without its start: 16 or 24 bits with one or two channels, and tags that are texts.
 * @returns undefined for all others, such as those with pictures or gains
 */
export const readPlainFlac = (path: string): MediaInfo | undefined => unlessInDoubt(path, infoOf)

function infoOf(file: FileView): MediaInfo {
  expect(file.text(0, MARK.length) === MARK)
  const { blocks, end } = blocksOf(file)
  const info = known(blocks.get(BLOCKS.streamInfo))
  expect(info.length === STREAM_INFO_BYTES)
  // 20 bits of the sample rate, 3 of the channels, 5 of the depth, and 36 of the samples, each of the two smaller by one.
  const facts = info.readUInt32BE(10)
  const sampleRate = facts >>> 12
  const channels = ((facts >> 9) & 7) + 1
  const bits = ((facts >> 4) & 31) + 1
  const samples = (facts & 15) * 2 ** 32 + info.readUInt32BE(14)
  expect(channels <= 2 && (bits === 16 || bits === 24) && sampleRate > 0 && samples > 0)
  checkFrame(file.read(end, FRAME_HEADER_BYTES), { sampleRate, channels, bits })
  const stream = {
    ...{ codec_name: 'flac', sample_fmt: bits === 16 ? 's16' : 's32', bits_per_raw_sample: String(bits) },
    ...{ channels, channel_layout: channels === 1 ? 'mono' : 'stereo' },
  }
  const tags = textsOf(blocks.get(BLOCKS.comments))
  return soundInfo({ format: 'flac', sizeBytes: file.size, samples, sampleRate, tags, stream })
}

/** @throws Doubt unless the first frame is like the file, as ffprobe reports the frame (RFC 9639, 9.1) */
function checkFrame(
  header: Buffer,
  { sampleRate, channels, bits }: { sampleRate: number; channels: number; bits: number },
): void {
  expect(header.length === FRAME_HEADER_BYTES && header.readUInt16BE() >>> 1 === 0x7ffc)
  const [rate, shape] = [RATES[header.readUInt8(2) & 15], header.readUInt8(3)]
  expect(rate === 0 || rate === sampleRate)
  expect((channels === 1 ? ONE_CHANNEL : TWO_CHANNELS).includes(shape >> 4))
  const depth = DEPTHS[(shape >> 1) & 7]
  expect((depth === 0 || depth === bits) && (shape & 1) === 0)
}

/** The metadata blocks by type, and where the frames begin. The contents of padding and seek tables are not read. */
function blocksOf(file: FileView): { blocks: Map<number, Buffer>; end: number } {
  const blocks = new Map<number, Buffer>()
  for (let at = MARK.length; ; ) {
    const header = file.read(at, BLOCK_HEADER)
    expect(header.length === BLOCK_HEADER)
    const [type, length] = [header.readUInt8() & 0x7f, header.readUIntBE(1, 3)]
    expect((blocks.size === 0) === (type === BLOCKS.streamInfo) && !blocks.has(type))
    const isRead = type === BLOCKS.streamInfo || type === BLOCKS.comments
    expect(isRead ? length <= MAX_COMMENTS_BYTES : type === BLOCKS.padding || type === BLOCKS.seekTable)
    blocks.set(type, isRead ? file.read(at + BLOCK_HEADER, length) : Buffer.alloc(0))
    at += BLOCK_HEADER + length
    if (header.readUInt8() >= 0x80) return { blocks, end: at }
  }
}

/** The texts of a block of comments, by ffmpeg's names: their maker, and lines such as `TITLE=Name` (RFC 9639, 8.6). */
function textsOf(block: Buffer | undefined): Record<string, string> {
  const texts: Record<string, string> = {}
  if (block === undefined) return texts
  let at = 0
  const next = (): Buffer => {
    expect(at + 4 <= block.length)
    const end = at + 4 + block.readUInt32LE(at)
    expect(end <= block.length)
    const bytes = block.subarray(at + 4, end)
    at = end
    return bytes
  }
  next()
  expect(at + 4 <= block.length)
  const count = block.readUInt32LE(at)
  at += 4
  for (let line = 0; line < count; line += 1) {
    const text = plainText(next())
    const equals = text.indexOf('=')
    expect(equals > 0 && equals < text.length - 1)
    const written = text.slice(0, equals).toLowerCase()
    const key = NAMES[written] ?? written
    expect(!(key in texts) && !NO_TEXT.test(key))
    texts[key] = text.slice(equals + 1)
  }
  expect(at === block.length)
  return texts
}
