import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { PDFDocument, PDFHexString, PDFName, PDFString, rgb, StandardFonts } from 'pdf-lib'
import { describe, expect, test } from 'vitest'
import { runQpdf } from '../../../src/engines/qpdf.ts'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { renderPage } from '../../../src/media/pdf/page/render.ts'
import { holdsTerm, termsOf, withoutTerms } from '../../../src/media/pdf/redact/terms.ts'
import redactPdf from '../../../tools/pdf/security/redact-pdf.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, hasPdftotext, makePdf, noisePng, pageTexts } from '../../helpers/pdf.ts'
import { HELVETICA, line, rawPdf, stream } from '../../helpers/raw-pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const SECRET = 'Lovelace'

async function redacted(source: Uint8Array, settings: Record<string, unknown>) {
  const { paths, names, report, warnings } = await run(
    redactPdf,
    folder,
    [writePdf(folder, 'doc.pdf', source)],
    settings,
  )
  expect(names).toEqual(['doc_redacted.pdf'])
  const bytes = readFileSync(paths[0]!)
  expect(await complaints(bytes)).toEqual([])
  return { bytes, report, warnings, path: paths[0]! }
}

/** All bytes of a file, uncompressed. */
async function plainOf(bytes: Uint8Array): Promise<string> {
  const result = await runQpdf(['--qdf', '--object-streams=disable', '--decode-level=all', 'a.pdf', 'b.pdf'], {
    'a.pdf': bytes,
  })
  return Buffer.from(result.files.get('b.pdf')!).toString('latin1')
}

/** The word in every possible part of a file. */
async function everywhere(): Promise<Uint8Array> {
  const document = await PDFDocument.load(
    await makePdf({
      pages: 2,
      texts: [' ', 'nothing here'],
      title: `Life of ${SECRET}`,
      outline: [{ title: `On ${SECRET}`, page: 2 }],
      formField: { name: 'who', value: SECRET },
    }),
  )
  const font = await document.embedFont(StandardFonts.Helvetica)
  const page = document.getPage(0)
  page.drawText(`Ada ${SECRET} wrote`, { x: 20, y: 280, size: 10, font })
  page.drawText('by Love-', { x: 20, y: 260, size: 10, font })
  page.drawText('lace again', { x: 20, y: 248, size: 10, font })
  // White on white, behind a picture, and off the page.
  page.drawText(`white ${SECRET}`, { x: 20, y: 230, size: 10, font, color: rgb(1, 1, 1) })
  page.drawText(`under ${SECRET}`, { x: 20, y: 100, size: 10, font })
  const picture = await document.embedPng(noisePng(20, 20))
  page.drawImage(picture, { x: 10, y: 90, width: 150, height: 40 })
  page.drawText(`off ${SECRET}`, { x: 400, y: 100, size: 10, font })
  const { context } = document
  const note = context.obj({ Type: 'Annot', Subtype: 'Text', Rect: [100, 20, 120, 40] })
  note.set(PDFName.of('Contents'), PDFHexString.fromText(`Ask ${SECRET}`))
  page.node.set(PDFName.of('Annots'), context.obj([...(page.node.Annots()?.asArray() ?? []), context.register(note)]))
  document.catalog.set(
    PDFName.of('Metadata'),
    context.register(context.stream(`<x>${SECRET}</x>`, { Type: 'Metadata', Subtype: 'XML' })),
  )
  document.catalog.set(
    PDFName.of('OpenAction'),
    context.obj({ S: 'JavaScript', JS: PDFString.of(`app.alert("${SECRET}")`) }),
  )
  await document.attach(Buffer.from(`born ${SECRET}`), 'letter.txt', { mimeType: 'text/plain' })
  await document.attach(Buffer.from('harmless'), 'other.txt', { mimeType: 'text/plain' })
  return document.save()
}

