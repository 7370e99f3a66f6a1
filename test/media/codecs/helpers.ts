import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { MediaprocError } from '../../../src/errors.ts'
import type { Raster } from '../../../src/media/codecs/raster.ts'

/** Small, seeded pseudo-random numbers (mulberry32), 0 to 1. */
export function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** A picture with smooth parts, flat runs and noise, so that every branch of a run-length coder is covered. */
export function picture(width: number, height: number, channels: Raster['channels'], depth: 8 | 16 = 8): Raster {
  const random = randomNumbers(width * 31 + height * 7 + channels)
  const most = depth === 8 ? 255 : 65535
  const data = depth === 8 ? new Uint8Array(width * height * channels) : new Uint16Array(width * height * channels)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let channel = 0; channel < channels; channel++) {
        const third = Math.floor((y * 3) / height)
        const level =
          third === 0 ? (x + channel) / (width + 4) : third === 1 ? Math.floor((x * 3) / width) / 3 : random()
        data[(y * width + x) * channels + channel] = Math.round(level * most)
      }
    }
  }
  return { width, height, channels, depth, data }
}

/**
 * Every truncation, and seeded changes of single bytes, must decode or throw a MediaprocError: nothing else.
 * @param header the part that declares sizes; half of the changes are there
 */
export function expectSafe(
  bytes: Uint8Array,
  decode: (bytes: Uint8Array) => unknown,
  header: readonly [number, number] = [0, 160],
): void {
  const attempt = (damaged: Uint8Array): void => {
    try {
      decode(damaged)
    } catch (error) {
      expect(error).toBeInstanceOf(MediaprocError)
      expect(['INVALID_FILE', 'LIMIT_EXCEEDED', 'UNSUPPORTED_FILE_TYPE']).toContain((error as MediaprocError).code)
    }
  }
  for (let length = 0; length < Math.min(bytes.length, 200); length++) attempt(bytes.slice(0, length))
  for (let tenth = 1; tenth < 10; tenth++) attempt(bytes.slice(0, Math.floor((bytes.length * tenth) / 10)))
  const random = randomNumbers(bytes.length)
  for (let round = 0; round < 300; round++) {
    // Not slice: of a Buffer that is a view, and the changes would accumulate.
    const changed = Uint8Array.from(bytes)
    const [start, end] = round % 2 ? [0, bytes.length] : [header[0], Math.min(bytes.length, header[1])]
    const at = start + Math.floor(random() * (end - start))
    changed[at] = round % 3 === 0 ? 255 : Math.floor(random() * 256)
    attempt(changed)
  }
}

/** Cutting the file at each tenth of its length must be refused as INVALID_FILE. */
export function expectCutsRefused(bytes: Uint8Array, decode: (bytes: Uint8Array) => unknown): void {
  for (let tenth = 0; tenth < 10; tenth++) {
    const cut = bytes.slice(0, Math.floor((bytes.length * tenth) / 10))
    expect(() => decode(cut), `cut at ${tenth}0 %`).toThrow(expect.objectContaining({ code: 'INVALID_FILE' }))
  }
}

/** Whether a program is installed; for cross-checks that need it. */
export function hasProgram(name: string): boolean {
  try {
    execFileSync(name, ['-version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Runs a program on a file with `bytes`; `{in}` and `{out}` in the arguments are the two file names. */
export function throughProgram(
  program: string,
  args: string[],
  bytes: Uint8Array,
  extension: string,
  outExtension = 'raw',
): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'mediaproc-test-'))
  try {
    const names: Record<string, string> = {
      '{in}': join(folder, `in.${extension}`),
      '{out}': join(folder, `out.${outExtension}`),
    }
    writeFileSync(names['{in}']!, bytes)
    execFileSync(
      program,
      args.map((arg) => arg.replace(/\{in\}|\{out\}/g, (name) => names[name]!)),
      { stdio: 'ignore' },
    )
    return readFileSync(names['{out}']!)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What ffmpeg decodes from a file, as raw pixels. */
export function ffmpegPixels(bytes: Uint8Array, extension: string, pixelFormat: string): Buffer {
  return throughProgram(
    'ffmpeg',
    ['-v', 'error', '-i', '{in}', '-f', 'rawvideo', '-pix_fmt', pixelFormat, '{out}'],
    bytes,
    extension,
  )
}

/** What ffmpeg encodes from raw 8- or 16-bit pixels. */
export function ffmpegFile(raster: Raster, pixelFormat: string, extension: string, fileFormat: string): Buffer {
  const bytes = new Uint8Array(raster.data.buffer, raster.data.byteOffset, raster.data.byteLength)
  const given = {
    1: { 8: 'gray', 16: 'gray16le' },
    2: { 8: 'ya8', 16: 'ya16le' },
    3: { 8: 'rgb24', 16: 'rgb48le' },
    4: { 8: 'rgba', 16: 'rgba64le' },
  }
  const input = given[raster.channels][raster.depth as 8 | 16]
  const args = [
    '-v',
    'error',
    '-f',
    'rawvideo',
    '-pix_fmt',
    input,
    '-s',
    `${raster.width}x${raster.height}`,
    '-i',
    '{in}',
  ]
  return throughProgram(
    'ffmpeg',
    [...args, '-frames:v', '1', '-pix_fmt', pixelFormat, ...(fileFormat ? ['-f', fileFormat] : []), '{out}'],
    bytes,
    'raw',
    extension,
  )
}

/** Little-endian bytes of numbers given as [value, width in bytes]. */
export function little(...fields: [value: number, width: 1 | 2 | 4][]): Buffer {
  return Buffer.concat(
    fields.map(([value, width]) => {
      const field = Buffer.alloc(width)
      field.writeUIntLE(value < 0 ? value + 2 ** (8 * width) : value, 0, width)
      return field
    }),
  )
}
