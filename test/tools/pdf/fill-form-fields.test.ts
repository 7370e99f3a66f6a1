import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runQpdf } from '../../../src/engines/qpdf.ts'
import exportForm from '../../../tools/pdf/forms/export-form.ts'
import fillForm from '../../../tools/pdf/forms/fill-form.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { pageTexts } from '../../helpers/pdf.ts'
import { HELVETICA, rawPdf, stream } from '../../helpers/raw-pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** A page with these fields; 5 is a font, 11 the appearance of a state. */
const form = (
  fields: readonly number[],
  annotations: string,
  objects: Record<number, string>,
  style = '/F1 12 Tf 0 g',
) =>
  rawPdf({
    1: `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [${fields.map((number) => `${number} 0 R`).join(' ')}] /DA (${style}) >> >>`,
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Annots [${annotations}] >>`,
    5: HELVETICA,
    11: stream('', '/Type /XObject /Subtype /Form /BBox [0 0 20 20]'),
    ...objects,
  })

async function filled(name: string, source: Uint8Array, values: object, settings: object = {}): Promise<Buffer> {
  const path = writePdf(folder, `${name}.pdf`, source)
  const { paths } = await run(fillForm, folder, [path], { values: JSON.stringify(values), ...settings })
  return readFileSync(paths[0]!)
}

async function exported(name: string, source: Uint8Array): Promise<Array<{ name: string; value: unknown }>> {
  const { paths } = await run(exportForm, folder, [writePdf(folder, `${name}.pdf`, source)], {})
  return JSON.parse(readFileSync(paths[0]!, 'utf8'))
}

const widget = (y: number, entries: string) =>
  `<< /Type /Annot /Subtype /Widget /Rect [20 ${y} 220 ${y + 20}] /F 4 ${entries} >>`
const button = (y: number, entries: string, state: string) =>
  widget(y, `/FT /Btn ${entries} /AS /Off /AP << /N << /${state} 11 0 R /Off 11 0 R >> >>`)

test('states of buttons with names that are not UTF-8 keep their bytes', async () => {
  const source = form([6, 7], '8 0 R 9 0 R 7 0 R', {
    6: '<< /FT /Btn /Ff 32768 /T (sex) /V /Off /Kids [8 0 R 9 0 R] >>',
    7: button(100, '/T (ok)', 'Best#e4tigt'),
    8: button(150, '/Parent 6 0 R', 'm#e4nnlich'),
    9: button(120, '/Parent 6 0 R', 'w#c3#a4hlend'),
  })
  const bytes = await filled('latin', source, { sex: 'männlich', ok: true })
  expect((await exported('latin-filled', bytes)).map(({ value }) => value)).toEqual(['männlich', true])
  const { files } = await runQpdf(['--qdf', '--object-streams=disable', 'a.pdf', 'b.pdf'], { 'a.pdf': bytes })
  const text = Buffer.from(files.get('b.pdf') ?? '').toString('latin1')
  expect(text.match(/\/(?:AS|V) \/\S+/g)?.sort()).toEqual([
    '/AS /Best#e4tigt',
    '/AS /Off',
    '/AS /m#e4nnlich',
    '/V /Best#e4tigt',
    '/V /m#e4nnlich',
  ])
  const other = await filled('utf8', source, { sex: 'wählend' })
  expect((await exported('utf8-filled', other))[0]?.value).toBe('wählend')
})

test('all fields of one name are filled, and boxes keep no old value', async () => {
  const source = form([6, 7, 8], '6 0 R 7 0 R 9 0 R', {
    6: widget(150, '/FT /Tx /T (name) /V (old)'),
    7: widget(120, '/FT /Tx /T (name)'),
    8: '<< /FT /Tx /T (other) /V (old) /Kids [9 0 R] >>',
    9: widget(90, '/Parent 8 0 R /V (old) /RV (<p>old</p>)'),
  })
  const bytes = await filled('same', source, { name: 'Ada', other: 'Grace' })
  expect((await exported('same-filled', bytes)).map(({ name, value }) => [name, value])).toEqual([
    ['name', 'Ada'],
    ['name', 'Ada'],
    ['other', 'Grace'],
  ])
  const flat = await filled('flat', source, { name: 'Ada', other: 'Grace' }, { flatten: true })
  expect((await pageTexts(flat))[0]?.match(/Ada|Grace|old/g)).toEqual(['Ada', 'Ada', 'Grace'])
  expect(bytes.toString('latin1')).not.toContain('old')
})

test('the font and colours of a default appearance that is endless, or has several, are read', async () => {
  const long = '/'.repeat(200_000) + '1 '.repeat(100_000) + '1'.repeat(200_000)
  for (const style of [long, '0 g/F1 12 Tf 1 0 0 rg 0 0 1 rg']) {
    const source = form([6], '6 0 R', { 6: widget(150, '/FT /Tx /T (name)') }, style)
    const bytes = await filled('style', source, { name: 'Ada' })
    const { files } = await runQpdf(['--qdf', '--object-streams=disable', 'a.pdf', 'b.pdf'], { 'a.pdf': bytes })
    const text = Buffer.from(files.get('b.pdf') ?? '').toString('latin1')
    const drawn = text.slice(text.indexOf('/Tx BMC'), text.indexOf('EMC'))
    expect(/[\d.]+ [\d.]+ [\d.]+ rg/.exec(drawn)?.[0]).toBe(style === long ? '0 0 0 rg' : '0 0 1 rg')
  }
})

test.each(['Kids', 'Opt'])('fields that share a long list of %s are too many', async (key) => {
  const field = (name: string) => `<< /FT /Ch /T (${name}) /${key} 8 0 R >>`
  const source = form([6, 7], '', { 6: field('one'), 7: field('two'), 8: `[${'0 '.repeat(500_001)}]` })
  await expect(exported('shared', source)).rejects.toMatchObject({ code: 'INVALID_FILE' })
})
