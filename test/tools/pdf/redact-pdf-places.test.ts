import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { PDFDocument, PDFName, PDFString, StandardFonts } from 'pdf-lib'
import { describe, expect, test } from 'vitest'
import { loadMupdf, type PDFDocument as PdfLibraryDocument } from '../../../src/engines/mupdf.ts'
import { runQpdf } from '../../../src/engines/qpdf.ts'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { renderPage } from '../../../src/media/pdf/page/render.ts'
import { Expressions } from '../../../src/media/pdf/redact/expressions.ts'
import type { Kind } from '../../../src/media/pdf/redact/kinds.ts'
import { withoutTerms } from '../../../src/media/pdf/redact/terms.ts'
import redactPdf from '../../../tools/pdf/security/redact-pdf.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, hasPdftotext, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { HELVETICA, line, rawPdf, stream } from '../../helpers/raw-pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const mupdf = await loadMupdf()

async function redacted(name: string, source: Uint8Array, settings: Record<string, unknown>) {
  const { paths, report, warnings } = await run(redactPdf, folder, [writePdf(folder, `${name}.pdf`, source)], settings)
  const bytes = readFileSync(paths[0]!)
  expect(await complaints(bytes)).toEqual([])
  return { bytes, report, warnings, path: paths[0]! }
}

/** Lines of text on a page of 300 x 300 points, 20 points apart, from 20 points below the top. */
async function letter(lines: readonly string[], change?: (document: PDFDocument) => unknown): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  const page = document.addPage([300, 300])
  lines.forEach((text, index) => {
    page.drawText(text, { x: 20, y: 270 - index * 20, size: 10, font })
  })
  await change?.(document)
  return document.save()
}

/** A page with content on layers, whose rule is named M1. */
const layered = (content: string, layers: Record<number, string>, state: string): Uint8Array =>
  rawPdf({
    1: `<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [8 0 R] /D << ${state} /Order [8 0 R] >> >> >>`,
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> /Properties << /M1 9 0 R >> >> >>',
    4: stream(`${content} BT /F1 12 Tf 20 50 Td (open words) Tj ET`),
    5: HELVETICA,
    ...layers,
  })

/** The text of the page with all layers on, and with all off. */
function textOfEveryState(bytes: Uint8Array): string {
  const pdf = mupdf.PDFDocument.openDocument(bytes, 'application/pdf') as PdfLibraryDocument
  const texts = [true, false].map((isOn) => {
    for (let layer = 0; layer < pdf.countLayers(); layer++) pdf.setLayerVisible(layer, isOn)
    return pdf.loadPage(0).toStructuredText('').asText()
  })
  pdf.destroy()
  return texts.join('\n')
}

/** All bytes of a file, uncompressed. */
async function plainOf(bytes: Uint8Array): Promise<string> {
  const args = ['--qdf', '--object-streams=disable', '--decode-level=all', 'a.pdf', 'b.pdf']
  const { files } = await runQpdf(args, { 'a.pdf': bytes })
  return Buffer.from(files.get('b.pdf') ?? '').toString('latin1')
}

const poppler = (path: string) => (hasPdftotext() ? execFileSync('pdftotext', [path, '-'], { encoding: 'utf8' }) : '')

async function pixels(bytes: Uint8Array) {
  const document = await openPdf(bytes)
  const { width, data } = await renderPage(document, 1, { dpi: 72 })
  document.close()
  return (x: number, y: number) => data[(y * width + x) * 3]!
}

