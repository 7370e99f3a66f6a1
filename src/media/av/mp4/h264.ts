import type { FileView } from '../../verify/file-view.ts'
import { Doubt, expect, known, type RawStream } from '../doubt.ts'
import { NAL, nalType } from '../smart/nal.ts'
import { plainText } from './labels.ts'
import type { Samples } from './samples.ts'
import { type ParameterFacts, readPps, readSps } from './sps.ts'
import { type Branch, only, optional } from './tree.ts'

/** A larger first picture is left to ffprobe, bytes. */
const MAX_PICTURE_BYTES = 4 * 1024 * 1024
const SLICE = 1

/**
 * Reads the description of H.264 with 8 bits in 4:2:0, not interlaced.
 * @param header of the track
 * @throws Doubt for other video, and if container and video disagree
 */
export function readH264(tables: Branch, header: Buffer, file: FileView, samples: Samples): RawStream {
  const entry = only(tables, 'stsd', 'avc1')
  const { sps, pps, lengthBytes } = readRecord(only(entry, 'avcC').body)
  checkFirstPicture(file, samples, lengthBytes)
  expect(!readPps(pps).hasFieldOrder)
  const facts = readSps(sps)
  const { width, height } = facts
  expect(entry.body.readUInt16BE(24) === width && entry.body.readUInt16BE(26) === height)
  const ratio = checkedRatio(entry, facts)
  // Players scale to the size in the header of the track.
  const isScaled = ratio === undefined && header.readUInt32BE(76) !== width * 0x10000
  expect(!isScaled && header.readUInt32BE(80) === height * 0x10000)
  checkColour(entry, facts)
  return {
    ...{ codec_type: 'video', codec_name: 'h264', profile: facts.profile, width, height },
    ...{ pix_fmt: 'yuv420p', field_order: 'progressive', ...facts.colour },
    ...(ratio && { sample_aspect_ratio: ratio }),
    tags: encoderOf(entry.body),
  }
}

/** The record `avcC` with one set of each type (ISO/IEC 14496-15, 5.3.3.1). */
function readRecord(record: Buffer): { sps: Buffer; pps: Buffer; lengthBytes: number } {
  expect(record[0] === 1 && (record.readUInt8(5) & 0x1f) === 1)
  const spsEnd = 8 + record.readUInt16BE(6)
  expect(record.readUInt8(spsEnd) === 1)
  const ppsEnd = spsEnd + 3 + record.readUInt16BE(spsEnd + 1)
  expect(ppsEnd <= record.length)
  const sets = { sps: record.subarray(8, spsEnd), pps: record.subarray(spsEnd + 3, ppsEnd) }
  return { ...sets, lengthBytes: (record.readUInt8(4) & 3) + 1 }
}

/** The first picture must be whole, and without parameter sets of its own. */
function checkFirstPicture(file: FileView, { firstAt, firstBytes }: Samples, lengthBytes: number): void {
  expect(firstBytes <= MAX_PICTURE_BYTES)
  const bytes = file.read(firstAt, firstBytes)
  expect(bytes.length === firstBytes)
  const types = new Set<number>()
  let at = 0
  while (at < bytes.length) {
    const start = at + lengthBytes
    at = start + bytes.readUIntBE(at, lengthBytes)
    expect(at > start)
    types.add(nalType('h264', bytes.subarray(start, start + 1)))
  }
  expect(at === bytes.length && !types.has(NAL.h264.sps) && (types.has(NAL.h264.idr) || types.has(SLICE)))
}

const SQUARE = '1:1'

/** The shape of pixels, if container and video agree; older muxers do not state square ones. */
function checkedRatio(entry: Branch, { ratio }: ParameterFacts): string | undefined {
  const box = optional(entry, 'pasp')?.body
  const stated = box && `${box.readUInt32BE(0)}:${box.readUInt32BE(4)}`
  expect((stated ?? SQUARE) === (ratio ?? SQUARE))
  return stated ?? ratio
}

/** Older muxers leave the colours to the video. */
function checkColour(entry: Branch, { colourCodes }: ParameterFacts): void {
  const box = optional(entry, 'colr')?.body
  if (!box) return
  if (!colourCodes || box.toString('latin1', 0, 4) !== 'nclx') throw new Doubt()
  expect(colourCodes.every((code, index) => box.readUInt16BE(4 + 2 * index) === code) && known(box[10]) < 0x80)
}

/** The encoder's name: its length in a byte, and at most 31 bytes. */
function encoderOf(entry: Buffer): Record<string, string> {
  const length = entry.readUInt8(42)
  expect(length < 32)
  const name = entry.subarray(43, 43 + length)
  return length > 0 ? { encoder: plainText(name) } : {}
}
