import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PDFDocument as LibDocument } from 'pdf-lib'
import { describe, expect, test } from 'vitest'
import { loadMupdf, type PDFDocument, type PDFObject } from '../../../src/engines/mupdf.ts'
import { runQpdf } from '../../../src/engines/qpdf.ts'
import { openPdf } from '../../../src/media/pdf/document.ts'
import type { PdfHandle } from '../../../src/media/pdf/handle.ts'
import { mergePdfs } from '../../../src/media/pdf/page/merge.ts'
import { selectPages } from '../../../src/media/pdf/page/rearrange.ts'
import { extractPageTexts } from '../../../src/media/pdf/structure/text.ts'
import { complaints, type MakePdfOptions, makeEncryptedPdf, makePdf, pageTexts } from '../../helpers/pdf.ts'

const CORPUS = '/work/shared/corpus/documents'

/** Saves and reopens, so that tests check what a reader gets. */
async function reopened(document: PdfHandle): Promise<PDFDocument> {
  const bytes = await document.save()
  expect(await complaints(bytes)).toEqual([])
  return new (await loadMupdf()).PDFDocument(bytes)
}

async function merged(...sources: Array<Uint8Array | MakePdfOptions>): Promise<PDFDocument> {
  const documents = await Promise.all(
    sources.map(async (source) => openPdf(source instanceof Uint8Array ? source : await makePdf(source))),
  )
  return reopened(await mergePdfs(documents))
}

async function selected(source: Uint8Array, pages: number[]): Promise<PDFDocument> {
  return reopened(await selectPages(await openPdf(source), pages))
}

/** A generated document, edited before it is saved. */
async function edited(
  options: MakePdfOptions,
  edit: (pdf: PDFDocument, catalog: PDFObject) => void,
): Promise<Uint8Array> {
  const document = await openPdf(await makePdf(options))
  edit(document.pdf, document.pdf.getTrailer().get('Root'))
  return document.save()
}

const texts = (pdf: PDFDocument) =>
  Array.from({ length: pdf.countPages() }, (_, index) => pdf.loadPage(index).toStructuredText('').asText().trim())
const outline = (pdf: PDFDocument) => pdf.loadOutline()?.map(({ title, page }) => [title, page])