describe('patterns', () => {
  test('are removed everywhere, across lines, and neighbours stay', async () => {
    const source = await letter(
      ['Order 4711-0815 of Ada', 'again 4711-', '0816 and the total 99', 'PIN: 4242 next 1234'],
      async (document) => {
        document.setTitle('Order 1234-5678, 2 parts')
        document.getForm().createTextField('order').setText('9999-0001')
        document
          .getForm()
          .getTextField('order')
          .addToPage(document.getPage(0), { x: 20, y: 20, width: 100, height: 20 })
        await document.attach(Buffer.from('see 4711-0815'), 'letter.txt', { mimeType: 'text/plain' })
        await document.attach(Buffer.from('harmless 42'), 'other.txt', { mimeType: 'text/plain' })
        const note = document.context.obj({ Type: 'Annot', Subtype: 'Text', Rect: [200, 20, 220, 40] })
        note.set(PDFName.of('Contents'), PDFString.of('ask 4711-0815'))
        const { node } = document.getPage(0)
        const all = [...(node.Annots()?.asArray() ?? []), document.context.register(note)]
        node.set(PDFName.of('Annots'), document.context.obj(all))
      },
    )
    const settings = { patterns: ['\\d{4}-?\\d{4}', '(?<=pin: )\\w+'] }
    const { bytes, report, path, warnings } = await redacted('orders', source, settings)
    // The second number is on two lines.
    expect(report).toMatchObject({ found: 4, annotations: 2, removedParts: 1 })
    expect(warnings).toEqual([])
    for (const text of [(await pageTexts(bytes))[0]!, poppler(path) || 'Order of Ada PIN: next 1234 total 99']) {
      expect(text).not.toMatch(/4711|0815|0816|4242/)
      for (const kept of ['Order', 'of Ada', 'again', 'total 99', 'PIN:', 'next 1234'].filter(
        (word) => word !== 'again',
      ))
        expect(text).toContain(kept)
    }
    const after = await PDFDocument.load(bytes)
    expect(after.getTitle()).toBe('Order , 2 parts')
    expect(after.getForm().getTextField('order').getText() ?? '').toBe('')
    const dark = await pixels(bytes)
    // The number is 49 to 98 points from the left; the letters before it stay.
    expect([dark(70, 26), dark(30, 20)].map((value) => value < 40)).toEqual([true, false])
  })

  test.each([
    ['/P /AllOff', '/OFF [8 0 R]', { kinds: ['email'] }],
    ['/P /AnyOff', '/OFF [8 0 R]', { patterns: ['ada@\\S+'] }],
    ['/VE [/Not 8 0 R]', '/OFF [8 0 R]', { kinds: ['email'] }],
    ['/P /AllOff', '', { areas: ['1 0 0 100% 100%'] }],
  ])('are found on layers with the rule %s, which stays (%s)', async (rule, state, settings) => {
    const source = layered(
      `/OC /M1 BDC ${line('ask ada@example.org')} EMC`,
      {
        8: '<< /Type /OCG /Name (L) >>',
        9: `<< /Type /OCMD /OCGs [8 0 R] ${rule} >>`,
      },
      state,
    )
    const { bytes, report } = await redacted('layers', source, settings)
    expect(report.found).toBe(1)
    const plain = await plainOf(bytes)
    expect(plain).not.toContain('ada@')
    expect(textOfEveryState(bytes)).not.toContain('ada@')
    expect(plain.match(/\/Type \/OC(?:G|MD)/g)?.sort()).toEqual(['/Type /OCG', '/Type /OCMD'])
  })

  test('a rule inside content hides nothing from the search', async () => {
    const source = layered(
      `/OC << /Type /OCMD /P /AllOff >> BDC ${line('ask ada@example.org')} EMC`,
      {
        8: '<< /Type /OCG /Name (L) >>',
        9: '<< /Type /OCMD /OCGs [8 0 R] >>',
      },
      '',
    )
    await expect(redacted('inline', source, { kinds: ['email'] })).rejects.toMatchObject({ code: 'PROCESSING_FAILED' })
  })

  test('a pattern that backtracks without end stops with its name', () => {
    const limited = Expressions.of(['(a+)+$'], [], false, 300)
    expect(() => limited?.find([...'a'.repeat(44), '!'])).toThrow(
      expect.objectContaining({ code: 'TIMEOUT', message: expect.stringContaining('patterns.0 takes too long') }),
    )
    // All searches share the time that is left: none.
    expect(() => limited?.isIn('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!')).toThrow(
      expect.objectContaining({ code: 'TIMEOUT' }),
    )
  })

  test('long texts with a match at each character, and with thousands of accents, take linear time', () => {
    const letters = Array.from({ length: 100_000 }, (_, index) => (index % 50 === 0 ? '\n' : 'x'))
    expect(withoutTerms({ patterns: [], expressions: Expressions.of(['.'], [], false) }, letters.join('')).trim()).toBe(
      '',
    )
    const accents = Array.from({ length: 100_000 }, () => '\u0301')
    expect(Expressions.of(['q'], [], false)?.find(['e', ...accents])).toEqual([])
  })

  test('are found in metadata and rich text that is written with entities', async () => {
    const metadata = '<x:xmpmeta xmlns:x="adobe:ns:meta/"><t>Smith &amp; Sons</t><c>ada&#64;example.org</c></x:xmpmeta>'
    const source = (xml: string) =>
      rawPdf({
        1: '<< /Type /Catalog /Pages 2 0 R /Metadata 6 0 R /Note (<p>Smith &#38; Sons, ada&#x40;example.org</p>) >>',
        2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
        4: stream(line('Text')),
        5: HELVETICA,
        6: stream(xml, '/Type /Metadata /Subtype /XML'),
      })
    for (const settings of [{ terms: ['Smith & Sons'] }, { kinds: ['email'] }]) {
      const { bytes, report } = await redacted('entities', source(metadata), settings)
      expect(report).toMatchObject({ strings: 1, removedParts: 1 })
      const plain = await plainOf(bytes)
      expect(plain).not.toContain('xmpmeta')
      expect(plain).not.toMatch('terms' in settings ? /Smith/ : /ada/)
      expect(plain).toMatch('terms' in settings ? /ada/ : /Smith/)
    }
  })

  test('a syntax error names the pattern and the reason, and does not repeat it', async () => {
    const path = writePdf(folder, 'syntax.pdf', await makePdf())
    await expect(run(redactPdf, folder, [path], { patterns: ['ok', 'secret('] })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      message: 'patterns.1 is not a regular expression: Unterminated group',
    })
  })

  test.each([
    ['caf\u00e9', 'cafe\u0301', true],
    ['[\u00e9\u00e8]t', 'e\u0301t', true],
    ['\\d{3} \\d{3}', '123\n456', true],
    ['lovelace@x\\.org', 'love-\nlace@x.org', true],
    ['lovelace', 'love\nlace', true],
    ['^b$', 'a\nb\nc', true],
    ['o.ce', 'o\ufb03ce', false],
    ['off', 'o\ufb03ce', true],
    ['\\s+', 'a b', false],
    ['x*', 'abc', false],
    ['\\d{6}', '12a', false],
  ])('%s in %j: %s', (pattern, text, isFound) => {
    expect(Expressions.of([pattern], [], false)?.isIn(text)).toBe(isFound)
  })

  test('a word at the end of a line does not take the next line with it', () => {
    const found = withoutTerms(
      { patterns: [], expressions: Expressions.of([], ['email'], false) },
      'to ada@example.org\nPhone',
    )
    expect(found).toBe('to \nPhone')
  })
})

