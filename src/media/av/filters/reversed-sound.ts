import { type FileHandle, open } from 'node:fs/promises'
import { type FfmpegOptions, runFfmpeg } from '../../../engines/ffmpeg/ffmpeg.ts'
import type { Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../../errors.ts'
import type { AvSource } from '../input/part.ts'
import { sourceInput } from '../input/source-input.ts'

/** One block from each end is held in memory while they are swapped. */
const BLOCK_BYTES = 1024 * 1024
/** A W64 chunk starts with a 16-byte ID and its length (header included), and is aligned to 8 bytes. */
const CHUNK_HEADER = 24
const ALIGNMENT = 8
/** The file ID, the file length and the type precede the first chunk. */
const FIRST_CHUNK = 40
const BYTES_OF_CODEC = { pcm_s16le: 2, pcm_s32le: 4, pcm_f32le: 4 } as const

interface ReversingOptions extends Pick<FfmpegOptions, 'durationS' | 'onProgress' | 'warn'> {
  signal: AbortSignal
  filters?: readonly string[]
}

/** Decoded sample formats and the W64 codecs that hold them without loss. */
function codecFor({ sampleFormat = 'flt' }: Stream): keyof typeof BYTES_OF_CODEC {
  if (/^(u8|s16)/.test(sampleFormat)) return 'pcm_s16le'
  return sampleFormat.startsWith('s32') ? 'pcm_s32le' : 'pcm_f32le'
}

/** The position of the samples in a W64 file. */
async function samplesIn(file: FileHandle): Promise<{ from: number; to: number }> {
  const header = Buffer.alloc(CHUNK_HEADER)
  for (let at = FIRST_CHUNK; ; ) {
    const { bytesRead } = await file.read(header, 0, CHUNK_HEADER, at)
    if (bytesRead < CHUNK_HEADER) throw new MediaprocError('INTERNAL', 'The decoded audio has no samples')
    const length = Number(header.readBigUInt64LE(16))
    if (header.toString('latin1', 0, 4) === 'data') return { from: at + CHUNK_HEADER, to: at + length }
    at += Math.ceil(length / ALIGNMENT) * ALIGNMENT
  }
}

/** Returns a copy with the sample frames, each of the given number of bytes, in reverse order. */
function backwards(block: Buffer, momentBytes: number): Buffer {
  const turned = Buffer.allocUnsafe(block.length)
  for (let from = 0; from < block.length; from += momentBytes)
    block.copy(turned, block.length - from - momentBytes, from, from + momentBytes)
  return turned
}

/**
 * Reverses the samples of a W64 file in place by swapping two blocks at a time.
 * @param momentBytes bytes of one sample frame, all channels
 */
export async function turnRound(path: string, momentBytes: number, blockBytes = BLOCK_BYTES): Promise<void> {
  const file = await open(path, 'r+')
  try {
    const { from, to } = await samplesIn(file)
    const most = blockBytes - (blockBytes % momentBytes)
    const read = async (at: number, bytes: number): Promise<Buffer> =>
      (await file.read(Buffer.alloc(bytes), 0, bytes, at)).buffer
    let [low, high] = [from, to - ((to - from) % momentBytes)]
    while (high - low > most * 2) {
      const [first, last] = [await read(low, most), await read(high - most, most)]
      await file.write(backwards(last, momentBytes), 0, most, low)
      await file.write(backwards(first, momentBytes), 0, most, high - most)
      low += most
      high -= most
    }
    const middle = backwards(await read(low, high - low), momentBytes)
    await file.write(middle, 0, middle.length, low)
  } finally {
    await file.close()
  }
}

/**
 * Writes an audio stream in reverse. It is reversed on disk, because ffmpeg's filter would hold all of it in memory.
 * @param path path of a W64 file
 * @param options.filters complete ffmpeg filters applied before
 */
export async function writeReversedSound(
  source: AvSource,
  stream: Stream,
  path: string,
  { filters = [], ...running }: ReversingOptions,
): Promise<void> {
  const channels = stream.channels ?? 2
  const codec = codecFor(stream)
  const filter = filters.length > 0 ? ['-af', filters.join(',')] : []
  const output = ['-c:a', codec, '-ac', String(channels), '-f', 'w64', `file:${path}`]
  await runFfmpeg([...sourceInput(source), '-map', `0:${stream.index}`, ...filter, ...output], {
    ...running,
    what: 'Reversing',
  })
  await turnRound(path, channels * BYTES_OF_CODEC[codec])
}