describe('merging', () => {
  test('all pages in order, with their boxes and rotations', async () => {
    const pdf = await merged(
      { texts: ['a1', 'a2'], sizes: [[100, 200]], rotations: [0, 90] },
      { texts: ['b1'], sizes: [[300, 400]], cropBoxes: [[10, 20, 110, 220]] },
    )
    expect(texts(pdf)).toEqual(['a1', 'a2', ''])
    expect(pdf.findPage(1).get('Rotate').asNumber()).toBe(90)
    expect(pdf.findPage(2).get('MediaBox').toString()).toBe('[0 0 300 400]')
    expect(pdf.findPage(2).get('CropBox').toString()).toBe('[10 20 110 220]')
    expect([0, 1, 2].map((page) => pdf.loadPage(page).getBounds().slice(2))).toEqual([
      [100, 200],
      [200, 100],
      [100, 200],
    ])
  })

  test('bookmarks of all documents point to their pages', async () => {
    const pdf = await merged(
      {
        pages: 2,
        outline: [
          { title: 'First', page: 1 },
          { title: 'Zweites Ä', page: 2 },
        ],
      },
      { pages: 3, outline: [{ title: 'Third', page: 3 }] },
    )
    expect(outline(pdf)).toEqual([
      ['First', 0],
      ['Zweites Ä', 1],
      ['Third', 4],
    ])
  })

  test('renames a field with an existing name, and keeps its value', async () => {
    const pdf = await merged(
      { formField: { name: 'total', value: '10' } },
      { formField: { name: 'total', value: '20' } },
      { formField: { name: 'total', value: '30' } },
    )
    const fields = [0, 1, 2].map((page) => pdf.loadPage(page).getWidgets()[0]!)
    expect(fields.map((field) => [field.getName(), field.getValue()])).toEqual([
      ['total', '10'],
      ['total+1', '20'],
      ['total+2', '30'],
    ])
    expect(pdf.getTrailer().get('Root', 'AcroForm', 'Fields').length).toBe(3)
    const form = (await LibDocument.load(pdf.saveToBuffer('').asUint8Array().slice())).getForm()
    expect(form.getFields().map((field) => field.getName())).toEqual(['total', 'total+1', 'total+2'])
  })

  test('nested fields stay one field with several widgets', async () => {
    const source = await LibDocument.create()
    const pages = [source.addPage([200, 200]), source.addPage([200, 200])]
    const field = source.getForm().createTextField('address.street')
    for (const page of pages) field.addToPage(page, { x: 10, y: 10, width: 100, height: 20 })
    field.setText('Hill Road')
    const pdf = await merged(await source.save(), { pages: 1 })
    const names = [0, 1].map((page) => pdf.loadPage(page).getWidgets()[0]!.getName())
    expect(names).toEqual(['address.street', 'address.street'])
    const form = (await LibDocument.load(pdf.saveToBuffer('').asUint8Array().slice())).getForm()
    expect(form.getTextField('address.street').getText()).toBe('Hill Road')
    expect(form.getTextField('address.street').acroField.getWidgets()).toHaveLength(2)
  })

  test('links by page and by name still point to the same page', async () => {
    const source = await edited({ texts: ['m', 'n'] }, (pdf, catalog) => {
      const target = [pdf.findPage(1), 'Fit']
      catalog.put('Dests', { chapter: target })
      const links = [
        { Type: 'Annot', Subtype: 'Link', Rect: [0, 0, 50, 50], Dest: pdf.newName('chapter') },
        { Type: 'Annot', Subtype: 'Link', Rect: [50, 0, 90, 50], A: { S: 'GoTo', D: target } },
        { Type: 'Annot', Subtype: 'Link', Rect: [90, 0, 120, 50], A: { S: 'URI', URI: '(https://example.org)' } },
      ]
      pdf.findPage(0).put('Annots', links)
    })
    const pdf = await merged({ pages: 3 }, source)
    const links = pdf.loadPage(3).getLinks()
    expect(links.map((link) => (link.isExternal() ? link.getURI() : pdf.resolveLink(link)))).toEqual([
      4,
      4,
      'https://example.org',
    ])
    expect(pdf.getTrailer().get('Root', 'Names', 'Dests').isDictionary()).toBe(true)
  })

  test('keeps attachments, layers, page labels and the title', async () => {
    const attach = (content: string) => (pdf: PDFDocument) => {
      const date = new Date(0)
      pdf.insertEmbeddedFile('notes.txt', pdf.addEmbeddedFile('notes.txt', 'text/plain', content, date, date))
    }
    const first = await edited({ pages: 2, title: 'The title' }, (pdf, catalog) => {
      attach('one')(pdf)
      pdf.setPageLabels(0, 'r', '', 1)
      const layer = pdf.addObject({ Type: 'OCG', Name: '(Draft)' })
      catalog.put('OCProperties', { OCGs: [layer], D: { BaseState: 'OFF', Order: [layer] } })
      pdf.findPage(0).get('Resources').put('Properties', { MC0: layer })
    })
    const pdf = await merged(first, await edited({ pages: 1, title: 'Another' }, attach('two')))
    const files = pdf.getEmbeddedFiles()
    expect(Object.entries(files).map(([name, file]) => [name, pdf.getEmbeddedFileContents(file)!.asString()])).toEqual([
      ['notes.txt', 'one'],
      ['notes.txt (2)', 'two'],
    ])
    expect([0, 1, 2].map((page) => pdf.loadPage(page).getLabel())).toEqual(['i', 'ii', '3'])
    expect(pdf.getMetaData('info:Title')).toBe('The title')
    expect([pdf.countLayers(), pdf.getLayerName(0), pdf.isLayerVisible(0)]).toEqual([1, 'Draft', false])
  })

  test('joins tags of both documents', async () => {
    const pdf = await merged(await tagged('one', 2), await tagged('two', 1))
    const root = pdf.getTrailer().get('Root')
    expect(root.get('MarkInfo', 'Marked').asBoolean()).toBe(true)
    expect(altTexts(pdf)).toEqual(['one 1', 'one 2', 'two 1'])
    const keys = [0, 1, 2].map((page) => pdf.findPage(page).get('StructParents').asNumber())
    expect(new Set(keys).size).toBe(3)
    // The parent tree maps each page's key to the element of its content.
    const numbers = root.get('StructTreeRoot', 'ParentTree', 'Nums')
    keys.forEach((key, page) => {
      let found: PDFObject | undefined
      for (let index = 0; index < numbers.length; index += 2)
        if (numbers.get(index).asNumber() === key) found = numbers.get(index + 1)
      expect(found!.get(0, 'Alt').asString()).toBe(['one 1', 'one 2', 'two 1'][page])
      expect(found!.get(0, 'Pg').asIndirect()).toBe(pdf.findPage(page).asIndirect())
    })
  })

  test('one document given twice', async () => {
    const source = await openPdf(await makePdf({ texts: ['x'], formField: { name: 'f', value: 'v' } }))
    const pdf = await reopened(await mergePdfs([source, source]))
    expect(texts(pdf).map((text) => text.split('\n')[0])).toEqual(['x', 'x'])
    expect([0, 1].map((page) => pdf.loadPage(page).getWidgets()[0]!.getName())).toEqual(['f', 'f+1'])
  })

  test('keeps the sources unchanged', async () => {
    const first = await openPdf(await makePdf({ texts: ['a'] }))
    const before = Buffer.from(await first.save()).toString('latin1')
    await mergePdfs([first, await openPdf(await makePdf({ texts: ['b'] }))])
    expect(Buffer.from(await first.save()).toString('latin1')).toBe(before)
  })

  test('keeps a chain of 5,000 bookmarks and one of 5,000 linked objects', async () => {
    const items = Array.from({ length: 5000 }, (_, index) => ({ title: `Item ${index}`, page: 1 }))
    const source = await edited({ pages: 1, outline: items }, (pdf) => {
      let next: PDFObject | undefined
      for (let index = 0; index < 5000; index++) next = pdf.addObject({ Index: index, ...(next ? { Next: next } : {}) })
      pdf.findPage(0).get('Resources').put('Properties', { Chain: next })
    })
    const pdf = await merged(source, { pages: 1 })
    expect(outline(pdf)).toHaveLength(5000)
    let link = pdf.findPage(0).get('Resources', 'Properties', 'Chain')
    let length = 0
    for (; link.isDictionary(); link = link.get('Next')) length++
    expect(length).toBe(5000)
  })

  test('many pages get a page tree of two levels', async () => {
    const pdf = await merged({ pages: 130 }, { pages: 130 })
    expect(pdf.countPages()).toBe(260)
    expect(pdf.getTrailer().get('Root', 'Pages', 'Kids').length).toBe(3)
    expect(texts(pdf)[259]).toBe('Page 130')
  })

  test('nothing to merge is an error', () => {
    expect(() => mergePdfs([])).toThrow(expect.objectContaining({ code: 'TOO_FEW_FILES' }))
  })
})

