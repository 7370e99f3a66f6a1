import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runQpdf } from '../../../src/engines/qpdf.ts'
import redactPdf from '../../../tools/pdf/security/redact-pdf.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { HELVETICA, rawPdf, stream } from '../../helpers/raw-pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** All bytes of the redacted file, uncompressed. */
async function plain(name: string, source: Uint8Array, area: string): Promise<string> {
  const { paths } = await run(redactPdf, folder, [writePdf(folder, `${name}.pdf`, source)], { areas: [area] })
  const args = ['--qdf', '--object-streams=disable', '--decode-level=all', 'a.pdf', 'b.pdf']
  const { files } = await runQpdf(args, { 'a.pdf': readFileSync(paths[0] ?? '') })
  return Buffer.from(files.get('b.pdf') ?? '').toString('latin1')
}

const at = (y: number) => `/Rect [20 ${y} 120 ${y + 20}] /F 4`
const page = (entries: string, resources = '') =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> ${resources} >> ${entries} >>`
const appearance = (text: string) =>
  stream(
    `BT /F1 12 Tf 2 5 Td (${text}) Tj ET`,
    '/Type /XObject /Subtype /Form /BBox [0 0 100 20] /Resources << /Font << /F1 5 0 R >> >>',
  )

test('a removed annotation leaves nothing, although tags and replies refer to it', async () => {
  const source = rawPdf({
    1: '<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >> /StructTreeRoot 7 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: page('/Annots [6 0 R 9 0 R 10 0 R]'),
    4: stream('BT /F1 12 Tf 20 10 Td (below) Tj ET'),
    5: HELVETICA,
    6: `<< /Type /Annot /Subtype /FreeText ${at(150)} /Contents (SECRET note) /DA (/F1 12 Tf 0 g) /StructParent 1 /P 3 0 R >>`,
    7: '<< /Type /StructTreeRoot /K [8 0 R 11 0 R] >>',
    8: '<< /Type /StructElem /S /Annot /P 7 0 R /Pg 3 0 R /K << /Type /OBJR /Obj 6 0 R >> /Alt (SECRET text) >>',
    9: `<< /Type /Annot /Subtype /Text ${at(20)} /Contents (a reply) /IRT 6 0 R >>`,
    10: `<< /Type /Annot /Subtype /Link ${at(170)} /A << /S /URI /URI (https://SECRET.example) >> /StructParent 2 >>`,
    11: '<< /Type /StructElem /S /Link /P 7 0 R /Pg 3 0 R /K [<< /Type /OBJR /Obj 10 0 R >> 0] >>',
  })
  const text = await plain('tagged', source, '1 0 0 100% 50%')
  expect(text).not.toContain('SECRET')
  expect(text).not.toMatch(/\/OBJR|\/IRT/)
  expect(text).toContain('(a reply)')
})

test('a field under an area loses its value and appearance on other pages; buttons keep their states', async () => {
  const source = rawPdf({
    1: '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [7 0 R 10 0 R 14 0 R] /DA (/F1 12 Tf 0 g) >> >>',
    2: '<< /Type /Pages /Kids [3 0 R 13 0 R] /Count 2 >>',
    3: page('/Annots [8 0 R 11 0 R 14 0 R]'),
    4: stream(''),
    5: HELVETICA,
    6: appearance('SECRET'),
    7: '<< /FT /Tx /T (name) /V (SECRET) /Kids [8 0 R 9 0 R] >>',
    8: `<< /Type /Annot /Subtype /Widget /Parent 7 0 R ${at(150)} /AP << /N 6 0 R >> >>`,
    9: `<< /Type /Annot /Subtype /Widget /Parent 7 0 R ${at(150)} /AP << /N 6 0 R >> /V (SECRET) >>`,
    10: '<< /FT /Btn /Ff 32768 /T (choice) /V /SECRET /Kids [11 0 R 12 0 R] >>',
    11: `<< /Type /Annot /Subtype /Widget /Parent 10 0 R ${at(120)} /AS /SECRET /AP << /N << /SECRET 15 0 R /Off 15 0 R >> >> >>`,
    12: `<< /Type /Annot /Subtype /Widget /Parent 10 0 R ${at(120)} /AS /Off /AP << /N << /other 15 0 R /Off 15 0 R >> >> >>`,
    13: page('/Annots [9 0 R 12 0 R]'),
    14: `<< /Type /Annot /Subtype /Widget /FT /Btn /Ff 65536 /T (send) ${at(180)} /MK << /CA (SECRET) >> /A << /S /JavaScript /JS (app.alert\\('SECRET'\\)) >> >>`,
    15: appearance('X'),
  })
  const text = await plain('fields', source, '1 0 0 100% 50%')
  expect(text).not.toContain('SECRET')
  expect(text).toMatch(/\/T \(name\)/)
  expect(text).toContain('/other ')
})