test('removes the word everywhere, keeps other words', async () => {
  const source = await everywhere()
  const { bytes, report, path } = await redacted(source, { terms: [SECRET.toUpperCase()] })
  // Plain, white, under the picture, off the page, and two halves.
  expect(report.found).toBe(6)
  const [first, second] = await pageTexts(bytes)
  for (const kept of ['Ada', 'wrote', 'by', 'again', 'white', 'under']) expect(first).toContain(kept)
  expect(second).toBe('nothing here')
  const plain = await plainOf(bytes)
  expect(plain.toLowerCase()).not.toContain(SECRET.toLowerCase())
  expect(plain).not.toContain(Buffer.from(SECRET, 'utf16le').swap16().toString('latin1'))
  expect(plain).toContain('harmless')
  const after = await PDFDocument.load(bytes)
  expect(after.getTitle()).toBe('Life of ')
  expect(after.getForm().getTextField('who').getText() ?? '').toBe('')
  expect(hasPdftotext() ? execFileSync('pdftotext', [path, '-'], { encoding: 'utf8' }) : '').not.toMatch(
    /love-?\s*lace/i,
  )
  const document = await openPdf(bytes)
  const { width, data } = await renderPage(document, 1, { dpi: 72 })
  document.close()
  const dark = (x: number, y: number) => data[(y * width + x) * 3]! < 40
  expect(dark(60, 17)).toBe(true)
  expect(dark(28, 17)).toBe(false)
})

test('on rotated and cropped pages covers the position of the word, also on a hidden layer', async () => {
  const document = await PDFDocument.load(
    await makePdf({ texts: [SECRET], rotations: [90], cropBoxes: [[10, 100, 150, 290]], images: [20, 20] }),
  )
  const { context } = document
  const layer = context.register(context.obj({ Type: 'OCG', Name: PDFString.of('notes') }))
  document.catalog.set(PDFName.of('OCProperties'), context.obj({ OCGs: [layer], D: { OFF: [layer], Order: [layer] } }))
  const page = document.getPage(0)
  page.node.normalizedEntries().Resources.set(PDFName.of('Properties'), context.obj({ Layer: layer }))
  const font = await document.embedFont(StandardFonts.Helvetica)
  const name = page.node.newFontDictionary('F', font.ref)
  const hex = (text: string) => Buffer.from(text).toString('hex')
  const content = [
    `/OC /Layer BDC BT ${name} 10 Tf 20 150 Td <${hex(SECRET)}> Tj ET EMC`,
    // ActualText differs from the drawn text.
    `/Span <</ActualText (${SECRET})>> BDC BT ${name} 10 Tf 20 180 Td <${hex('A. L.')}> Tj ET EMC`,
  ]
  page.node.addContentStream(context.register(context.stream(content.join('\n'))))
  const source = await document.save()
  const { bytes } = await redacted(source, { terms: [SECRET] })
  expect((await pageTexts(bytes))[0]).not.toContain(SECRET)
  expect(await plainOf(bytes)).not.toContain(SECRET)
  const after = await PDFDocument.load(bytes)
  expect(after.getPage(0).getCropBox()).toEqual({ x: 10, y: 100, width: 140, height: 190 })
  const shown = await openPdf(bytes)
  const { width, height, data } = await renderPage(shown, 1, { dpi: 72 })
  shown.close()
  expect([width, height]).toEqual([190, 140])
  // The word was 263 points up, 50 to the right: rotated clockwise, that is 163 from the left and 40 from the top.
  expect(data[(40 * width + 163) * 3]!).toBeLessThan(40)
})

test('with exact case only removes that spelling', async () => {
  const { bytes, report } = await redacted(await makePdf({ texts: ['Rose and rose'] }), {
    terms: ['rose'],
    caseSensitive: true,
  })
  expect(report.found).toBe(1)
  expect((await pageTexts(bytes))[0]).toMatch(/^Rose and\s*$/)
})

test('no match is no failure, and reports a page that is a picture', async () => {
  const source = await makePdf({ texts: [' '], images: [10, 10] })
  const { report, warnings } = await redacted(source, { terms: ['absent'] })
  expect(report).toMatchObject({ found: 0, strings: 0 })
  expect(warnings).toEqual([
    expect.stringMatching(/^None of the terms is in .*: nothing was removed\. Check their spelling$/),
    '1 page is an image: text in images was not searched',
  ])
})

