import { INCOMPLETE, notA, type StructureCheck } from './file-view.ts'

/** Readers search for the end of a PDF in its last 1024 bytes (ISO 32000-1, annex H, note 18). */
const PDF_END = 1024

const pdf: StructureCheck = ({ head, tail }) => {
  if (!head.subarray(0, PDF_END).includes('%PDF-')) return notA('PDF')
  const end = tail.subarray(-PDF_END).toString('latin1')
  return end.includes('startxref') && end.includes('%%EOF') ? undefined : INCOMPLETE
}

const ZIP_END = 'PK\x05\x06'
const ZIP_END_BYTES = 22
/** Maximum length of an archive comment, bytes. */
const ZIP_COMMENT = 65_535
const IN_ZIP64 = 0xffff_ffff

/** The directory exists at the end, at the offset stated in its last record (APPNOTE 4.3.16). */
const zip: StructureCheck = (file) => {
  if (!/^PK(?:\x03\x04|\x05\x06)/.test(file.text(0, 4))) return notA('ZIP')
  const near = file.tail.lastIndexOf(ZIP_END, file.tail.length, 'latin1')
  const end = near >= 0 ? file.tail : file.read(Math.max(0, file.size - ZIP_COMMENT - ZIP_END_BYTES), file.size)
  const at = near >= 0 ? near : end.lastIndexOf(ZIP_END, end.length, 'latin1')
  if (at < 0 || at + ZIP_END_BYTES > end.length) return INCOMPLETE
  const [size, offset] = [end.readUInt32LE(at + 12), end.readUInt32LE(at + 16)]
  if (size === IN_ZIP64 || offset === IN_ZIP64) return undefined
  if (offset + size > file.size) return INCOMPLETE
  return size === 0 || file.text(offset, 4) === 'PK\x01\x02' ? undefined : 'has no directory where its end says'
}

/** An object or array ends with the matching bracket; other values are too short to be truncated. */
const json: StructureCheck = ({ head, tail }) => {
  const start = head.toString('latin1').trimStart()[0]
  const end = tail.toString('latin1').trimEnd().at(-1)
  if (start === '{') return end === '}' ? undefined : INCOMPLETE
  if (start === '[') return end === ']' ? undefined : INCOMPLETE
  return end === undefined ? 'is empty' : undefined
}

const xml: StructureCheck = ({ tail }) => (tail.toString('latin1').trimEnd().endsWith('>') ? undefined : INCOMPLETE)

const rtf: StructureCheck = (file) => {
  if (file.text(0, 5) !== '{\\rtf') return notA('RTF')
  return /\}[\s\0]*$/.test(file.tail.toString('latin1')) ? undefined : INCOMPLETE
}

/** Compound files (MS-CFB): whole sectors after a header of 512 bytes. */
const compound: StructureCheck = (file) => {
  if (file.text(0, 8) !== '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1') return notA('binary Office')
  return file.size >= 1536 ? undefined : INCOMPLETE
}

export const DOCUMENT_CHECKS: Readonly<Record<string, StructureCheck>> = {
  ...{ pdf, zip, docx: zip, xlsx: zip, pptx: zip, odt: zip, ods: zip, odp: zip, epub: zip },
  ...{ json, xml, rtf, doc: compound, xls: compound, ppt: compound },
}