test('replacement texts of removed content are removed, and those of other content stay', async () => {
  const element = (number: number, texts: string) =>
    `<< /Type /StructElem /S /Span /P 12 0 R /Pg 3 0 R /K ${number} ${texts} >>`
  const words = (y: number, properties: string, text: string) =>
    `/Span ${properties} BDC BT /F1 12 Tf 20 ${y} Td (${text}) Tj ET EMC`
  const image = (y: number) =>
    `/Figure << /MCID ${y} /Alt (${y > 100 ? 'SECRET' : 'kept inline'}) >> BDC q 20 0 0 20 20 ${y} cm /I1 Do Q EMC`
  const source = rawPdf({
    1: '<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >> /StructTreeRoot 7 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: page(
      '/StructParents 0',
      '/XObject << /I1 6 0 R /X1 14 0 R >> /Properties << /P1 << /MCID 1 /E (SECRET) >> /P2 << /MCID 2 /E (kept named) >> >>',
    ),
    4: stream(
      [
        words(180, '<< /MCID 0 /ActualText (SECRET) /Alt <534543524554> >>', 'xxxx'),
        words(165, '/P1', 'yyyy'),
        words(60, '/P2', 'zzzz'),
        image(140),
        image(20),
        '/X1 Do',
      ].join(' '),
    ),
    5: HELVETICA,
    6: stream(
      '\x60'.repeat(16),
      '/Type /XObject /Subtype /Image /Width 4 /Height 4 /BitsPerComponent 8 /ColorSpace /DeviceGray',
    ),
    7: '<< /Type /StructTreeRoot /K [12 0 R] /ParentTree << /Nums [0 [8 0 R 9 0 R 10 0 R]] >> >>',
    8: element(0, '/E (SECRET)'),
    9: element(1, '/Alt (SECRET)'),
    10: element(2, '/Alt (kept by tag)'),
    11: '<< /Type /StructElem /S /Figure /P 12 0 R /Pg 3 0 R /K [<< /Type /MCR /MCID 140 >>] /Alt (SECRET) >>',
    12: '<< /Type /StructElem /S /Sect /P 7 0 R /K [8 0 R 9 0 R 10 0 R 11 0 R 13 0 R] /Alt (SECRET in all) >>',
    13: '<< /Type /StructElem /S /Figure /P 12 0 R /Pg 3 0 R /K 20 /Alt (kept picture) >>',
    14: stream(
      `${words(120, '<< /ActualText (SECRET) >>', 'in a form')} ${words(80, '<< /ActualText (kept in a form) >>', 'in a form')}`,
      '/Type /XObject /Subtype /Form /BBox [0 0 300 200] /Resources << /Font << /F1 5 0 R >> >>',
    ),
  })
  const text = await plain('replaced', source, '1 0 0 28 50%')
  expect(text).not.toMatch(/SECRET|534543524554/)
  expect(text.match(/\(kept [\w ]+\)/g)?.sort()).toEqual([
    '(kept by tag)',
    '(kept in a form)',
    '(kept inline)',
    '(kept named)',
    '(kept picture)',
  ])
})

/** A document with one page of 300 x 200 points. */
const onePage = (content: string, resources = '', form = '<< >>') =>
  rawPdf({
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: page('', resources),
    4: stream(content),
    5: HELVETICA,
    6: form,
  })

test('text of an inline image whose pixels are removed is removed with that of the sequence around it', async () => {
  const image = `BI /W 4 /H 4 /BPC 8 /CS /G /F /AHx ID ${'80'.repeat(16)}> EI`
  const content = `/Figure << /Alt (SECRET around) >> BDC /Span << /ActualText (SECRET) >> BDC
q 80 0 0 80 20 110 cm ${image} Q EMC EMC /Span << /Alt (kept) >> BDC 200 10 9 9 re f EMC`
  const text = await plain('inline', onePage(content), '1 0 0 50 50%')
  expect(text).not.toContain('SECRET')
  expect(text).toContain('(kept)')
})

test.each(['F#C3#A9', 'F#E9'])('replacement texts of a form with the name %s are removed', async (name) => {
  const words = '/Span << /ActualText (SECRET) >> BDC BT /F1 12 Tf 2 5 Td (xxxx) Tj ET EMC'
  const form = stream(words, '/Type /XObject /Subtype /Form /BBox [0 0 300 200]')
  const source = onePage(`q 1 0 0 1 20 170 cm /${name} Do Q`, `/XObject << /${name} 6 0 R >>`, form)
  expect(await plain(name.replaceAll('#', ''), source, '1 0 0 50 50%')).not.toContain('SECRET')
})

