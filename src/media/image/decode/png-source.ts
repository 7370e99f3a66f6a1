import { readFile } from 'node:fs/promises'
import { deflateSync, inflateSync } from 'node:zlib'
import { PNG_SIGNATURE_BYTES, type PngChunkPlace, pngChunk, pngFileChunks } from '../../codecs/png-chunks.ts'
import { gammaProfile } from '../metadata/gamma-profile.ts'
import type { Reading } from './source.ts'

/** The header chunk: 13 bytes of data. */
const BEHIND_HEADER = PNG_SIGNATURE_BYTES + 25

/** Chunks that define the colour space more precisely than gAMA (PNG specification, third edition, 4.3). */
const COLOUR_CHUNKS = new Set(['iCCP', 'sRGB', 'cICP'])

/** gAMA of sRGB is 1/2.2; a smaller difference is not visible (libpng's own threshold). */
const SRGB_GAMMA = 1 / 2.2
const SAME_GAMMA = 0.05

/** ImageMagick's name for EXIF before PNG had a chunk for it: text chunks with the block in hexadecimal. */
const RAW_EXIF = /^Raw profile type (?:exif|APP1)\0/
const MOST_RAW_EXIF_BYTES = 1 << 20

function rawExif(type: string, data: Buffer): Buffer | undefined {
  const name = RAW_EXIF.exec(data.toString('latin1', 0, 40))?.[0]
  if (!name) return undefined
  try {
    const text =
      type === 'zTXt'
        ? inflateSync(data.subarray(name.length + 1), { maxOutputLength: 2 * MOST_RAW_EXIF_BYTES })
        : data.subarray(name.length)
    // A line with the type, one with the length, then the block.
    const [, hexadecimal = ''] = /^\s*\w+\s+\d+\s+([\s\da-f]+)$/i.exec(text.toString('latin1').trimEnd()) ?? []
    const block = Buffer.from(hexadecimal.replaceAll(/\s/g, ''), 'hex')
    return block.toString('latin1', 0, 6) === 'Exif\0\0' ? block.subarray(6) : undefined
  } catch {
    // Unreadable metadata does not make an image unreadable.
    return undefined
  }
}

const dataOf = (png: Buffer, { at, length }: PngChunkPlace): Buffer => png.subarray(at + 8, at + 8 + length)

/** A profile for the gAMA chunk if it differs from sRGB. */
function profileOfGamma(png: Buffer, chunks: readonly PngChunkPlace[]): Buffer | undefined {
  const gamma = chunks.find(({ type }) => type === 'gAMA')
  if (gamma?.length !== 4 || chunks.some(({ type }) => COLOUR_CHUNKS.has(type))) return undefined
  const exponent = dataOf(png, gamma).readUInt32BE(0) / 100_000
  if (exponent < 0.1 || exponent > 5 || Math.abs(exponent / SRGB_GAMMA - 1) < SAME_GAMMA) return undefined
  const colourType = png[PNG_SIGNATURE_BYTES + 17]!
  return gammaProfile(1 / exponent, colourType === 0 || colourType === 4 ? 'grey' : 'rgb')
}

/** An EXIF block that libvips does not find: after the pixels, or in a text chunk. */
function hiddenExif(png: Buffer, chunks: readonly (PngChunkPlace & { isBehindPixels: boolean })[]): Buffer | undefined {
  if (chunks.some(({ type, isBehindPixels }) => type === 'eXIf' && !isBehindPixels)) return undefined
  const late = chunks.find(({ type }) => type === 'eXIf')
  if (late) return dataOf(png, late)
  for (const chunk of chunks) {
    const block = /^[tz]..t$/i.test(chunk.type) ? rawExif(chunk.type, dataOf(png, chunk)) : undefined
    if (block) return block
  }
  return undefined
}

/**
 * A PNG whose header libvips would misread, rewritten with chunks that libvips supports: gAMA as a profile, and an EXIF
 * block from elsewhere moved to the front. Undefined for all others, which are read as they are.
 * @param held the bytes of the file, if they are in memory
 */
export async function mendedPng(path: string, held?: Buffer): Promise<Reading | undefined> {
  const chunks = await pngFileChunks(path, held)
  const mayNeed = chunks.some(
    ({ type, isBehindPixels }) =>
      type === 'gAMA' || type === 'zTXt' || type === 'tEXt' || (type === 'eXIf' && isBehindPixels),
  )
  if (!mayNeed) return undefined
  const png = held ?? (await readFile(path))
  const [icc, exif] = [profileOfGamma(png, chunks), hiddenExif(png, chunks)]
  if (!icc && !exif) return undefined
  const added: Buffer[] = []
  if (icc) added.push(pngChunk('iCCP', Buffer.concat([Buffer.from('icc\0\0', 'latin1'), deflateSync(icc)])))
  if (exif) added.push(pngChunk('eXIf', exif))
  const input = Buffer.concat([png.subarray(0, BEHIND_HEADER), ...added, png.subarray(BEHIND_HEADER)])
  return { input }
}
