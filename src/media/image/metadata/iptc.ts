import type { Metadata } from '../../../engines/sharp.ts'

/** IPTC-IIM records and the blocks in which JPEG, PNG and TIFF store them. */

/** The start of a Photoshop APP13 segment; image resources follow (Adobe Photoshop File Formats). */
const PHOTOSHOP = Buffer.from('Photoshop 3.0\0', 'latin1')

/** The image resource that contains IPTC-IIM records. */
const IPTC_RESOURCE = 0x0404

/** The first byte of every dataset (IPTC-IIM 4.2, 1.6). */
const TAG_MARKER = 0x1c

/**
 * A PNG text chunk with Photoshop resources or IIM records in hexadecimal: a line with the type, one with the length.
 */
const RAW_PROFILE = /^Raw profile type (?:iptc|8bim)$/

/** The hexadecimal lines of such a chunk, parsed in linear time: the text is untrusted and may have megabytes. */
function rawProfileBody(text: string): string | undefined {
  const [kind = '', length = '', ...lines] = text.trim().split('\n')
  const body = lines.join('')
  return /^\w+$/.test(kind.trim()) && /^\d+$/.test(length.trim()) && /^[\s\da-f]+$/i.test(body) ? body : undefined
}

/** The IIM records of an image, wherever its format stores them. */
export function iptcOf({ iptc, comments = [] }: Pick<Metadata, 'iptc' | 'comments'>): Buffer | undefined {
  if (iptc) return iptcRecords(iptc)
  for (const { keyword, text } of comments) {
    const hexadecimal = RAW_PROFILE.test(keyword) ? rawProfileBody(text) : undefined
    const records = hexadecimal && iptcRecords(Buffer.from(hexadecimal.replaceAll(/\s/g, ''), 'hex'))
    if (records) return records
  }
  return undefined
}

/** The IIM records in sharp's `iptc` block: bare, as in TIFF, or inside Photoshop image resources, as in JPEG. */
function iptcRecords(block: Uint8Array): Buffer | undefined {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
  if (bytes[0] === TAG_MARKER) return bytes
  for (let at = bytes.indexOf('8BIM', 0, 'latin1'); at >= 0 && at + 12 <= bytes.length; ) {
    const nameLength = bytes[at + 6]! + 1
    const sizeAt = at + 6 + nameLength + (nameLength % 2)
    if (sizeAt + 4 > bytes.length) return undefined
    const end = sizeAt + 4 + bytes.readUInt32BE(sizeAt)
    if (bytes.readUInt16BE(at + 4) === IPTC_RESOURCE && end <= bytes.length) return bytes.subarray(sizeAt + 4, end)
    at = bytes.indexOf('8BIM', end, 'latin1')
  }
  return undefined
}

/** An IIM value, such as a keyword: record 2 describes the image. */
export interface IptcDataset {
  record: number
  dataset: number
  text: string
}

/** Parses the datasets of IIM records up to the first damage. Extended lengths (over 32 KB) are not supported. */
export function iptcDatasets(records: Buffer): IptcDataset[] {
  const found: IptcDataset[] = []
  for (let at = 0; at + 5 <= records.length && records[at] === TAG_MARKER; ) {
    const length = records.readUInt16BE(at + 3)
    if (length >= 0x8000) break
    const value = records.subarray(at + 5, at + 5 + length)
    const utf8 = value.toString('utf8')
    const text = utf8.includes('\ufffd') ? value.toString('latin1') : utf8
    found.push({ record: records[at + 1]!, dataset: records[at + 2]!, text })
    at += 5 + length
  }
  return found
}

/** Image resources that contain only IIM records: lengths are even. */
function imageResources(records: Buffer): Buffer {
  const head = Buffer.from('8BIM\x04\x04\0\0\0\0\0\0', 'latin1')
  head.writeUInt32BE(records.length, 8)
  return Buffer.concat([head, records, Buffer.alloc(records.length % 2)])
}

/** An APP13 segment of a JPEG with IIM records; undefined when they are longer than a segment. */
export function iptcSegment(records: Buffer): Buffer | undefined {
  const body = Buffer.concat([PHOTOSHOP, imageResources(records)])
  if (body.length + 2 > 0xffff) return undefined
  const head = Buffer.from([0xff, 0xed, 0, 0])
  head.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([head, body])
}

/** The data of a PNG tEXt chunk with IIM records in hexadecimal, in ImageMagick's form, which exiftool also reads. */
export function iptcTextChunk(records: Buffer): Buffer {
  const resources = imageResources(records)
  const lines = resources.toString('hex').replaceAll(/.{1,72}/g, '$&\n')
  return Buffer.from(`Raw profile type iptc\0\niptc\n${String(resources.length).padStart(8)}\n${lines}`, 'latin1')
}
