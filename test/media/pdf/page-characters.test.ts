import { expect, test } from 'vitest'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { charactersOf } from '../../../src/media/pdf/verify/page-characters.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { HELVETICA, rawPdf, stream } from '../../helpers/raw-pdf.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** A pictograph of a symbol font: code 75 is U+F03D9 of the private area, and ActualText says that it is a flag. */
const PICTOGRAPH = {
  1: '<< /Type /Catalog /Pages 2 0 R >>',
  2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
  3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << /Font << /F1 4 0 R /F2 6 0 R >> >> /Contents 5 0 R >>',
  4: HELVETICA,
  5: stream(
    'BT /F1 24 Tf 20 150 Td (a) Tj ET /Span << /ActualText <FEFFD83CDDE9D83CDDEA> >> BDC BT /F2 24 Tf 60 150 Td (K) Tj ET EMC',
  ),
  6: '<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] /FirstChar 75 /LastChar 75 /Widths [1] /Encoding << /Type /Encoding /Differences [75 /shape1] >> /CharProcs << /shape1 7 0 R >> /Resources << >> /ToUnicode 8 0 R >>',
  7: stream('1 0 0 0 1 1 d1 0 0 1 1 re f'),
  8: stream(
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <4B> <DB80DFD9> endbfchar endcmap end end',
  ),
}

const charactersIn = async (objects: Readonly<Record<number, string>>) => {
  const handle = await openPdf(await writePdf(folder, 'pictograph.pdf', rawPdf(objects)))
  return [...(charactersOf(handle.pdf, 0, 0) ?? [])]
}

test('a page has the characters of its glyphs, regardless of ActualText', async () => {
  expect(await charactersIn(PICTOGRAPH)).toEqual([
    ['a', 1],
    ['\u{f03d9}', 1],
  ])
  // As Ghostscript writes them: the mark stays, and the meaning of the glyph can only be guessed from its code.
  expect(await charactersIn({ ...PICTOGRAPH, 8: stream('') })).toEqual([
    ['a', 1],
    ['K', 1],
  ])
})
