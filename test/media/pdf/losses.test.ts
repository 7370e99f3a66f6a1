/** What a job warns of when a document is rewritten. */
import { PDFDict, PDFDocument, PDFHexString, PDFName } from 'pdf-lib'
import { expect, test } from 'vitest'

import { openPdf } from '../../../src/media/pdf/document.ts'
import { expectNoForm } from '../../../src/media/pdf/verify/losses.ts'
import watermarkPdf from '../../../tools/pdf/content/watermark-pdf.ts'
import mergePdf from '../../../tools/pdf/pages/merge-pdf.ts'
import rotatePdf from '../../../tools/pdf/pages/rotate-pdf.ts'
import splitPdf from '../../../tools/pdf/pages/split-pdf.ts'
import protectPdf from '../../../tools/pdf/security/protect-pdf.ts'
import unlockPdf from '../../../tools/pdf/security/unlock-pdf.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { makeEncryptedPdf, makePdf } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const PDFA_XMP = '<rdf:Description xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" pdfaid:part="2"/>'
const SIGNATURE = 'The digital signature is no longer valid: the document was rewritten'

async function changed(name: string, change: (document: PDFDocument) => void): Promise<string> {
  const document = await PDFDocument.load(await makePdf({ pages: 2, formField: { name: 'who', value: 'Ada' } }))
  change(document)
  return writePdf(folder, name, await document.save({ updateFieldAppearances: false }))
}

const signed = () =>
  changed('signed.pdf', ({ context }) => {
    context.register(context.obj({ Type: 'Sig', ByteRange: [0, 1, 2, 3], Contents: PDFHexString.of('00') }))
  })
const archival = () =>
  changed('archival.pdf', ({ context, catalog }) => {
    catalog.set(
      PDFName.of('Metadata'),
      context.register(context.stream(PDFA_XMP, { Type: 'Metadata', Subtype: 'XML' })),
    )
  })
const xfa = () =>
  changed('xfa.pdf', (document) => {
    // `getForm` of the library would take it out again.
    document.catalog.lookup(PDFName.of('AcroForm'), PDFDict).set(PDFName.of('XFA'), PDFHexString.fromText('<xdp/>'))
  })
const plain = async () => writePdf(folder, 'plain.pdf', await makePdf())

test.each([
  [rotatePdf, {}],
  [watermarkPdf, { text: 'DRAFT' }],
  [splitPdf, { range: '1' }],
  [splitPdf, { mode: 'every', everyN: 1 }],
  [protectPdf, { userPassword: 'secret' }],
] as const)('$0.id $1 warns once of a signature', async (tool, settings) => {
  expect((await run(tool, folder, [await signed()], settings)).warnings).toEqual([SIGNATURE])
})

test('merge-pdf warns of signatures, of PDF/A, of XFA and of encryption', async () => {
  const locked = writePdf(folder, 'owner.pdf', await makeEncryptedPdf('', 'owner'))
  const inputs = [await signed(), await archival(), await xfa(), locked]
  expect((await run(mergePdf, folder, inputs)).warnings).toEqual([
    SIGNATURE,
    'The result is no longer PDF/A',
    'The XFA form is left out; the fields of the plain form stay',
    'The result is not encrypted, as a source was',
  ])
})

test('rotate-pdf keeps the PDF/A claim, and warns that it was not checked', async () => {
  expect((await run(rotatePdf, folder, [await archival()])).warnings).toEqual([
    'The document says that it is PDF/A; whether it still is was not checked',
  ])
})

test('no warning for a plain document, or for encryption that was to be removed', async () => {
  expect((await run(mergePdf, folder, [await plain(), await plain()])).warnings).toEqual([])
  const locked = writePdf(folder, 'locked.pdf', await makeEncryptedPdf('open', 'owner'))
  expect((await run(unlockPdf, folder, [locked], { password: 'open' })).warnings).toEqual([])
})

test('refuses a result that still has a form, if a tool guarantees that none remains', async () => {
  const document = await openPdf(await makePdf({ formField: { name: 'who', value: 'Ada' } }))
  expectNoForm(document)
  await expect(document.save()).rejects.toMatchObject({
    code: 'PROCESSING_FAILED',
    message: 'The written PDF does not match the request: not so: no field of a form is left',
  })
  document.close()
})