test('titles of elements with removed content are removed, also where the page is that of an element around or unknown', async () => {
  const words = [0, 1, 2].map((id) => `/P << /MCID ${id} >> BDC BT /F1 12 Tf 20 ${180 - id * 70} Td (xxxx) Tj ET EMC`)
  const element = (parent: number, kid: string, texts: string) =>
    `<< /Type /StructElem /S /P /P ${parent} 0 R /K ${kid} ${texts} >>`
  const source = rawPdf({
    1: '<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >> /StructTreeRoot 7 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: page('/StructParents 0'),
    4: stream(words.join(' ')),
    5: HELVETICA,
    6: element(8, '0', '/ActualText (SECRET of an inherited page) /T (SECRET title)'),
    7: '<< /Type /StructTreeRoot /K [8 0 R 9 0 R] >>',
    8: element(7, '[6 0 R 10 0 R]', '/Pg 3 0 R /T (SECRET around)'),
    9: element(7, '[11 0 R 12 0 R]', ''),
    10: element(8, '2', '/T (kept title)'),
    11: element(9, '<< /Type /MCR /MCID 0 >>', '/Alt (SECRET of an unknown page)'),
    12: element(9, '2', '/Alt (kept text)'),
  })
  const text = await plain('titles', source, '1 0 0 50 50%')
  expect(text).not.toContain('SECRET')
  expect(text).toContain('(kept title)')
  expect(text).toContain('(kept text)')
})

