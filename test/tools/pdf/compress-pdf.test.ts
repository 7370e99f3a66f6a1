import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PDFDocument, PDFHexString, PDFName } from 'pdf-lib'
import { describe, expect, test } from 'vitest'
import { encodeJp2 } from '../../../src/engines/ffmpeg/picture.ts'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { renderPage } from '../../../src/media/pdf/page/render.ts'
import compressPdf from '../../../tools/pdf/optimize/compress-pdf.ts'
import { badPdfs, writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, makeEncryptedPdf, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const CORPUS = '/work/shared/corpus/documents'
const folder = temporaryFolder()
let made: Promise<string> | undefined
/** About 1 MB: two pages, each with noise that only a lossy encoder makes smaller. */
const source = () => {
  made ??= makePdf({ pages: 2, images: [400, 400] }).then((bytes) => writePdf(folder, 'heavy.pdf', bytes))
  return made
}

async function compress(settings: Record<string, unknown>) {
  const { paths, names, report } = await run(compressPdf, folder, [await source()], settings)
  expect(names).toEqual(['heavy_compressed.pdf'])
  const bytes = readFileSync(paths[0]!)
  expect(await pageTexts(bytes)).toEqual(['Page 1', 'Page 2'])
  expect(await complaints(bytes)).toEqual([])
  return { size: bytes.length, report }
}

describe('by quality', () => {
  test('less is smaller, and 75 is the default', async () => {
    const original = statSync(await source()).size
    const sizes = []
    for (const quality of [100, 75, 40, 1]) sizes.push((await compress({ quality })).size)
    expect(sizes[0]).toBeLessThan(original)
    expect([...sizes].sort((one, other) => other - one)).toEqual(sizes)
    expect(sizes[3]).toBeLessThan(original / 20)
    const { size, report } = await compress({})
    expect(size).toBe(sizes[1])
    expect(report).toEqual({})
  })

  test('deprecated names', async () => {
    expect((await compress({ preset: 'screen' })).size).toBe((await compress({ quality: 25 })).size)
  })
})

describe('by size', () => {
  test('at most the given size in kB, and not much less', async () => {
    const { size, report } = await compress({ mode: 'targetSize', targetSizeKb: 150 })
    expect(size).toBeLessThanOrEqual(150_000)
    expect(size).toBeGreaterThan(90_000)
    expect(report).toEqual({ targetKb: 150, targetMet: true })
  })

  test('an unreachable size is no error', async () => {
    const { size, report } = await compress({ mode: 'targetSize', targetSizeKb: 0.5 })
    expect(report).toEqual({ targetKb: 0.5, targetMet: false })
    expect(size).toBeLessThan(30_000)
  })

  test('a size that it has already', async () => {
    const { size, report } = await compress({ mode: 'targetSize', targetSizeKb: 5000 })
    expect(report).toMatchObject({ targetKb: 5000, targetMet: true })
    expect(size).toBeLessThanOrEqual(statSync(await source()).size)
  })
})

test('returns a document that cannot get smaller unchanged', async () => {
  const { paths: once } = await run(compressPdf, folder, [writePdf(folder, 'small.pdf', await makePdf())])
  const small = writePdf(folder, 'least.pdf', readFileSync(once[0]!))
  const { paths, report } = await run(compressPdf, folder, [small], { quality: 100 })
  expect(report).toEqual({ kept: true })
  expect(readFileSync(paths[0]!)).toEqual(readFileSync(small))
})

/** Names and values of all fields. */
async function fieldsOf(bytes: Uint8Array): Promise<Array<[string, string]>> {
  const document = await openPdf(bytes)
  const fields: Array<[string, string]> = []
  for (let page = 0; page < document.pageCount; page++)
    for (const widget of document.pdf.loadPage(page).getWidgets()) fields.push([widget.getName(), widget.getValue()])
  document.close()
  return fields
}

/** Bookmarks, and targets of the links of each page. */
async function linksOf(bytes: Uint8Array) {
  const document = await openPdf(bytes)
  const links = Array.from({ length: document.pageCount }, (_, page) =>
    document.pdf
      .loadPage(page)
      .getLinks()
      .map((link) => link.getURI()),
  )
  const outline = JSON.stringify(document.pdf.loadOutline())
  document.close()
  return { links, outline }
}

/** A picture of 320 x 240 px: red, green and blue areas with some noise. */
async function jpeg2000(): Promise<Uint8Array> {
  const data = Buffer.alloc(320 * 240 * 3)
  for (let index = 0; index < data.length; index++)
    data[index] =
      index % 3 === Math.floor(index / (320 * 80 * 3)) ? 200 + ((index * 7919) % 31) : 40 + ((index * 104729) % 31)
  return encodeJp2({ width: 320, height: 240, channels: 3, data }, 90)
}

/** Colours of page 1 in the middle of the three areas of the picture. */
async function middleOf(bytes: Uint8Array): Promise<number[]> {
  const document = await openPdf(bytes)
  const { data, width } = await renderPage(document, 1, { dpi: 72 })
  document.close()
  return [33, 57, 82].flatMap((y) => [...data.subarray(((300 - 20 - 75 + y - 20) * width + 70) * 3).subarray(0, 3)])
}

/** Width of the picture on page 1, and its filter. */
async function pictureOf(bytes: Uint8Array): Promise<[number, string]> {
  const document = await openPdf(bytes)
  let found: [number, string] = [0, '']
  document.pdf
    .findPage(0)
    .get('Resources', 'XObject')
    .forEach((image) => {
      found = [image.get('Width').asNumber(), image.get('Filter').asName()]
    })
  document.close()
  return found
}

test('keeps form fields, tags and attachments', async () => {
  const formField = { name: 'town', value: 'Ulm' }
  const made = await PDFDocument.load(await makePdf({ images: [300, 300], formField }))
  made.catalog.set(PDFName.of('StructTreeRoot'), made.context.register(made.context.obj({ Type: 'StructTreeRoot' })))
  await made.attach(Buffer.from('attached words'), 'note.txt')
  const heavy = writePdf(folder, 'form.pdf', await made.save())
  const { warnings, paths } = await run(compressPdf, folder, [heavy], { quality: 20 })
  const result = readFileSync(paths[0]!)
  expect(warnings).toEqual([])
  expect(result.length).toBeLessThan(statSync(heavy).size / 5)
  expect(await fieldsOf(result)).toEqual([['town', 'Ulm']])
  expect(await pictureOf(result)).toEqual([183, 'DCTDecode'])
  expect(await complaints(result)).toEqual([])
  const document = await openPdf(result)
  const root = document.pdf.getTrailer().get('Root')
  expect(root.get('StructTreeRoot', 'Type').asName()).toBe('StructTreeRoot')
  const attached = document.pdf.getEmbeddedFiles()['note.txt']!
  expect(document.pdf.getEmbeddedFileContents(attached)?.asString()).toBe('attached words')
  document.close()
})

test.each([
  [100, 400],
  [50, 400],
  [25, 222],
  [1, 36],
])('at quality %i a picture 400 wide on 100 points has %i', async (quality, width) => {
  const { paths } = await run(compressPdf, folder, [await source()], { quality })
  expect(await pictureOf(readFileSync(paths[0]!))).toEqual([width, 'DCTDecode'])
})

test('dpi limits the resolution at any quality', async () => {
  for (const settings of [{ quality: 100 }, { mode: 'targetSize', targetSizeKb: 100 }]) {
    const { paths } = await run(compressPdf, folder, [await source()], { ...settings, dpi: 72 })
    expect(await pictureOf(readFileSync(paths[0]!))).toEqual([100, 'DCTDecode'])
  }
})

test('encodes JPEG 2000 again whose colour space is only in its data', async () => {
  const jp2 = await jpeg2000()
  const made = await PDFDocument.create({ updateMetadata: false })
  const image = { Type: 'XObject', Subtype: 'Image', Width: 320, Height: 240, Filter: 'JPXDecode' }
  const page = made.addPage([200, 300])
  page.node.setXObject(PDFName.of('Picture'), made.context.register(made.context.stream(jp2, image)))
  const content = made.context.stream('q 100 0 0 75 20 20 cm /Picture Do Q')
  page.node.set(PDFName.of('Contents'), made.context.register(content))
  const path = writePdf(folder, 'jpeg2000.pdf', await made.save())
  const { paths } = await run(compressPdf, folder, [path], { quality: 40, dpi: 100 })
  const result = readFileSync(paths[0]!)
  expect(result.length).toBeLessThan(statSync(path).size / 3)
  expect(await pictureOf(result)).toEqual([139, 'DCTDecode'])
  const [before, after] = await Promise.all([readFileSync(path), result].map(middleOf))
  for (const [index, value] of before!.entries()) expect(Math.abs(value - after![index]!)).toBeLessThan(24)
})

test('warns that a signature becomes invalid, only if there is one', async () => {
  const made = await PDFDocument.load(await makePdf({ images: [300, 300] }))
  const signature = made.context.obj({ Type: 'Sig', ByteRange: [0, 1, 2, 3], Contents: PDFHexString.of('00') })
  made.catalog.set(PDFName.of('Perms'), made.context.obj({ DocMDP: made.context.register(signature) }))
  const signed = writePdf(folder, 'signed.pdf', await made.save())
  const { warnings } = await run(compressPdf, folder, [signed], { quality: 20 })
  expect(warnings).toEqual(['The digital signature is no longer valid: the document was rewritten'])
  expect((await run(compressPdf, folder, [await source()], { quality: 20 })).warnings).toEqual([])
})

describe.skipIf(!existsSync(CORPUS))('documents of the corpus', () => {
  const textOf = (bytes: Uint8Array) => pageTexts(bytes).then((texts) => texts.join('\f').replace(/\s+/g, ' '))

  // Letters that Ghostscript writes incorrectly, a picture that it drops, fonts that it compresses well; largest part left.
  test.each([
    ['habibi.pdf', 1],
    ['cmyk-image.pdf', 0.9],
    ['google-doc-document.pdf', 0.9],
    ['multicolumn.pdf', 0.5],
    ['pdflatex-image.pdf', 0.5],
    ['image-heavy.pdf', 0.1],
  ])('%s: smaller, the same text', async (name, part) => {
    const { paths } = await run(compressPdf, folder, [join(CORPUS, name)])
    const [before, after] = [readFileSync(join(CORPUS, name)), readFileSync(paths[0]!)]
    expect(after.length).toBeLessThan(before.length * part)
    expect(await textOf(after)).toBe(await textOf(before))
    expect(await complaints(after)).toEqual([])
  })

  // Fonts of documents with links and bookmarks: part of the former size.
  test('pdflatex-outline.pdf: fonts are packed, links and bookmarks stay', async () => {
    const before = readFileSync(join(CORPUS, 'pdflatex-outline.pdf'))
    const { paths } = await run(compressPdf, folder, [join(CORPUS, 'pdflatex-outline.pdf')])
    const after = readFileSync(paths[0]!)
    expect(after.length).toBeLessThan(before.length * 0.5)
    const [one, other] = await Promise.all([before, after].map(linksOf))
    expect(other).toEqual(one)
    expect(one!.links.flat().length).toBeGreaterThan(0)
    expect(await textOf(after)).toBe(await textOf(before))
  })

  test.each(['libreoffice-form.pdf', 'pdflatex-forms.pdf'])('%s: the same fields', async (name) => {
    const { paths } = await run(compressPdf, folder, [join(CORPUS, name)], { quality: 1 })
    const fields = await fieldsOf(readFileSync(join(CORPUS, name)))
    expect(fields.length).toBeGreaterThan(0)
    expect(await fieldsOf(readFileSync(paths[0]!))).toEqual(fields)
  })
})

test("keeps the owner's restrictions", async () => {
  const bytes = await makeEncryptedPdf('', 'owner', { images: [300, 300] })
  const { paths } = await run(compressPdf, folder, [writePdf(folder, 'owned.pdf', bytes)], { quality: 20 })
  const result = readFileSync(paths[0]!)
  expect(result.length).toBeLessThan(bytes.length / 5)
  const document = await openPdf(result)
  expect(document.isEncrypted).toBe(true)
  document.close()
  expect(await pageTexts(result)).toEqual(['Page 1'])
})

test.each([
  { mode: 'targetSize' },
  { mode: 'targetSize', targetSizeKb: 0 },
  { quality: 0 },
  { quality: 101 },
  { mode: 'x' },
])('refused: %j', async (settings) => {
  await expect(run(compressPdf, folder, [await source()], settings)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
})

test('invalid input is refused with its code', async () => {
  for (const { path, code } of await badPdfs(folder))
    await expect(run(compressPdf, folder, [path]), path).rejects.toMatchObject({ code })
})
