import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PDFDict, PDFDocument, PDFName, PDFString, StandardFonts } from 'pdf-lib'
import { describe, expect, test } from 'vitest'
import { sampleForm } from '../../../src/generate/assets/sample-documents.ts'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { renderPage } from '../../../src/media/pdf/page/render.ts'
import exportForm from '../../../tools/pdf/forms/export-form.ts'
import fillForm from '../../../tools/pdf/forms/fill-form.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, hasPdftotext, makeEncryptedPdf, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { rawPdf } from '../../helpers/raw-pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const form = await sampleForm()

async function filled(name: string, source: Uint8Array, values: object, settings: Record<string, unknown> = {}) {
  const { paths, warnings } = await run(fillForm, folder, [writePdf(folder, `${name}.pdf`, source)], {
    values: JSON.stringify(values),
    ...settings,
  })
  const bytes = readFileSync(paths[0]!)
  expect(await complaints(bytes)).toEqual([])
  return { bytes, warnings, path: paths[0]! }
}

async function exported(bytes: Uint8Array, name: string): Promise<Array<Record<string, unknown>>> {
  const { paths } = await run(exportForm, folder, [writePdf(folder, `${name}.pdf`, bytes)], {})
  return JSON.parse(readFileSync(paths[0]!, 'utf8')) as Array<Record<string, unknown>>
}

const valuesOf = (fields: Array<Record<string, unknown>>) =>
  Object.fromEntries(fields.map(({ name, value }) => [name, value]))

/** Darkness of a page (72 dpi) within a box, from 0 to 1. */
async function ink(bytes: Uint8Array, [left, top, width, height]: readonly number[]): Promise<number> {
  const document = await openPdf(bytes)
  const image = await renderPage(document, 1, { dpi: 72 })
  document.close()
  let dark = 0
  for (let y = top!; y < top! + height!; y++)
    for (let x = left!; x < left! + width!; x++) if (image.data[(y * image.width + x) * 3]! < 128) dark++
  return dark / (width! * height!)
}

const REMARKS = [195, 416, 330, 80] as const
const ALL = {
  name: 'Софья Ковалевская (née Корвин) 日本',
  member: '18500115',
  course: 'Masters',
  days: ['Monday', 'Friday'],
  payment: 'cash',
  newsletter: true,
  remarks: 'First line\nand a second one that is long enough to be broken into two lines of the box by the tool',
}

test('fills every kind of field; readers and pdf-lib see the values', async () => {
  const { bytes, path, warnings } = await filled('all', form, ALL)
  expect(warnings).toEqual([])
  expect(valuesOf(await exported(bytes, 'all-filled'))).toEqual({ ...ALL, price: '120.00 EUR' })
  const read = (await PDFDocument.load(bytes)).getForm()
  expect(read.getTextField('name').getText()).toBe(ALL.name)
  expect(read.getOptionList('days').getSelected()).toEqual(ALL.days)
  expect(read.getRadioGroup('payment').getSelected()).toBe('cash')
  expect(read.getCheckBox('newsletter').isChecked()).toBe(true)
  const poppler = hasPdftotext() ? execFileSync('pdftotext', ['-layout', path, '-'], { encoding: 'utf8' }) : ''
  if (poppler !== '') {
    for (const text of ['Софья Ковалевская (née Корвин) 日本', 'Masters', 'First line'])
      expect(poppler.replace(/\s+/g, ' ')).toContain(text)
    expect(poppler).toMatch(/1\s*8\s*5\s*0\s*0\s*1\s*1\s*5/)
  }
  // The dot of the third button, and three lines of remarks.
  expect(await ink(bytes, [414, 327, 9, 9])).toBeGreaterThan(0.1)
  expect(await ink(bytes, [194, 327, 9, 9])).toBe(0)
  expect(await ink(bytes, REMARKS)).toBeGreaterThan(0.02)
  expect(await ink(form, REMARKS)).toBe(0)
})

test('flattened, the values are content of the page, and no field is left', async () => {
  const { bytes } = await filled('flat', form, { name: 'Ада', newsletter: 'yes' }, { flatten: true })
  expect((await pageTexts(bytes))[0]).toContain('Ада')
  expect((await PDFDocument.load(bytes)).catalog.get(PDFName.of('AcroForm'))).toBeUndefined()
})

