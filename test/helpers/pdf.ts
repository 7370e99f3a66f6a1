import { execFileSync } from 'node:child_process'
import { deflateSync } from 'node:zlib'
import { degrees, type PDFDict, PDFDocument, PDFHexString, PDFName, type PDFRef, rgb, StandardFonts } from 'pdf-lib'
import { loadMupdf } from '../../src/engines/mupdf.ts'
import { checkPdf } from '../../src/engines/qpdf.ts'

export interface MakePdfOptions {
  /** How many pages (default: as many as `texts`, else 1). */
  pages?: number
  /** Text of each page (default `Page 1`, `Page 2` …); page 3 of two texts has the first again. */
  texts?: string[]
  /** Width and height of each page in points (default 200 x 300), repeated if there are fewer. */
  sizes?: Array<[number, number]>
  /** /Rotate of each page. */
  rotations?: number[]
  /** /CropBox of each page: left, bottom, right, top. */
  cropBoxes?: Array<[number, number, number, number]>
  /** One picture of pseudo-random pixels of this width and height on each page, incompressible. */
  images?: [number, number]
  /** Bookmarks: title and page (from 1). */
  outline?: Array<{ title: string; page: number }>
  /** A text field with this name and value on page 1. */
  formField?: { name: string; value: string }
  /** A file of this name and text, attached to the document. */
  attachment?: { name: string; text: string }
  title?: string
}

/** A PDF for tests, the same bytes for the same options. */
export async function makePdf(options: MakePdfOptions = {}): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false })
  const font = await document.embedFont(StandardFonts.Helvetica)
  const pages = options.pages ?? options.texts?.length ?? 1
  for (let index = 0; index < pages; index++) {
    const page = document.addPage(at(options.sizes, index) ?? [200, 300])
    const rotation = at(options.rotations, index)
    if (rotation) page.setRotation(degrees(rotation))
    const crop = at(options.cropBoxes, index)
    if (crop) page.setCropBox(crop[0], crop[1], crop[2] - crop[0], crop[3] - crop[1])
    const text = options.texts ? at(options.texts, index)! : `Page ${index + 1}`
    page.drawText(text, { x: 20, y: page.getHeight() - 40, size: 14, font, color: rgb(0, 0, 0) })
    if (options.images) {
      const picture = await document.embedPng(noisePng(...options.images, index + 1))
      page.drawImage(picture, { x: 20, y: 20, width: 100, height: 100 })
    }
  }
  if (options.formField) {
    const field = document.getForm().createTextField(options.formField.name)
    field.setText(options.formField.value)
    field.addToPage(document.getPage(0), { x: 20, y: 150, width: 120, height: 20, font })
  }
  if (options.outline) addOutline(document, options.outline)
  if (options.attachment) await document.attach(Buffer.from(options.attachment.text), options.attachment.name)
  if (options.title) document.setTitle(options.title)
  return document.save({ useObjectStreams: false })
}

function at<Value>(values: Value[] | undefined, index: number): Value | undefined {
  return values?.length ? values[index % values.length] : undefined
}

function addOutline(document: PDFDocument, items: Array<{ title: string; page: number }>): void {
  const { context } = document
  const root = context.nextRef()
  const refs: PDFRef[] = items.map(() => context.nextRef())
  items.forEach((item, index) => {
    const entry: PDFDict = context.obj({ Parent: root, Dest: [document.getPage(item.page - 1).ref, 'Fit'] })
    entry.set(PDFName.of('Title'), PDFHexString.fromText(item.title))
    if (index > 0) entry.set(PDFName.of('Prev'), refs[index - 1]!)
    if (index < items.length - 1) entry.set(PDFName.of('Next'), refs[index + 1]!)
    context.assign(refs[index]!, entry)
  })
  context.assign(root, context.obj({ Type: 'Outlines', First: refs[0]!, Last: refs.at(-1)!, Count: refs.length }))
  document.catalog.set(PDFName.of('Outlines'), root)
}

/** An RGB PNG of pseudo-random pixels (xorshift32), the same for the same seed. */
export function noisePng(width: number, height: number, seed = 1): Uint8Array {
  const rows = new Uint8Array(height * (width * 3 + 1))
  let state = seed * 2654435761
  for (let index = 0; index < rows.length; index++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    rows[index] = index % (width * 3 + 1) === 0 ? 0 : state & 255
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

/** A one-page PDF encrypted with AES-256; an empty user password requires none on opening. */
export async function makeEncryptedPdf(
  userPassword: string,
  ownerPassword: string,
  options: MakePdfOptions = {},
): Promise<Uint8Array> {
  const mupdf = await loadMupdf()
  const pdf = new mupdf.PDFDocument(await makePdf(options))
  const settings = { encrypt: 'aes-256', 'user-password': userPassword, 'owner-password': ownerPassword }
  const bytes = pdf.saveToBuffer(settings).asUint8Array().slice()
  pdf.destroy()
  return bytes
}

/** Messages of `qpdf --check`: an empty list for a valid file. */
export async function complaints(bytes: Uint8Array, password = ''): Promise<string[]> {
  return (await checkPdf(bytes, password)).messages
}

/** The visible text of each page. */
export async function pageTexts(bytes: Uint8Array, password?: string): Promise<string[]> {
  const mupdf = await loadMupdf()
  const pdf = new mupdf.PDFDocument(bytes)
  if (password !== undefined) pdf.authenticatePassword(password)
  const texts = Array.from({ length: pdf.countPages() }, (_, index) =>
    pdf.loadPage(index).toStructuredText('').asText().trim(),
  )
  pdf.destroy()
  return texts
}

/** Whether Poppler's text reader is installed. */
export function hasPdftotext(): boolean {
  try {
    execFileSync('pdftotext', ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