describe('selecting pages', () => {
  test('the requested order and repetitions', async () => {
    const pdf = await selected(await makePdf({ texts: ['a', 'b', 'c'] }), [3, 1, 3, 3])
    expect(texts(pdf)).toEqual(['c', 'a', 'c', 'c'])
    expect(new Set([0, 2, 3].map((page) => pdf.findPage(page).asIndirect())).size).toBe(3)
  })

  test('repeated pages share their picture', async () => {
    const source = await makePdf({ images: [60, 60] })
    const once = (await (await selectPages(await openPdf(source), [1])).save()).length
    const thrice = (await (await selectPages(await openPdf(source), [1, 1, 1])).save()).length
    expect(once).toBeGreaterThan(10_000)
    expect(thrice - once).toBeLessThan(1000)
  })

  test('removes bookmarks of removed pages, keeps headings with remaining ones', async () => {
    const source = await makePdf({
      pages: 3,
      outline: [
        { title: 'One', page: 1 },
        { title: 'Two', page: 2 },
        { title: 'Three', page: 3 },
      ],
    })
    expect(outline(await selected(source, [3, 1]))).toEqual([
      ['One', 1],
      ['Three', 0],
    ])

    const nested = await edited({ pages: 2 }, (pdf, catalog) => {
      const root = pdf.addObject({ Type: 'Outlines', Count: 1 })
      const child = pdf.addObject({ Title: '(Section)', Dest: [pdf.findPage(1), 'Fit'] })
      const parent = pdf.addObject({
        Title: '(Chapter)',
        Dest: [pdf.findPage(0), 'Fit'],
        First: child,
        Last: child,
        Count: -1,
      })
      child.put('Parent', parent)
      parent.put('Parent', root)
      root.put('First', parent)
      root.put('Last', parent)
      catalog.put('Outlines', root)
    })
    const [chapter] = (await selected(nested, [2])).loadOutline()!
    expect([chapter!.title, chapter!.open, chapter!.down!.map(({ title, page }) => [title, page])]).toEqual([
      'Chapter',
      false,
      [['Section', 0]],
    ])
  })

  test('nothing of the other pages remains in the file', async () => {
    const source = await edited({ texts: ['public', 'SECRETTEXT'] }, (pdf, catalog) => {
      const annotation = { Type: 'Annot', Subtype: 'Text', Rect: [0, 0, 9, 9], Contents: '(SECRETNOTE)' }
      pdf.findPage(1).put('Annots', [pdf.addObject(annotation)])
      const link = { Type: 'Annot', Subtype: 'Link', Rect: [0, 0, 9, 9], Dest: [pdf.findPage(1), 'Fit'] }
      pdf.findPage(0).put('Annots', [link])
      catalog.put('OpenAction', [pdf.findPage(1), 'Fit'])
    })
    const pdf = await selected(source, [1])
    expect(pdf.loadPage(0).getLinks()).toEqual([])
    const plain = Buffer.from(pdf.saveToBuffer({ decompress: 'yes' }).asUint8Array()).toString('latin1')
    expect(plain).not.toContain('SECRETNOTE')
    expect(plain).not.toContain(Buffer.from('SECRETTEXT').toString('hex').toUpperCase())
    expect(plain).toContain(Buffer.from('public').toString('hex').toUpperCase())
  })

  test('removes fields and tags of other pages, too', async () => {
    const pdf = await selected(await tagged('tag', 3), [2])
    expect(altTexts(pdf)).toEqual(['tag 2'])
    const form = await selected(await makePdf({ pages: 2, formField: { name: 'f', value: 'v' } }), [2])
    expect(form.getTrailer().get('Root', 'AcroForm').isNull()).toBe(true)
  })

  test('keeps the encryption of the source, or uses that of the save options', async () => {
    const source = await openPdf(await makeEncryptedPdf('user', 'owner', { texts: ['a', 'b'] }), { password: 'user' })
    const kept = await (await selectPages(source, [2])).save()
    const { stdout } = await runQpdf(['--show-encryption', '--password=owner', 'a.pdf'], { 'a.pdf': kept })
    expect(stdout).toContain('Supplied password is owner password')
    expect(await pageTexts(kept, 'user')).toEqual(['b'])
    expect(await complaints(kept, 'user')).toEqual([])
    source.target.encryption = 'none'
    expect(await pageTexts(await (await selectPages(source, [2])).save())).toEqual(['b'])
  })

  test('writes inherited boxes, rotation and resources on the page', async () => {
    const source = await edited({ texts: ['inherited'] }, (pdf) => {
      const page = pdf.findPage(0)
      const parent = page.get('Parent')
      for (const key of ['MediaBox', 'Resources']) {
        parent.put(key, page.get(key))
        page.delete(key)
      }
      parent.put('Rotate', 270)
    })
    const pdf = await selected(source, [1])
    expect(texts(pdf)).toEqual(['inherited'])
    expect(pdf.loadPage(0).getBounds()).toEqual([0, 0, 300, 200])
  })

  test('page labels follow their pages', async () => {
    const source = await edited({ pages: 4 }, (pdf) => {
      pdf.setPageLabels(0, 'r', '', 1)
      pdf.setPageLabels(2, 'D', 'A-', 5)
    })
    const pdf = await selected(source, [2, 3, 4, 1])
    expect([0, 1, 2, 3].map((page) => pdf.loadPage(page).getLabel())).toEqual(['ii', 'A-5', 'A-6', 'i'])
  })

  test('refuses missing pages', async () => {
    const document = await openPdf(await makePdf({ pages: 2 }))
    await expect(selectPages(document, [])).rejects.toMatchObject({ code: 'TARGET_UNREACHABLE' })
    await expect(selectPages(document, [1, 3])).rejects.toThrow('Page 3 was requested, but the document has 2 pages')
  })
})