test.each<[Kind, string, string]>([
  ['email', 'x <ada.lovelace+1@mail.example.co.uk>, y', 'x <>, y'],
  ['email', 'a @ b, user@localhost', 'a @ b, user@localhost'],
  ['iban', 'to DE89 3704 0044 0532 0130 00 AND more', 'to  AND more'],
  ['iban', 'GB29NWBK60161331926819.', '.'],
  ['iban', 'DE89 3704 0044 0532 0130 01', 'DE89 3704 0044 0532 0130 01'],
  ['card', '4111 1111 1111 1111, 4111 1111 1111 1112', ', 4111 1111 1111 1112'],
  ['phone', 'call +49 (0)30 901820-0 or (555) 123-4567 or 030/9018200.', 'call  or  or .'],
  [
    'phone',
    'in 2024, page 12 of 1,234,567.89, ISBN 978-3-16-148410-0',
    'in 2024, page 12 of 1,234,567.89, ISBN 978-3-16-148410-0',
  ],
])('%s in %j', (kind, text, rest) => {
  expect(withoutTerms({ patterns: [], expressions: Expressions.of([], [kind], false) }, text)).toBe(rest)
})

describe('areas', () => {
  test('remove text, pixels, drawings, links and fields under them, on a rotated and cropped page', async () => {
    // The displayed page is 190 points wide and 140 high: cropped to 140 x 190, and rotated clockwise.
    const source = await makePdf({
      texts: ['Name of a person'],
      rotations: [90],
      cropBoxes: [[10, 100, 150, 290]],
      images: [60, 60],
      formField: { name: 'who', value: 'Ada' },
    })
    const whole = await pixels(source)
    const { bytes, report } = await redacted('rotated', source, { areas: ['1 50% 0 40% 100%', '1 0 0 10pt 20%'] })
    expect(report).toMatchObject({ found: 2 })
    expect((await pageTexts(bytes))[0]).toBe('')
    const dark = await pixels(bytes)
    for (const [x, y] of [
      [100, 20],
      [160, 130],
      [4, 4],
    ] as const)
      expect(dark(x, y)).toBeLessThan(10)
    // Outside the areas nothing changes.
    for (const [x, y] of [
      [80, 10],
      [60, 40],
      [30, 80],
      [180, 90],
    ] as const)
      expect(dark(x, y)).toBe(whole(x, y))
  })

  test('remove drawings; a drawing that reaches out is a warning', async () => {
    const source = await letter(['Text above', 'Text below'], (document) => {
      const page = document.getPage(0)
      page.drawCircle({ x: 60, y: 100, size: 20 })
      page.drawCircle({ x: 200, y: 100, size: 20 })
    })
    const { bytes, warnings } = await redacted('drawn', source, { areas: ['1 30 170 60 60', '1 200 190 10 10'] })
    const text = await plainOf(bytes)
    // Of eight curves the four of the first circle are gone.
    expect(text.match(/ [\d.]+ c(?= )/g)).toHaveLength(4)
    expect(warnings).toEqual([
      'A drawing reaches out of an area on page 1: it is covered in black, and still in the file. Make the area larger to remove it',
    ])
    expect((await pageTexts(bytes))[0]).toContain('Text below')
  })

  test('keep attachments and metadata, which they do not search', async () => {
    const source = await letter(['One'], async (document) => {
      document.setTitle('One')
      await document.attach(Uint8Array.of(1, 0, 2), 'binary.bin')
    })
    const { bytes, report } = await redacted('kept', source, { areas: ['1 0 0 100% 100%'] })
    expect(report).toEqual({ found: 1, annotations: 0, strings: 0, removedParts: 0 })
    expect(Buffer.from(bytes).includes('binary.bin') || (await PDFDocument.load(bytes)).getTitle() === 'One').toBe(true)
  })

  test('a field under an area loses its value, also in its other places', async () => {
    const source = await letter([], (document) => {
      const field = document.getForm().createTextField('iban')
      field.setText('Ada')
      for (const y of [250, 50]) field.addToPage(document.getPage(0), { x: 20, y, width: 100, height: 20 })
    })
    const { bytes, report } = await redacted('field', source, { areas: ['1 0 0 100% 100'] })
    expect(report.annotations).toBe(1)
    expect((await PDFDocument.load(bytes)).getForm().getTextField('iban').getText() ?? '').toBe('')
  })

  test('pages with user units', async () => {
    const source = rawPdf({
      1: '<< /Type /Catalog /Pages 2 0 R >>',
      2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      3: '<< /Type /Page /Parent 2 0 R /UserUnit 2 /MediaBox [0 0 150 100] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
      4: stream(line('Open words')),
      5: HELVETICA,
    })
    const { bytes } = await redacted('units', source, { areas: ['1 50% 0 50% 100%'] })
    const dark = await pixels(bytes)
    expect([dark(140, 100), dark(160, 10), dark(290, 190)]).toEqual([255, 0, 0])
  })

  test.each([
    [['1 1 2 3'], 'INVALID_SETTINGS', '5 values are expected'],
    [['1,2 1 2 3 4'], 'INVALID_SETTINGS', 'neither a page nor a range'],
    [['1 1 2 x 4'], 'INVALID_SETTINGS', '"x" is not a number of points or percent'],
    [['1 1 2 0 4'], 'INVALID_SETTINGS', 'width and height must be greater than 0'],
    [['2 1 2 3 4'], 'TARGET_UNREACHABLE', 'Page 2 was requested'],
    [['1 500 2 3 4'], 'TARGET_UNREACHABLE', 'An area is outside page 1'],
  ])('%j is refused: %s', async (areas, code, message) => {
    const path = writePdf(folder, 'refused.pdf', await makePdf())
    await expect(run(redactPdf, folder, [path], { areas })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    })
  })
})
