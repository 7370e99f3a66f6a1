/** The PDFs among the samples. */
import { PDFDocument, rgb, StandardFonts } from 'pdf-lib'
import { openSharp } from '../../engines/sharp.ts'
import { openPdf } from '../../media/pdf/document.ts'
import { landscape } from './sample-drawings.ts'

const A4 = [595.28, 841.89] as const

const FIXED_DATE = new Date(Date.UTC(2026, 0, 1))

async function newDocument(title: string): Promise<PDFDocument> {
  const document = await PDFDocument.create()
  document.setTitle(title)
  document.setCreationDate(FIXED_DATE)
  document.setModificationDate(FIXED_DATE)
  return document
}

const PARAGRAPH =
  'One tool for a job that many tools do in part: a file must become another file. It should be right on real ' +
  'files, quick, honest about what it cannot do, and it should leave nothing half done.'

/** Three pages with headings, text and a picture. */
export async function sampleReport(): Promise<Uint8Array> {
  const document = await newDocument('Sample report')
  const [regular, bold] = await Promise.all([
    document.embedFont(StandardFonts.Helvetica),
    document.embedFont(StandardFonts.HelveticaBold),
  ])
  const picture = await document.embedJpg(
    await (await openSharp(Buffer.from(landscape(1600, 1000)))).jpeg({ quality: 95 }).toBuffer(),
  )
  for (const [index, heading] of ['Summary', 'Findings', 'Outlook'].entries()) {
    const page = document.addPage([...A4])
    page.drawText(heading, { x: 60, y: 760, size: 28, font: bold, color: rgb(0.12, 0.23, 0.54) })
    for (let block = 0; block < 3; block += 1)
      page.drawText(PARAGRAPH, { x: 60, y: 715 - block * 90, size: 12, font: regular, lineHeight: 18, maxWidth: 475 })
    if (index === 1) page.drawImage(picture, { x: 60, y: 120, width: 475, height: 297 })
    page.drawText(String(index + 1), { x: 295, y: 40, size: 10, font: regular })
  }
  return document.save()
}

/** One page with a table. */
export async function sampleInvoice(): Promise<Uint8Array> {
  const document = await newDocument('Sample invoice')
  const font = await document.embedFont(StandardFonts.Helvetica)
  const page = document.addPage([...A4])
  page.drawText('Invoice 2026-0042', { x: 60, y: 760, size: 24, font })
  const lines = [
    ['Description', 'Quantity', 'Price'],
    ['Prints, matte', '12', '36.00'],
    ['Frames', '3', '54.00'],
    ['Total', '', '90.00'],
  ]
  for (const [row, cells] of lines.entries())
    for (const [column, cell] of cells.entries())
      page.drawText(cell, { x: 60 + column * 180, y: 700 - row * 26, size: 13, font })
  return document.save()
}

/** The invoice with its lines as an attached table. */
export async function sampleAttached(): Promise<Uint8Array> {
  const document = await PDFDocument.load(await sampleInvoice(), { updateMetadata: false })
  const lines = 'Description,Quantity,Price\r\n"Prints, matte",12,36.00\r\nFrames,3,54.00\r\n'
  const date = new Date(Date.UTC(2026, 5, 21))
  await document.attach(Buffer.from(lines), 'invoice-2026-0042.csv', {
    ...{ mimeType: 'text/csv', description: 'The lines of the invoice', creationDate: date, modificationDate: date },
  })
  return document.save()
}

/** A form with every kind of field. */
export async function sampleForm(): Promise<Uint8Array> {
  const document = await newDocument('Sample registration')
  const [font, bold] = await Promise.all([
    document.embedFont(StandardFonts.Helvetica),
    document.embedFont(StandardFonts.HelveticaBold),
  ])
  const page = document.addPage([...A4])
  const form = document.getForm()
  const ink = rgb(0.12, 0.23, 0.54)
  const look = { borderColor: rgb(0.55, 0.6, 0.7), backgroundColor: rgb(0.97, 0.98, 1), borderWidth: 1, font }
  page.drawText('Registration', { x: 60, y: 760, size: 28, font: bold, color: ink })
  const label = (text: string, y: number, x = 60) => page.drawText(text, { x, y: y + 7, size: 12, font })
  label('Name', 700)
  const name = form.createTextField('name')
  name.addToPage(page, { ...look, x: 190, y: 700, width: 340, height: 24 })
  label('Member number', 660)
  const member = form.createTextField('member')
  member.setMaxLength(8)
  member.enableCombing()
  member.addToPage(page, { ...look, x: 190, y: 660, width: 200, height: 24 })
  label('Course', 620)
  const course = form.createDropdown('course')
  course.setOptions(['Beginners', 'Advanced', 'Masters'])
  course.addToPage(page, { ...look, x: 190, y: 620, width: 200, height: 24 })
  label('Days', 560)
  const days = form.createOptionList('days')
  days.setOptions(['Monday', 'Wednesday', 'Friday'])
  days.enableMultiselect()
  days.addToPage(page, { ...look, x: 190, y: 545, width: 200, height: 54 })
  label('Payment', 500)
  const payment = form.createRadioGroup('payment')
  for (const [index, way] of ['card', 'transfer', 'cash'].entries()) {
    payment.addOptionToPage(way, page, { ...look, x: 190 + index * 110, y: 503, width: 16, height: 16 })
    label(way, 500, 212 + index * 110)
  }
  label('Newsletter', 460)
  form.createCheckBox('newsletter').addToPage(page, { ...look, x: 190, y: 463, width: 16, height: 16 })
  label('Remarks', 400)
  const remarks = form.createTextField('remarks')
  remarks.enableMultiline()
  remarks.addToPage(page, { ...look, x: 190, y: 340, width: 340, height: 90 })
  label('Price', 290)
  const price = form.createTextField('price')
  price.setText('120.00 EUR')
  price.enableReadOnly()
  price.addToPage(page, { ...look, x: 190, y: 290, width: 120, height: 24 })
  for (const field of [name, member, course, days, remarks, price]) field.setFontSize(12)
  return document.save()
}

/** People for the form; two rows, names beyond Latin-1. */
export const REGISTRATIONS = `name,member,course,days,payment,newsletter,remarks
Ada Lovelace,18151210,Advanced,Monday,card,true,Needs a seat in the first row.
Софья Ковалевская,18500115,Masters,Friday,cash,false,日本語も話します。
`

/** Values for the form. */
export const VALUES = '{"name": "Ada Lovelace", "course": "Advanced", "newsletter": true}\n'

/** The invoice behind a password. */
export async function sampleSecret(password: string): Promise<Uint8Array> {
  const document = await openPdf(await sampleInvoice())
  document.target.encryption = { userPassword: password, ownerPassword: password }
  return document.save().finally(() => document.close())
}