test.skipIf(!existsSync(CORPUS))('real files: forms, links, an outline and an attachment in one', async () => {
  const names = [
    'pdflatex-forms',
    'pdflatex-outline',
    'libre-office-link',
    'with-attachment',
    'crazyones-pdfa',
    'habibi',
  ]
  const documents = await Promise.all(names.map((name) => openPdf(join(CORPUS, `${name}.pdf`))))
  const pdf = await reopened(await mergePdfs(documents))
  const before = documents.flatMap((document) => extractPageTexts(document))
  expect(texts(pdf)).toEqual(before.map((text) => text.trim()))
  const widgets = documents[0]!.pdf
    .loadPage(0)
    .getWidgets()
    .map((widget) => widget.getName())
  expect(widgets).toHaveLength(3)
  expect(
    pdf
      .loadPage(0)
      .getWidgets()
      .map((widget) => widget.getName()),
  ).toEqual(widgets)
  const shifted = documents[1]!.pdf.loadOutline()!.map(({ title, page }) => [title, page! + documents[0]!.pageCount])
  expect(outline(pdf)).toEqual(shifted)
  expect(Object.keys(pdf.getEmbeddedFiles())).toHaveLength(1)
})

/** A document each of whose pages has one tagged paragraph with an alternative text. */
async function tagged(name: string, pages: number): Promise<Uint8Array> {
  return edited({ pages }, (pdf, catalog) => {
    const root = pdf.addObject({ Type: 'StructTreeRoot' })
    const top = pdf.addObject({ Type: 'StructElem', S: 'Document', P: root })
    const kids = pdf.newArray()
    const numbers = pdf.newArray()
    for (let index = 0; index < pages; index++) {
      const page = pdf.findPage(index)
      page.put('StructParents', index)
      const element = pdf.addObject({
        Type: 'StructElem',
        S: 'P',
        P: top,
        Pg: page,
        K: 0,
        Alt: `(${name} ${index + 1})`,
      })
      kids.push(element)
      numbers.push(index)
      numbers.push(pdf.addObject([element]))
    }
    top.put('K', kids)
    root.put('K', top)
    root.put('ParentTree', pdf.addObject({ Nums: numbers }))
    root.put('ParentTreeNextKey', pages)
    catalog.put('StructTreeRoot', root)
    catalog.put('MarkInfo', { Marked: true })
  })
}

/** The alternative texts of all paragraphs, in order of the tags. */
function altTexts(pdf: PDFDocument): string[] {
  const found: string[] = []
  const visit = (element: PDFObject) => {
    if (element.get('Alt').isString()) found.push(element.get('Alt').asString())
    const kids = element.get('K')
    for (let index = 0; index < kids.length; index++) if (kids.get(index).isDictionary()) visit(kids.get(index))
  }
  visit(pdf.getTrailer().get('Root', 'StructTreeRoot'))
  return found
}
