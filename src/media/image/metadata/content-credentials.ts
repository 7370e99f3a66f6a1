import { createReadStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { lastOf } from '../../../lists.ts'
import { isNamed, jpegSegments } from '../../codecs/jpeg/jpeg-segments.ts'
import { PNG_SIGNATURE_BYTES, pngChunks } from '../../codecs/png-chunks.ts'
import { printableName } from '../../file.ts'

/**
 * Content Credentials are a C2PA manifest store, signed over the bytes of the file: any edit invalidates them. In every
 * format, its JUMBF description box starts like this (C2PA 2.1, 11.1; ISO/IEC 19566-5).
 */
const MARK = Buffer.from('jumdc2pa', 'latin1')

/** File types that can contain a manifest store (C2PA 2.1, annex A). */
const HOLDERS = new Set(['jpg', 'png', 'apng', 'webp', 'avif', 'heic', 'heif', 'tiff', 'gif', 'jxl', 'dng'])

/** The chunk of a manifest store in PNG (C2PA 2.1, A.3.2). */
const PNG_STORE = 'caBX'

/** The `uuid` box of a manifest store in ISO media files (C2PA 2.1, A.5.1). */
const BOX_UUID = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex')

/** The header of a JPEG: its manifest store is in APP11 segments (C2PA 2.1, A.3.1). Undefined if it is incomplete. */
function jpegHeader(jpeg: Buffer): Buffer | undefined {
  const scan = jpegSegments(jpeg)?.at(-1)
  return scan && jpeg.subarray(0, scan.at)
}

/** Searches only where a manifest store can be: a search of all pixels takes half a millisecond per MB. */
function includesMark(file: Buffer, typeId: string): boolean {
  if (typeId === 'jpg') return (jpegHeader(file) ?? file).includes(MARK)
  if (typeId !== 'png' && typeId !== 'apng') return file.includes(MARK)
  const stores = pngChunks(file).filter(({ type }) => type === PNG_STORE)
  return stores.some(({ at, length }) => file.subarray(at, at + 12 + length).includes(MARK))
}

/** Whether a file has Content Credentials. @param held its bytes, if they are in memory */
export async function hasCredentials(path: string, typeId: string, held?: Buffer): Promise<boolean> {
  if (!HOLDERS.has(typeId)) return false
  if (held) return includesMark(held, typeId)
  let end = Buffer.alloc(0)
  for await (const part of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    const header = typeId === 'jpg' && end.length === 0 ? jpegHeader(part) : undefined
    if (header) return header.includes(MARK)
    const joined = Buffer.concat([end, part])
    if (joined.includes(MARK)) return true
    end = joined.subarray(-MARK.length)
  }
  return false
}

/** APP11 segments with a JUMBF box. */
function fromJpeg(jpeg: Buffer): Buffer | undefined {
  const segments = jpegSegments(jpeg)
  if (!segments) return undefined
  const kept = segments.filter((one) => one.marker !== 0xeb || !isNamed(jpeg, one, 'JP'))
  const parts = kept.map(({ at, end }) => jpeg.subarray(at, end))
  return Buffer.concat([jpeg.subarray(0, 2), ...parts, jpeg.subarray(lastOf(segments).end)])
}

function fromPng(png: Buffer): Buffer {
  const kept = pngChunks(png).filter(({ type }) => type !== PNG_STORE)
  return Buffer.concat([
    png.subarray(0, PNG_SIGNATURE_BYTES),
    ...kept.map(({ at, length }) => png.subarray(at, at + 12 + length)),
  ])
}

function fromWebp(webp: Buffer): Buffer {
  const parts = [webp.subarray(0, 12)]
  for (let at = 12; at + 8 <= webp.length; ) {
    const length = webp.readUInt32LE(at + 4)
    const end = Math.min(webp.length, at + 8 + length + (length % 2))
    if (webp.toString('latin1', at, at + 4) !== 'C2PA') parts.push(webp.subarray(at, end))
    at = end
  }
  const whole = Buffer.concat(parts)
  whole.writeUInt32LE(whole.length - 8, 4)
  return whole
}

/** The box becomes free space, so that all offsets after it stay valid. */
function fromBoxes(file: Buffer): Buffer | undefined {
  for (let at = 0; at + 8 <= file.length; ) {
    const length = file.readUInt32BE(at)
    if (length < 8 || at + length > file.length) return undefined
    const isStore = file.toString('latin1', at + 4, at + 8) === 'uuid' && file.indexOf(BOX_UUID, at + 8) === at + 8
    if (isStore) {
      file.write('free', at + 4, 'latin1')
      file.fill(0, at + 8, at + length)
      return file
    }
    at += length
  }
  return undefined
}

const REMOVERS: Readonly<Record<string, (file: Buffer) => Buffer | undefined>> = {
  jpg: fromJpeg,
  png: fromPng,
  apng: fromPng,
  webp: fromWebp,
  avif: fromBoxes,
  heic: fromBoxes,
  heif: fromBoxes,
}

/**
 * Removes Content Credentials from an edited file, because they would be invalid.
 * @param path the edited file, of type `typeId`
 * @param name the input's name, for the message
 * @returns information for the user
 */
export async function dropCredentials(path: string, typeId: string, name: string): Promise<string> {
  const shown = printableName(name)
  if (await hasCredentials(path, typeId)) {
    const cleared = REMOVERS[typeId]?.(await readFile(path))
    if (!cleared || cleared.includes(MARK))
      return `${shown} has Content Credentials (C2PA), which the edit made invalid; they could not be removed`
    await writeFile(path, cleared)
  }
  return `${shown} has Content Credentials (C2PA), which are valid for its own bytes only; they are left out`
}
