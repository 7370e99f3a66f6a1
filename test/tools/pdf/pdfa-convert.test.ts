/** Content forbidden by PDF/A is removed from the written file, and the report says so. */
import { readFileSync } from 'node:fs'
import { type PDFDict, PDFDocument, PDFName, PDFString } from 'pdf-lib'
import { expect, test } from 'vitest'
import { runQpdf } from '../../../src/engines/qpdf.ts'
import pdfaConvert from '../../../tools/pdf/convert/pdfa-convert.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, makePdf } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

interface Maker {
  document: PDFDocument
  /** An action of a type. */
  action(type: string, more?: object): PDFDict
  /** Adds annotations to the first page. */
  annotate(...annotations: object[]): void
}

async function made(name: string, change: (maker: Maker) => void): Promise<string> {
  const document = await PDFDocument.load(await makePdf(), { updateMetadata: false })
  const { context } = document
  const action: Maker['action'] = (type, more = {}) =>
    context.obj({
      S: type,
      ...(type === 'JavaScript' && { JS: PDFString.of('app.alert(1)') }),
      ...more,
    } as never) as never
  const annotate: Maker['annotate'] = (...annotations) => {
    const refs = annotations.map((one) =>
      context.register(context.obj({ Type: 'Annot', Rect: [10, 10, 60, 60], ...one } as never)),
    )
    document.getPage(0).node.set(PDFName.of('Annots'), context.obj(refs))
  }
  change({ document, action, annotate })
  return writePdf(folder, name, await document.save({ useObjectStreams: false }))
}

/** Converts, and returns the notes and the objects of the result in plain text. */
async function converted(path: string) {
  const { paths, report, warnings } = await run(pdfaConvert, folder, [path])
  expect(report.changes).toEqual(warnings)
  const bytes = readFileSync(paths[0]!)
  expect(await complaints(bytes)).toEqual([])
  const { files } = await runQpdf(['--qdf', '--object-streams=disable', 'a.pdf', 'b.pdf'], { 'a.pdf': bytes })
  return { warnings, text: Buffer.from(files.get('b.pdf')!).toString('latin1') }
}

test('removes every forbidden action: on opening, on events, of links, of bookmarks, in chains', async () => {
  const path = await made('actions.pdf', ({ document: { catalog, context }, action, annotate }) => {
    const launch = context.register(action('Launch', { F: PDFString.of('calc') }))
    catalog.set(PDFName.of('OpenAction'), action('Named', { N: 'NextPage', Next: [launch, action('JavaScript')] }))
    catalog.set(PDFName.of('AA'), context.obj({ WC: action('JavaScript'), DC: action('ResetForm') }))
    annotate(
      { Subtype: 'Link', A: action('ImportData', { F: PDFString.of('x.fdf') }) },
      { Subtype: 'Link', A: action('SetOCGState', { State: [] }), PA: action('Named', { N: 'Print' }) },
      { Subtype: 'Link', A: action('GoTo3DView'), AA: { E: action('Sound'), X: action('Hide') } },
      { Subtype: 'Link', A: action('URI', { URI: PDFString.of('https://example.org'), Next: action('Trans') }) },
      { Subtype: 'Link', A: context.register(action('Rendition', { JS: PDFString.of('app.beep()') })) },
    )
    const [list, item] = [context.nextRef(), context.nextRef()]
    context.assign(item, context.obj({ Title: PDFString.of('Run'), A: launch, Parent: list }))
    context.assign(list, context.obj({ Type: 'Outlines', First: item, Last: item, Count: 1 }))
    catalog.set(PDFName.of('Outlines'), list)
  })
  const { warnings, text } = await converted(path)
  expect(warnings).toEqual([
    'JavaScript was removed: PDF/A forbids it',
    'Actions were removed, as PDF/A forbids them: GoTo3DView, Hide, ImportData, Launch, Named, Rendition, ResetForm, SetOCGState, Sound, Trans',
  ])
  expect(text).not.toMatch(/\/S \/(?!URI|GTS|Named)[A-Z]|\/N \/Print|\/JS|\/AA|JavaScript/)
  expect(text).toContain('/URI (https://example.org)')
  expect(text.match(/\/Subtype \/Link/g)).toHaveLength(5)
})

test('a script action of the catalog; keeps a link to a page', async () => {
  const path = await made('opening.pdf', ({ document, action, annotate }) => {
    document.catalog.set(PDFName.of('OpenAction'), action('JavaScript'))
    annotate({ Subtype: 'Link', Dest: [document.getPage(0).ref, 'Fit'] })
  })
  const { warnings, text } = await converted(path)
  expect(warnings).toEqual(['JavaScript was removed: PDF/A forbids it'])
  expect(text).not.toMatch(/JavaScript|app.alert/)
  expect(text).toMatch(/\/Subtype \/Link/)
})

test('removes files attached to annotations, and counts hidden annotations', async () => {
  const path = await made('attached.pdf', ({ document: { context }, annotate }) => {
    const file = context.register(context.stream('secret words', { Type: 'EmbeddedFile' }))
    annotate(
      { Subtype: 'FileAttachment', F: 4, FS: { Type: 'Filespec', F: PDFString.of('a.txt'), EF: { F: file } } },
      { Subtype: 'Square', C: [1, 0, 0], F: 2 },
    )
  })
  const { warnings, text } = await converted(path)
  expect(warnings).toEqual([
    '1 attached file was removed',
    '1 annotation is removed: hidden, not printed, or of a type that PDF/A forbids',
  ])
  expect(text).not.toMatch(/secret words|\/EF/)
})

test('reports nothing for a plain document with links', async () => {
  const path = await made('plain.pdf', ({ action, annotate }) =>
    annotate({ Subtype: 'Link', A: action('URI', { URI: PDFString.of('https://example.org') }) }),
  )
  expect((await converted(path)).warnings).toEqual([])
})