test('names that differ only in bytes which are not UTF-8: texts of both are removed', async () => {
  const words = (y: number, name: string) => `/Span /${name} BDC BT /F1 12 Tf 20 ${y} Td (xxxx) Tj ET EMC`
  const properties = '/Properties << /P#E8 << /ActualText (kept?) >> /P#E9 << /ActualText (SECRET) >> >>'
  const content = `${words(20, 'P#E8')} ${words(180, 'P#E9')}`
  expect(await plain('properties', onePage(content, properties), '1 0 0 50 50%')).not.toContain('SECRET')
  const form = (y: number, text: string) =>
    stream(
      `/Span << /ActualText (${text}) >> BDC BT /F1 12 Tf 20 ${y} Td (xxxx) Tj ET EMC`,
      '/Type /XObject /Subtype /Form /BBox [0 0 300 200] /Resources << /Font << /F1 5 0 R >> >>',
    )
  const forms = rawPdf({
    ...{ 1: '<< /Type /Catalog /Pages 2 0 R >>', 2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>' },
    ...{ 3: page('', '/XObject << /F#E8 6 0 R /F#E9 7 0 R >>'), 4: stream('/F#E8 Do /F#E9 Do'), 5: HELVETICA },
    ...{ 6: form(20, 'below'), 7: form(180, 'SECRET') },
  })
  expect(await plain('forms', forms, '1 0 0 50 50%')).not.toContain('SECRET')
})

test('an element that refers to an image or a form loses its texts with the drawing', async () => {
  const element = (number: number, object: number, text: string) => ({
    [number]: `<< /Type /StructElem /S /Figure /P 7 0 R /Pg 3 0 R /K << /Type /OBJR /Obj ${object} 0 R >> /Alt (${text}) >>`,
  })
  const form = (y: number, text: string) =>
    stream(
      `BT /F1 12 Tf 20 ${y} Td (${text}) Tj ET`,
      '/Type /XObject /Subtype /Form /BBox [0 0 300 200] /Resources << /Font << /F1 5 0 R >> >>',
    )
  const image = (level: string) =>
    stream(
      level.repeat(16),
      '/Type /XObject /Subtype /Image /Width 4 /Height 4 /BitsPerComponent 8 /ColorSpace /DeviceGray',
    )
  const content = 'q 40 0 0 40 5 150 cm /I1 Do Q q 40 0 0 40 5 20 cm /I2 Do Q /X1 Do /X2 Do'
  const source = rawPdf({
    1: '<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >> /StructTreeRoot 7 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: page('', '/XObject << /I1 6 0 R /I2 8 0 R /X1 9 0 R /X2 10 0 R >>'),
    ...{ 4: stream(content), 5: HELVETICA, 6: image('a'), 8: image('b') },
    ...{ 9: form(180, 'SECRET'), 10: form(20, 'below') },
    7: '<< /Type /StructTreeRoot /K [11 0 R 12 0 R 13 0 R 14 0 R] >>',
    ...element(11, 6, 'SECRET image'),
    ...element(12, 8, 'kept image'),
    ...element(13, 9, 'SECRET form'),
    ...element(14, 10, 'kept form'),
  })
  const text = await plain('objects', source, '1 0 0 100 50%')
  expect(text).not.toContain('SECRET')
  expect(text).toContain('(kept image)')
  expect(text).toContain('(kept form)')
  expect(text.match(/\/OBJR/g)).toHaveLength(2)
})

test('attributes, classes, identifiers and files of elements with removed content are removed', async () => {
  const element = (entries: string) => `<< /Type /StructElem /S /TD /P 8 0 R /Pg 3 0 R ${entries} >>`
  const source = rawPdf({
    1: '<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >> /StructTreeRoot 7 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: page('/StructParents 0'),
    4: stream(
      [0, 1].map((id) => `/P << /MCID ${id} >> BDC BT /F1 9 Tf 20 ${180 - id * 150} Td (x) Tj ET EMC`).join(' '),
    ),
    5: HELVETICA,
    6: stream('<math>SECRET</math>', '/Type /EmbeddedFile'),
    7: `<< /Type /StructTreeRoot /K 8 0 R /ClassMap << /C1 << /O /Table /Summary (SECRET) >> /C2 << /O /Table /Summary (kept class) >> >>
/IDTree << /Kids [<< /Limits [(SECRETid) (kept id)] /Names [(SECRETid) 9 0 R (kept id) 10 0 R] >>] >> >>`,
    8: '<< /Type /StructElem /S /Table /P 7 0 R /K [9 0 R 10 0 R] /A [<< /O /Table /Summary (SECRET) >> 0] /C /C1 >>',
    9: element(
      '/K 0 /ID (SECRETid) /Phoneme (SECRET) /AF [<< /Type /Filespec /F (SECRET) /EF << /F 6 0 R >> >>] /A << /O /UserProperties /P [<< /N (SECRET) /V 1 >>] >>',
    ),
    10: element(
      '/K 1 /C /C2 /ID (kept id) /A [<< /O /Table /Headers [(SECRETid) (kept id)] >> << /O /PrintField /Desc (kept description) >>]',
    ),
  })
  const text = await plain('attributes', source, '1 0 0 50 50%')
  expect(text).not.toContain('SECRET')
  for (const kept of ['kept class', 'kept id', 'kept description']) expect(text).toContain(`(${kept})`)
  expect(text.match(/\(kept id\)/g)).toHaveLength(3)
})

test('a shading under an area is left, and its texts are removed', async () => {
  const shading =
    '/Shading << /S1 << /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 300 0] /Function << /FunctionType 2 /Domain [0 1] /C0 [0] /C1 [1] /N 1 >> >> >>'
  const clipped = (clip: string) => `/Figure << /Alt (SECRET) >> BDC q ${clip} W n /S1 sh Q EMC`
  const warningsOf = async (name: string, clip: string) => {
    const path = writePdf(folder, `${name}.pdf`, onePage(clipped(clip), shading))
    return (await run(redactPdf, folder, [path], { areas: ['1 0 0 50 50%'] })).warnings
  }
  const source = onePage(
    `${clipped('10 150 30 30 re')} /Span << /Alt (kept) >> BDC BT /F1 12 Tf 20 20 Td (x) Tj ET EMC`,
    shading,
  )
  const text = await plain('shading', source, '1 0 0 50 50%')
  expect(text).not.toContain('SECRET')
  expect(text).toContain('(kept)')
  expect(await warningsOf('inside', '10 150 30 30 re')).toContainEqual(expect.stringContaining('still'))
  expect(await warningsOf('shape', '10 150 m 50 190 200 190 250 30 c h')).toContainEqual(
    expect.stringContaining('still'),
  )
  // A background.
  expect(await warningsOf('background', '0 0 300 200 re')).toEqual([])
  expect(await warningsOf('beside', '100 0 200 200 re')).toEqual([])
})

test('a tiling pattern of a removed drawing is removed; one that is drawn elsewhere is left with a warning', async () => {
  const pattern = stream(
    '/Span << /ActualText (SECRET) >> BDC BT /F1 12 Tf 2 2 Td (xx) Tj ET EMC',
    '/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 20 20] /XStep 20 /YStep 20 /Resources << /Font << /F1 5 0 R >> >>',
  )
  const draw = (box: string) => `/Pattern cs /P1 scn ${box} re f `
  const write = (name: string, content: string) =>
    writePdf(folder, `${name}.pdf`, onePage(content, '/Pattern << /P1 6 0 R >>', pattern))
  const text = await plain('pattern', onePage(draw('0 150 50 50'), '/Pattern << /P1 6 0 R >>', pattern), '1 0 0 50 50%')
  expect(text).not.toContain('SECRET')
  const areas = ['1 0 0 50 50%']
  const left = await run(redactPdf, folder, [write('left', draw('0 150 50 50') + draw('100 10 90 90'))], { areas })
  expect(left.warnings).toContainEqual(expect.stringContaining('still'))
  const beside = await run(redactPdf, folder, [write('beside-it', draw('100 10 90 90'))], { areas })
  expect(beside.warnings).toEqual([])
})