test('a table fills a document for each row; values of the setting apply to all', async () => {
  const data = join(folder, 'people.csv')
  writeFileSync(data, 'name,newsletter,course\nAda,true,\nSofja,no,advanced\n')
  const source = writePdf(folder, 'rows.pdf', form)
  const { paths, names } = await run(fillForm, folder, [source], { values: 'member: 007' }, { secondary: { data } })
  expect(names).toEqual(['rows_filled-1.pdf', 'rows_filled-2.pdf'])
  const read = await Promise.all(paths.map(async (path) => (await PDFDocument.load(readFileSync(path))).getForm()))
  expect(read.map((one) => [one.getTextField('name').getText(), one.getTextField('member').getText()])).toEqual([
    ['Ada', '007'],
    ['Sofja', '007'],
  ])
  expect(read.map((one) => one.getCheckBox('newsletter').isChecked())).toEqual([true, false])
  expect(read.map((one) => one.getDropdown('course').getSelected())).toEqual([[], ['Advanced']])
})

test('YAML, nested names, null and lists', async () => {
  const source = await makePdf({ formField: { name: 'person.name', value: 'old' } })
  const data = join(folder, 'one.yaml')
  writeFileSync(data, 'person:\n  name: "0042"\n')
  const { paths } = await run(fillForm, folder, [writePdf(folder, 'y.pdf', source)], {}, { secondary: { data } })
  expect((await PDFDocument.load(readFileSync(paths[0]!))).getForm().getTextField('person.name').getText()).toBe('0042')
  const { bytes } = await filled('null', source, { person: { name: null } })
  expect((await PDFDocument.load(bytes)).getForm().getTextField('person.name').getText()).toBe('old')
})

test('text that is too long for its box is a warning', async () => {
  const { warnings } = await filled('long', form, { name: 'x'.repeat(200) })
  expect(warnings).toEqual(['The text is too long for the box of 1 field: name'])
})

test('keeps the rotation of a box, its alignment and its size that fits', async () => {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.TimesRoman)
  const page = document.addPage([300, 300])
  const field = document.getForm().createTextField('side')
  field.addToPage(page, { x: 100, y: 50, width: 30, height: 200, font })
  const widget = field.acroField.getWidgets()[0]!.dict
  widget.set(PDFName.of('MK'), document.context.obj({ R: 90 }))
  field.acroField.dict.set(PDFName.of('DA'), PDFString.of('/TiRo 0 Tf 1 0 0 rg'))
  field.acroField.dict.set(PDFName.of('Q'), document.context.obj(2))
  const { bytes } = await filled('turned', await document.save(), { side: 'WWW' })
  const read = await openPdf(bytes)
  const { width, data } = await renderPage(read, 1, { dpi: 72 })
  read.close()
  // Turned by 90 degrees, the right end of the line is at the top; letters are red.
  const red = (top: number, height: number) => {
    let count = 0
    for (let y = top; y < top + height; y++)
      for (let x = 100; x < 130; x++) {
        const [r, g] = [data[(y * width + x) * 3]!, data[(y * width + x) * 3 + 1]!]
        if (r > 200 && g < 100) count++
      }
    return count
  }
  expect(red(50, 100)).toBeGreaterThan(100)
  expect(red(150, 100)).toBe(0)
})

