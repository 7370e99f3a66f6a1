import { readFile, writeFile } from 'node:fs/promises'
import { lastOf } from '../../../lists.ts'
import { isNamed, jpegSegments } from '../../codecs/jpeg/jpeg-segments.ts'
import { PNG_SIGNATURE_BYTES, pngChunk, pngChunks } from '../../codecs/png-chunks.ts'
import type { Afterwards } from '../encode/post-encode.ts'
import type { ImageFrame } from '../frame.ts'
import { iptcOf, iptcSegment, iptcTextChunk } from './iptc.ts'

const APPLICATION_0 = 0xe0
const APPLICATION_1 = 0xe1
const APPLICATION_13 = 0xed

/** The header chunk of a PNG: 13 bytes of data. */
const BEHIND_HEADER = PNG_SIGNATURE_BYTES + 25

const TEXT_CHUNKS = new Set(['tEXt', 'zTXt', 'iTXt'])

/** Text chunks with a special meaning: metadata blocks, which are written separately. */
const BLOCKS = /^(?:Raw profile type |XML:com\.adobe\.xmp\0)/

/**
 * Adds IIM records to a JPEG in an APP13 segment; returns it unchanged if it has one, or if they are too long for a
 * segment.
 */
function jpegWithIptc(jpeg: Buffer, records: Buffer): Buffer {
  const segments = jpegSegments(jpeg)
  const added = iptcSegment(records)
  if (!segments || !added) return jpeg
  const isPhotoshop = (one: (typeof segments)[number]) => isNamed(jpeg, one, 'Photoshop 3.0\0')
  if (segments.some((one) => one.marker === APPLICATION_13 && isPhotoshop(one))) return jpeg
  // libvips writes bare records of a TIFF unchanged, which no reader understands.
  const kept = segments.filter(({ marker }) => marker !== APPLICATION_13)
  const parts = kept.map(({ at, end }) => jpeg.subarray(at, end))
  const place = kept.findIndex(({ marker }) => marker !== APPLICATION_0 && marker !== APPLICATION_1)
  parts.splice(place, 0, added)
  return Buffer.concat([jpeg.subarray(0, 2), ...parts, jpeg.subarray(lastOf(segments).end)])
}

/** The text chunks of a PNG, except those that contain a metadata block. */
function textChunks(png: Buffer): Buffer[] {
  return pngChunks(png)
    .filter(({ type, at }) => TEXT_CHUNKS.has(type) && !BLOCKS.test(png.toString('latin1', at + 8, at + 48)))
    .map(({ at, length }) => png.subarray(at, at + 12 + length))
}

/** Replaces the text chunks of a PNG that libvips wrote, because it converts all of them to Latin-1. */
function pngWithText(png: Buffer, added: readonly Buffer[]): Buffer {
  const own = new Set(textChunks(png).map(({ byteOffset }) => byteOffset))
  const parts = pngChunks(png)
    .map(({ at, length }) => png.subarray(at, at + 12 + length))
    .filter(({ byteOffset }) => !own.has(byteOffset))
  return Buffer.concat([png.subarray(0, BEHIND_HEADER), ...added, ...parts.slice(1)])
}

/**
 * Writes metadata that sharp does not pass on into a finished file: IPTC records of computed pixels, and PNG text
 * chunks. exiftool writes those of TIFF, with its other tags.
 */
export async function carryOver({ origin, target }: ImageFrame, path: string, format: string): Promise<Afterwards> {
  const { metadata: policy } = target
  const { metadata } = origin
  if (policy === 'none' || origin.path === '') return {}
  const records = policy?.drop.includes('xmp') ? undefined : iptcOf(metadata)
  if (format === 'jpg') {
    if (!records) return {}
    const jpeg = await readFile(path)
    const whole = jpegWithIptc(jpeg, records)
    if (whole === jpeg) return {}
    await writeFile(path, whole)
    return { isRewritten: true }
  }
  if (format !== 'png' && format !== 'apng') return {}
  const isPng = origin.type.id === 'png' || origin.type.id === 'apng'
  const texts = isPng && metadata.comments ? textChunks(origin.held ?? (await readFile(origin.path))) : []
  const added = [...texts, ...(records ? [pngChunk('tEXt', iptcTextChunk(records))] : [])]
  if (added.length === 0) return {}
  await writeFile(path, pngWithText(await readFile(path), added))
  return { isRewritten: true }
}
