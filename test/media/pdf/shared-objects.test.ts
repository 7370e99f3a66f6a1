/** Direct objects that two parts of a document reference must not be renumbered twice when it is saved. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readWithQpdf } from '../../../src/media/pdf/verify/second-reader.ts'
import pageNumbers from '../../../tools/pdf/content/pdf-page-numbers.ts'
import bookletPdf from '../../../tools/pdf/pages/booklet-pdf.ts'
import nupPdf from '../../../tools/pdf/pages/nup-pdf.ts'
import rotatePdf from '../../../tools/pdf/pages/rotate-pdf.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, pageTexts } from '../../helpers/pdf.ts'
import { HELVETICA, line, rawPdf, stream } from '../../helpers/raw-pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** The numbers matter: a reference that is renumbered twice must match a reassigned number. */
const resources = (font: number): string => `/Resources << /ProcSet [/PDF /Text] /Font << /F1 ${font} 0 R >> >>`

/** The page tree references the first page object twice. */
const NAMED_TWICE = rawPdf(
  {
    1: '<< /Type /Catalog /Pages 3 0 R >>',
    2: '<< /Producer (test) >>',
    3: '<< /Type /Pages /Count 3 /Kids [4 0 R 4 0 R 5 0 R] >>',
    4: `<< /Type /Page /Parent 3 0 R /MediaBox [0 0 300 200] /Contents 6 0 R ${resources(8)} >>`,
    5: `<< /Type /Page /Parent 3 0 R /MediaBox [0 0 300 200] /Contents 9 0 R ${resources(8)} >>`,
    6: stream(line('First')).replace(/Length \d+/, 'Length 7 0 R'),
    7: String(line('First').length),
    8: HELVETICA,
    9: stream(line('Last')).replace(/Length \d+/, 'Length 10 0 R'),
    10: String(line('Last').length),
  },
  '/Info 2 0 R',
)

/** The pages inherit their resources from the page tree, as a direct object. */
const INHERITED = rawPdf({
  1: '<< /Type /Catalog /Pages 2 0 R >>',
  2: `<< /Type /Pages /Count 3 /Kids [3 0 R 4 0 R 5 0 R] /MediaBox [0 0 300 200] ${resources(40)} >>`,
  3: '<< /Type /Page /Parent 2 0 R /Contents 20 0 R >>',
  4: '<< /Type /Page /Parent 2 0 R /Contents 20 0 R >>',
  5: '<< /Type /Page /Parent 2 0 R /Contents 21 0 R >>',
  20: stream(line('First')),
  21: stream(line('Last')),
  40: HELVETICA,
})

test.each([rotatePdf, nupPdf, bookletPdf, pageNumbers])('$id keeps the fonts of all pages', async (tool) => {
  for (const source of [NAMED_TWICE, INHERITED]) {
    const { paths, warnings } = await run(tool, folder, [writePdf(folder, 'in.pdf', source)])
    const bytes = readFileSync(paths[0]!)
    const words = (await pageTexts(bytes)).join(' ').match(/First|Last/g)
    expect(words).toEqual(['First', 'First', 'Last'])
    expect(await complaints(bytes)).toEqual([])
    expect(warnings).toEqual([])
    // MuPDF shows text with a missing font in another one; qpdf reads the contents of the file.
    const { pages, unresolved } = await readWithQpdf(bytes, '')
    expect(unresolved).toEqual([])
    for (const page of pages) expect([...page.values()].join(' ')).toContain('Helvetica')
  }
})
