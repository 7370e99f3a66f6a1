import type { MediaInfo } from '../../engines/ffmpeg/media-info.ts'
import { FileView } from '../verify/file-view.ts'
import { soundDuration, soundInfo } from './sound-info.ts'

/** A chunk is a four-byte ID, a four-byte size and its data, padded to an even length (RIFF, 1991). */
const CHUNK_HEADER = 8
/** `RIFF`, the total size, and `WAVE`. */
const FILE_HEADER = 12
/** Size and tag of the format chunk of PCM with one or two channels and 16 bits; other PCM has an extended one. */
const [FORMAT_BYTES, PCM, BITS] = [16, 1, 16]

/** What ffprobe looks for in the samples of PCM: the beginning of a frame of DTS in four arrangements, and of IEC 61937. */
const SYNCS = ['7ffe8001', 'fe7f0180', '1fffe800', 'ff1f00e8', '72f81f4e'].map((sync) => Buffer.from(sync, 'hex'))
/** More than ffprobe reads before it decides. Bytes. */
const SEARCHED = 512 * 1024

/**
 * Reads a WAV file as ffprobe does, without its start, which takes longer than writing a minute of audio: 16-bit PCM with
 * one or two channels, and no tags but the encoder's name, in a complete file.
 * @returns undefined for all others, including incomplete ones, and samples that may be compressed audio
 */
export function readPcmWav(path: string): MediaInfo | undefined {
  return FileView.with(path, (file) => {
    const { head, size } = file
    if (head.length < FILE_HEADER || file.text(0, 4) !== 'RIFF' || file.text(8, 4) !== 'WAVE') return undefined
    if (head.readUInt32LE(4) !== size - CHUNK_HEADER) return undefined
    const chunks = chunksBeforeData(head, size)
    const format = chunks?.get('fmt ')
    const data = chunks?.get('data')
    if (!chunks || !format || !data || !isPlainPcm(format)) return undefined
    const encoder = encoderOf(chunks.get('LIST'))
    if (isCompressed(file.read(size - data.size - (data.size % 2), SEARCHED))) return undefined
    return encoder === undefined ? undefined : infoOf(format, data, size, encoder)
  })
}

/** Whether ffprobe may find compressed audio in place of samples; in doubt it may. */
function isCompressed(samples: Buffer): boolean {
  if (SYNCS.some((sync) => samples.includes(sync))) return true
  const first = samples.findIndex((byte) => byte !== 0)
  if (first < 0 || first + 2 > samples.length) return false
  const word = samples.readUInt16BE(first)
  // AC-3 in both byte orders, and MPEG audio.
  return word === 0x0b77 || word === 0x770b || (word & 0xffe0) === 0xffe0
}

/** Size and available bytes of each chunk; undefined unless the last one contains the audio and ends the file. */
function chunksBeforeData(head: Buffer, fileBytes: number): Map<string, Chunk> | undefined {
  const found = new Map<string, Chunk>()
  for (let at = FILE_HEADER; at + CHUNK_HEADER <= head.length; ) {
    const [id, size] = [head.toString('latin1', at, at + 4), head.readUInt32LE(at + 4)]
    const from = at + CHUNK_HEADER
    at = from + size + (size % 2)
    // Other chunks contain what only ffprobe reads.
    if (!['fmt ', 'LIST', 'data'].includes(id) || found.has(id)) return undefined
    found.set(id, { size, bytes: head.subarray(from, from + size) })
    if (id === 'data') return at === fileBytes && size > 0 ? found : undefined
  }
  return undefined
}

interface Chunk {
  /** Bytes. */
  size: number
  bytes: Buffer
}

function isPlainPcm({ size, bytes }: Chunk): boolean {
  if (size !== FORMAT_BYTES) return false
  const [channels, rate, byteRate] = [bytes.readUInt16LE(2), bytes.readUInt32LE(4), bytes.readUInt32LE(8)]
  const [align, bits] = [bytes.readUInt16LE(12), bytes.readUInt16LE(14)]
  const isKnown = bytes.readUInt16LE(0) === PCM && bits === BITS && rate > 0 && (channels === 1 || channels === 2)
  return isKnown && align === (channels * BITS) / 8 && byteRate === rate * align
}

/** The only tag of a list, the encoder's name; '' without a list, and undefined for other lists. */
function encoderOf(list: Chunk | undefined): string | undefined {
  if (!list) return ''
  const { bytes, size } = list
  const isComplete = bytes.length === size && size > FILE_HEADER && bytes.toString('latin1', 0, 8) === 'INFOISFT'
  if (!isComplete) return undefined
  const length = bytes.readUInt32LE(8)
  if (FILE_HEADER + length + (length % 2) !== size) return undefined
  const name = bytes.toString('latin1', FILE_HEADER, FILE_HEADER + length).replace(/\0$/, '')
  return /^[\w. -]+$/.test(name) ? name : undefined
}

function infoOf(format: Chunk, { size }: Chunk, fileBytes: number, encoder: string): MediaInfo | undefined {
  const [channels, sampleRate] = [format.bytes.readUInt16LE(2), format.bytes.readUInt32LE(4)]
  const moments = size / ((channels * BITS) / 8)
  if (!Number.isInteger(moments)) return undefined
  if (soundDuration(moments, sampleRate) === 0) return undefined
  const stream = { codec_name: 'pcm_s16le', sample_fmt: 's16', bits_per_sample: BITS, channels }
  const tags: Record<string, string> = encoder ? { encoder } : {}
  return soundInfo({ format: 'wav', sizeBytes: fileBytes, samples: moments, sampleRate, tags, stream })
}