const TILE = '/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 100 30] /XStep 100 /YStep 30'
const DRAWING = '/Type /XObject /Subtype /Form /BBox [0 0 100 30]'
const FONTS = '/Resources << /Font << /F1 5 0 R >> >>'

/** A page with words, a tiling pattern below them, and additional objects. */
const withObjects = (objects: Record<number, string>, content = '', page = '') =>
  rawPdf({
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R ${page} /Resources << /Font << /F1 5 0 R >> /Pattern << /P1 6 0 R >> >> >>`,
    4: stream(`${line('Open words')}\n/Pattern cs /P1 scn 0 0 300 90 re f\n${content}`),
    5: HELVETICA,
    ...objects,
  })

const written = (text: string) => `BT /F1 12 Tf 5 10 Td (${text}) Tj ET`

test('removes the word from a tiling pattern, keeps its other words', async () => {
  const source = withObjects({ 6: stream(written(`Ada ${SECRET}`), `${TILE} ${FONTS}`) })
  const { bytes, report } = await redacted(source, { terms: [SECRET] })
  expect(report.found).toBe(1)
  const plain = await plainOf(bytes)
  expect(plain).not.toContain(SECRET)
  expect(plain).toContain('/PatternType 1')
  const drawn = async (file: Uint8Array) => {
    const document = await openPdf(file)
    const { width, data } = await renderPage(document, 1, { dpi: 72 })
    document.close()
    return (x: number, y: number) => data[(y * width + x) * 3]!
  }
  const [before, after] = [await drawn(source), await drawn(bytes)]
  const inked = (at: typeof before, from: number, to: number) =>
    Array.from({ length: (to - from) * 12 }, (_, index) =>
      at(from + (index % (to - from)), 176 + Math.floor(index / (to - from))),
    )
  // Ada is drawn as before (5 to 26), and Lovelace (30 to 82) is covered.
  expect(inked(after, 5, 26)).toEqual(inked(before, 5, 26))
  expect(Math.min(...inked(before, 5, 26))).toBeLessThan(100)
  expect(after(50, 184)).toBeLessThan(40)
})

test('removes the word from unused drawings, and from comments', async () => {
  const comment = `% ask ${SECRET}\n`
  const pattern = stream(`${comment}0 0 9 9 re f (50% of) pop`, `${TILE} ${FONTS}`)
  const drawing = stream(`${written(`Ada ${SECRET}`)}\n${comment}`, `${DRAWING} ${FONTS}`)
  const source = withObjects({ 6: pattern, 7: drawing }, comment, '/Kept 7 0 R')
  const { bytes } = await redacted(source, { terms: [SECRET] })
  const plain = await plainOf(bytes)
  expect(plain).not.toContain(SECRET)
  expect(plain).toContain('(50% of)')
  expect((await pageTexts(bytes))[0]).toBe('Open words')
})

test('removes the word from the identifier of a structure element', async () => {
  const source = withObjects(
    { 6: stream('', TILE), 7: `<< /Type /StructElem /S /P /ID (${SECRET}-1) >>` },
    '',
    '/Kept 7 0 R',
  )
  const { bytes, report } = await redacted(source, { terms: [SECRET] })
  expect(report.strings).toBe(1)
  const plain = await plainOf(bytes)
  expect(plain).not.toContain(SECRET)
  expect(plain).toContain('/ID (-1)')
})

test('a term that remains in an unknown stream is a failure', async () => {
  const source = withObjects({ 6: stream('', TILE), 7: stream(`% ${SECRET}\n`) }, '', '/Kept 7 0 R')
  const path = writePdf(folder, 'hidden.pdf', source)
  await expect(run(redactPdf, folder, [path], { terms: [SECRET] })).rejects.toMatchObject({
    code: 'PROCESSING_FAILED',
    message: expect.stringContaining('A term is still in the document'),
  })
})

test('a misspelled term fails with --strict, and a found one does not warn', async () => {
  const source = await makePdf({ texts: ['Summary'] })
  expect((await redacted(source, { terms: ['Summary'] })).warnings).toEqual([])
  const path = writePdf(folder, 'typo.pdf', source)
  await expect(run(redactPdf, folder, [path], { terms: ['Sumary'] }, { strict: true })).rejects.toMatchObject({
    code: 'REFUSED_BY_STRICT',
  })
})

test.each([
  {},
  { terms: [] },
  { terms: [''] },
  { terms: [' \u00ad'] },
  { terms: Array.from({ length: 51 }, () => 'x') },
])('refused: %j', async (settings) => {
  const path = writePdf(folder, 'a.pdf', await makePdf())
  await expect(run(redactPdf, folder, [path], settings)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
})

describe('matching', () => {
  test.each([
    ['office', 'o\ufb03ce'],
    ['Müller', 'Mu\u0308ller'],
    ['Müller', 'M\u00a8uller'],
    ['Müller', 'Mu\u00a8ller'],
    ['confidential', 'confi-\ndential'],
    ['confidential', 'con\u00adfiden\u200btial'],
    ['John Smith', 'John\nSmith'],
    ['John Smith', 'John\u00a0 Smith'],
    ['e-mail', 'e-\nmail'],
    ['a.b*c', 'x a.b*c'],
    ['ÄRGER', 'ärger'],
  ])('%s in %j', (word, text) => expect(holdsTerm(termsOf([word], false), text)).toBe(true))

  test.each([
    ['a.b', 'axb'],
    ['therapist', 'the rapist'],
    ['Müller', 'Muller'],
  ])('not %s in %j', (word, text) => expect(holdsTerm(termsOf([word], false), text)).toBe(false))

  test('remaining parts of a text', () => expect(withoutTerms(termsOf(['b'], false), 'aBc Ü')).toBe('ac Ü'))

  test.each([
    ['<p>if a &lt; b then AT&amp;T pays</p>', '<p>if a &lt; b then  pays</p>'],
    ['Write &lt;b&gt; for A&#84;&#x26;T', 'Write &lt;b&gt; for '],
    ['AT&amp;T and AT&T, &#65;&amp;amp;', ' and , &#65;&amp;amp;'],
  ])('references in the rest of %j stay as written', (text, rest) =>
    expect(withoutTerms(termsOf(['AT&T'], false), text)).toBe(rest),
  )
})

test.each([
  ['Q&A', '<p>Q&amp;A with Bob</p>', '<p> with Bob</p>'],
  ['A&', 'A&amp;B', 'B'],
  ['lt', '<p>a &lt; b lt</p>', '<p>a  b </p>'],
  ['39', 'it&#39;s 39, 1 &gt; 0', 'its , 1 &gt; 0'],
])('%s in %j', (word, text, rest) => expect(withoutTerms(termsOf([word], false), text)).toBe(rest))

test('searches files attached to annotations, also with an inline specification', async () => {
  const document = await PDFDocument.load(await makePdf({ texts: ['Nothing'] }))
  const { context } = document
  const annotations = [`about ${SECRET}`, 'a\0picture', 'harmless'].map((content, index) => {
    const EF = { F: context.register(context.stream(content, { Type: 'EmbeddedFile' })) }
    const FS = { Type: 'Filespec', F: PDFString.of(`${index}.bin`), EF }
    const Rect = [10, 10, 30, 30]
    return context.register(context.obj({ Type: 'Annot', Subtype: 'FileAttachment', F: 4, Rect, FS } as never))
  })
  document.getPage(0).node.set(PDFName.of('Annots'), context.obj(annotations))
  const { bytes, report, warnings } = await redacted(await document.save(), { terms: [SECRET] })
  const text = await plainOf(bytes)
  expect(text).not.toMatch(/Lovelace|a\0picture/)
  expect(text).toContain('harmless')
  expect(report.removedParts).toBe(2)
  expect(warnings).toEqual(['1 attached file was removed, as its content cannot be searched'])
})
