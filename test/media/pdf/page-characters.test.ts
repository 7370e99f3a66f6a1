import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
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

/** A page with the text `a` beside drawings that repeat each other twenty times on each of these levels. */
const repeating = (levels: number, wrap: (below: string) => string): Readonly<Record<number, string>> => ({
  1: '<< /Type /Catalog /Pages 2 0 R >>',
  2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
  3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources 10 0 R /Contents 5 0 R >>',
  4: HELVETICA,
  5: stream('BT /F1 24 Tf 20 150 Td (a) Tj ET /X Do /Pattern cs /P scn /G gs 0 0 9 9 re f'),
  10: `<< /Font << /F1 4 0 R >> ${wrap('11 0 R')} >>`,
  ...Object.fromEntries(
    Array.from({ length: levels }, (_, level) => {
      const isLast = level === levels - 1
      const facts = `/Type /XObject /Subtype /Form /PatternType 1 /PaintType 1 /TilingType 1 /XStep 9 /YStep 9 /BBox [0 0 99 99]`
      const resources = isLast ? '' : `/Resources << ${wrap(`${12 + level} 0 R`)} >>`
      const group = '/Group << /S /Transparency /CS /DeviceGray >>'
      return [11 + level, stream(isLast ? '0 0 9 9 re f' : CONTENT.repeat(20), `${facts} ${group} ${resources}`)]
    }),
  ),
})

const CONTENT = '/X Do /Pattern cs /P scn /G gs 0 0 9 9 re f '

describe('drawings that repeat each other', () => {
  const wraps: Readonly<Record<string, (below: string) => string>> = {
    'form XObjects': (below) => `/XObject << /X ${below} >>`,
    patterns: (below) => `/Pattern << /P ${below} >>`,
    masks: (below) => `/ExtGState << /G << /SMask << /S /Luminosity /G ${below} >> >> >>`,
  }
  test.each(Object.entries(wraps))('%s: their text is read, unless it would take hours', async (_name, wrap) => {
    expect(await charactersIn(repeating(2, wrap))).toEqual([['a', 1]])
    expect(await charactersIn(repeating(9, wrap))).toEqual([])
  })
})

test('the samples of a large image are not content: the text beside it is read', async () => {
  const samples = deflateSync(Buffer.alloc(3000 * 3000, '0 0 9 9 re f ')).toString('latin1')
  const image = '/Type /XObject /Subtype /Image /Width 3000 /Height 3000 /ColorSpace /DeviceGray /BitsPerComponent 8'
  const page = {
    ...repeating(0, () => '/XObject << /X 11 0 R >>'),
    5: stream('BT /F1 24 Tf 20 150 Td (a) Tj ET /X Do'),
    11: stream(samples, `${image} /Filter /FlateDecode`),
  }
  expect(await charactersIn(page)).toEqual([['a', 1]])
})
