import { type FileHandle, open } from 'node:fs/promises'
import type { Decoding } from './frames.ts'
import { decodeSamples } from './frames.ts'
import type { NoiseProfile } from './profile.ts'
import { type Suppression, Suppressor } from './suppressor.ts'

/** A W64 file: GUIDs that start with these letters; sizes include the header of a chunk (Sony Wave64). */
const RIFF = Buffer.from('726966662e91cf11a5d628db04c10000', 'hex')
const guid = (name: string): Buffer =>
  Buffer.concat([Buffer.from(name), Buffer.from('f3acd3118cd100c04f8edb8a', 'hex')])
const HEADER_BYTES = 104
/** WAVE_FORMAT_IEEE_FLOAT. */
const FLOAT = 3
const SAMPLE_BYTES = 4

const size = (bytes: number): Buffer => {
  const field = Buffer.alloc(8)
  field.writeBigUInt64LE(BigInt(bytes))
  return field
}

function header(channels: number, sampleRate: number, dataBytes: number): Buffer {
  const format = Buffer.alloc(16)
  format.writeUInt16LE(FLOAT, 0)
  format.writeUInt16LE(channels, 2)
  format.writeUInt32LE(sampleRate, 4)
  format.writeUInt32LE(sampleRate * channels * SAMPLE_BYTES, 8)
  format.writeUInt16LE(channels * SAMPLE_BYTES, 12)
  format.writeUInt16LE(SAMPLE_BYTES * 8, 14)
  return Buffer.concat([
    ...[RIFF, size(HEADER_BYTES + dataBytes), guid('wave')],
    ...[guid('fmt '), size(24 + format.length), format],
    ...[guid('data'), size(24 + dataBytes)],
  ])
}

/**
 * Writes the decoded audio without its noise to a W64 file, with the same number of samples.
 * @param onProgress receives the number of samples read, of each channel
 */
export async function writeCleaned(
  decoding: Decoding,
  sampleRate: number,
  {
    noise,
    path,
    onProgress,
    ...suppression
  }: Suppression & { noise: NoiseProfile; path: string; onProgress(moments: number): void },
): Promise<void> {
  const { channels } = decoding
  const file = await open(path, 'w')
  try {
    await file.write(header(channels, sampleRate, 0))
    let [read, cleaned] = [0, 0]
    let writing: Promise<unknown> = Promise.resolve()
    const pending: Float32Array[] = []
    const suppressor = new Suppressor(noise, sampleRate, suppression, (samples) => pending.push(samples))
    const flush = (most: number): void => {
      const whole = Buffer.concat(pending.splice(0).map(({ buffer }) => Buffer.from(buffer as ArrayBuffer)))
      const bytes = whole.subarray(0, Math.max(0, (most - cleaned) * channels * SAMPLE_BYTES))
      cleaned += bytes.length / channels / SAMPLE_BYTES
      writing = writing.then(() => appended(file, bytes))
    }
    await decodeSamples(decoding, (samples) => {
      read += samples.length / channels
      suppressor.add(samples)
      flush(read)
      onProgress(read)
    })
    suppressor.end()
    flush(read)
    await writing
    await file.write(header(channels, sampleRate, cleaned * channels * SAMPLE_BYTES), 0, HEADER_BYTES, 0)
  } finally {
    await file.close()
  }
}

async function appended(file: FileHandle, bytes: Buffer): Promise<void> {
  if (bytes.length > 0) await file.appendFile(bytes)
}