describe('refused', () => {
  test.each<[string, object, string, string]>([
    ['an unknown field', { nam: 'x' }, 'The form has no field nam', 'Did you mean name?'],
    ['an invalid choice', { course: 'Expert' }, 'has no choice Expert', 'Beginners, Advanced, Masters'],
    ['a state that does not exist', { payment: 'gold' }, 'has no choice gold', 'card, transfer, cash'],
    ['too many characters', { member: '123456789' }, 'takes at most 8 characters, and got 9', 'Shorten'],
    ['a read-only field', { price: '0' }, 'is read-only', 'readOnly'],
    ['several lines for one', { name: 'a\nb' }, 'has one line', 'Join'],
    ['several choices for one', { course: ['Advanced', 'Masters'] }, 'takes one choice', ''],
  ])('%s', async (name, values, message, hint) => {
    const path = writePdf(folder, `${name}.pdf`, form)
    await expect(run(fillForm, folder, [path], { values: JSON.stringify(values) })).rejects.toMatchObject({
      code: 'TARGET_UNREACHABLE',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    })
  })

  test.each([[{}], [{ values: '[1]' }], [{ values: '{a: {' }], [{ values: '- a: 1\n- a: 2' }]])(
    '%j',
    async (settings) => {
      const path = writePdf(folder, 'plain.pdf', form)
      await expect(run(fillForm, folder, [path], settings)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
    },
  )

  test('a document without fields', async () => {
    const path = writePdf(folder, 'none.pdf', await makePdf())
    await expect(run(fillForm, folder, [path], { values: 'a: 1' })).rejects.toMatchObject({
      message: 'The document has no form fields',
    })
    await expect(run(exportForm, folder, [path], {})).rejects.toMatchObject({ code: 'TARGET_UNREACHABLE' })
  })

  test('fields in a loop, and too deep', async () => {
    const tree = (fields: Record<number, string>) =>
      rawPdf({
        1: '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R] >> >>',
        2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>',
        ...fields,
      })
    const loop = tree({ 4: '<< /T (a) /FT /Tx /Kids [5 0 R] >>', 5: '<< /T (b) /Parent 4 0 R /Kids [4 0 R] >>' })
    const deep = tree(
      Object.fromEntries(
        Array.from({ length: 200 }, (_, at) => [at + 4, `<< /T (f) /FT /Tx /Kids [${at + 5} 0 R] >>`]),
      ),
    )
    for (const [name, source] of Object.entries({ loop, deep })) {
      const path = writePdf(folder, `${name}.pdf`, source)
      await expect(run(exportForm, folder, [path], {})).rejects.toMatchObject({ code: 'INVALID_FILE' })
      await expect(run(fillForm, folder, [path], { values: 'a: 1' })).rejects.toMatchObject({ code: 'INVALID_FILE' })
    }
  })
})

test('a read-only field is filled on request, and the XFA copy is removed', async () => {
  const document = await PDFDocument.load(form)
  const dictionary = document.catalog.lookup(PDFName.of('AcroForm'), PDFDict)
  dictionary.set(PDFName.of('XFA'), document.context.register(document.context.stream('<xdp/>')))
  const { bytes, warnings } = await filled('xfa', await document.save(), { price: '1' }, { readOnly: true })
  expect(warnings).toEqual(['The XFA form is left out; the fields of the plain form stay'])
  expect(Buffer.from(bytes).includes('XFA')).toBe(false)
  expect((await PDFDocument.load(bytes)).getForm().getTextField('price').getText()).toBe('1')
})

test('an encrypted form needs its password', async () => {
  const source = await makeEncryptedPdf('open', 'own', { formField: { name: 'a', value: '' } })
  const path = writePdf(folder, 'locked.pdf', source)
  await expect(run(fillForm, folder, [path], { values: 'a: 1' })).rejects.toMatchObject({ code: 'PASSWORD_PROTECTED' })
})

test('exports types, choices, pages and places, as JSON, CSV and FDF', async () => {
  const fields = await exported(form, 'export')
  expect(fields.map(({ type }) => type)).toEqual([
    'text',
    'text',
    'dropdown',
    'list',
    'radio',
    'checkbox',
    'text',
    'text',
  ])
  expect(fields[1]).toMatchObject({ name: 'member', page: 1, maxLength: 8, rectangle: [189.5, 157.39, 201, 25] })
  const path = writePdf(folder, 'formats.pdf', (await filled('source', form, ALL)).bytes)
  const csv = readFileSync((await run(exportForm, folder, [path], { format: 'csv' })).paths[0]!, 'utf8')
  expect(csv.split(/\r?\n/)[4]).toBe(
    'days,list,Monday | Friday,Monday | Wednesday | Friday,1,189.5,242.39,201,55,false,false,',
  )
  const fdf = readFileSync((await run(exportForm, folder, [path], { format: 'fdf' })).paths[0]!, 'latin1')
  expect(fdf).toContain('<< /T (member) /V (18500115) >>')
  expect(fdf).toContain('<< /T (payment) /V /cash >>')
  expect(fdf).toContain('/V <FEFF0421')
})

test('missing and null objects of a form are passed over', async () => {
  const source = rawPdf({
    1: '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [99 0 R null 6 0 R 7 0 R 8 0 R] /DA 5 >> >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Annots [99 0 R null 5 (x) 6 0 R 8 0 R] >>',
    6: '<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /Rect [null 60] /MK 5 /BS /x /V 99 0 R /Opt [null 99 0 R []] >>',
    7: '<< /FT /Ch /T (list) /Opt [null 99 0 R [] [null] 5 (one)] /Kids [null 99 0 R 6] >>',
    8: '<< /Type /Annot /Subtype /Widget /FT /Tx /T (boxless) /Rect null >>',
  })
  const fields = await exported(source, 'nulls')
  expect(fields.map(({ name, value }) => [name, value])).toEqual([
    ['name', ''],
    ['list', ''],
    ['boxless', ''],
  ])
})
