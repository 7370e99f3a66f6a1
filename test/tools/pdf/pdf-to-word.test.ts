import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PDFDocument, PDFName, type PDFPage, PDFString, PDFDocument as Pdf, rgb, StandardFonts } from 'pdf-lib'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseXml } from '../../../src/engines/xml.ts'
import pdfToWord from '../../../tools/pdf/convert/pdf-to-word.ts'
import { makePdf } from '../../helpers/pdf.ts'
import { readZip } from '../../helpers/raw-zip.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

interface Word {
  document: string
  parts: Map<string, Buffer>
  warnings: string[]
  /** Properties and text of each paragraph. */
  paragraphs: { xml: string; text: string; style: string }[]
}

const textOf = (xml: string): string =>
  xml
    .replace(/<w:tab\/>/g, '\t')
    .replace(/<w:br\/>/g, '\n')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')

async function word(name: string, bytes: Uint8Array): Promise<Word> {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  const { paths, names, warnings } = await run(pdfToWord, folder, [path])
  expect(names).toEqual([name.replace('.pdf', '.docx')])
  const parts = new Map((await readZip(paths[0]!)).map((entry) => [entry.name, entry.data]))
  for (const [part, data] of parts) if (/\.(xml|rels)$/.test(part)) await parseXml(data.toString(), part)
  const document = parts.get('word/document.xml')!.toString()
  const paragraphs = document.match(/<w:p>(?:(?!<\/w:p>)[\s\S])*<\/w:p>/g)!.map((xml) => ({
    xml,
    text: textOf(xml),
    style: /<w:pStyle w:val="(\w+)"/.exec(xml)?.[1] ?? '',
  }))
  return { document, parts, warnings, paragraphs }
}

interface Pen {
  pdf: PDFDocument
  page: PDFPage
  /** Writes at a height from the top of the page; points. */
  write(text: string, y: number, options?: { x?: number; size?: number; font?: keyof typeof FONTS }): void
  /** Writes words of several fonts in a row; returns where the last ones start. */
  row(y: number, x: number, words: string[], looks: Readonly<Record<string, keyof typeof FONTS>>): number
}

const FONTS = {
  plain: StandardFonts.Helvetica,
  bold: StandardFonts.HelveticaBold,
  italic: StandardFonts.HelveticaOblique,
  mono: StandardFonts.Courier,
} as const

/** A document of A5 pages with given drawing functions. */
async function drawn(...pages: ((pen: Pen) => Promise<void> | void)[]): Promise<Uint8Array> {
  const pdf = await Pdf.create({ updateMetadata: false })
  const fonts = Object.fromEntries(
    await Promise.all(Object.entries(FONTS).map(async ([name, font]) => [name, await pdf.embedFont(font)] as const)),
  ) as Record<keyof typeof FONTS, Awaited<ReturnType<typeof pdf.embedFont>>>
  for (const draw of pages) {
    const page = pdf.addPage([420, 595])
    await draw({
      pdf,
      page,
      row: (y, from, words, looks) => {
        let [x, last] = [from, from]
        for (const text of words) {
          const font = fonts[looks[text] ?? 'plain']
          page.drawText(text, { x, y: 595 - y, size: 10, font })
          last = x
          x += font.widthOfTextAtSize(text, 10)
        }
        return last
      },
      write: (text, y, { x = 50, size = 10, font = 'plain' } = {}) =>
        page.drawText(text, { x, y: 595 - y, size, font: fonts[font] }),
    })
  }
  return pdf.save({ useObjectStreams: false })
}

const BODY = [
  'The lake is quiet early in the year, and nobody but the herons knows what the wa-',
  'ter holds; the coots come later, when the ice has gone from the bays in the east,',
  'and stay until autumn.',
]

function link(pdf: PDFDocument, page: PDFPage, rect: number[], action: Record<string, unknown>): void {
  const annotation = pdf.context.obj({ Type: 'Annot', Subtype: 'Link', Rect: rect, Border: [0, 0, 0], ...action })
  const all = page.node.Annots()
  if (all) all.push(pdf.context.register(annotation))
  else page.node.set(PDFName.of('Annots'), pdf.context.obj([pdf.context.register(annotation)]))
}

describe('natural structure', () => {
  let made: Word
  beforeAll(async () => {
    const bytes = await drawn(
      ({ pdf, page, write, row }) => {
        write('Two days at the lake', 60, { size: 24, font: 'bold' })
        write('What we saw', 100, { size: 14, font: 'bold' })
        for (const [index, line] of BODY.entries()) write(line, 125 + index * 12)
        // A new paragraph by its indent, with character formatting.
        const x = row(161, 62, ['Some words are ', 'bold ', 'and some ', 'slanted ', 'or ', 'linked'], {
          'bold ': 'bold',
          'slanted ': 'italic',
        })
        page.drawLine({ start: { x: 62, y: 432.5 }, end: { x: 90, y: 432.5 }, thickness: 0.6 })
        link(pdf, page, [x - 1, 430, x + 40, 445], { A: { S: 'URI', URI: PDFString.of('https://example.com/a') } })
        write('\u2022', 190, { x: 56 })
        write('ducks', 190, { x: 70 })
        write('\u2022', 203, { x: 56 })
        write('swans', 203, { x: 70 })
        write('1.', 216, { x: 72 })
        write('grey', 216, { x: 86 })
        write('2.', 229, { x: 72 })
        write('white', 229, { x: 86 })
        write('$ mediaproc --help', 260, { font: 'mono' })
        write('usage: mediaproc', 272, { x: 62, font: 'mono' })
        write('The text continues here, over the end of the page it started on, and it does so', 560)
      },
      ({ write }) => {
        write('without a break in it.', 60)
        write('The end.', 90)
      },
    )
    made = await word('lake.pdf', bytes)
  })
  const find = (text: string) => made.paragraphs.find((one) => one.text.includes(text))!

  test('headings by their size, whole paragraphs, joined hyphenated words', () => {
    expect(find('Two days')).toMatchObject({ text: 'Two days at the lake', style: 'Heading1' })
    expect(find('What we saw')).toMatchObject({ style: 'Heading2' })
    expect(find('The lake is quiet').text).toBe(BODY.join(' ').replace('wa- ter', 'water'))
    expect(find('The text continues').text).toBe(
      'The text continues here, over the end of the page it started on, and it does so without a break in it.',
    )
    expect(find('The end.').text).toBe('The end.')
    expect(made.warnings).toEqual([])
  })

  test('character formatting and links', () => {
    const { xml, text } = find('Some words')
    expect(text).toBe('Some words are bold and some slanted or linked')
    const look = (word: string) =>
      xml.match(/<w:r>(?:(?!<\/w:r>).)*<\/w:r>/g)!.find((run) => textOf(run).includes(word))
    expect(look('bold')).toContain('<w:b/>')
    expect(look('slanted')).toContain('<w:i/>')
    expect(look('Some')).toContain('<w:u w:val="single"/>')
    expect(look(' are')).not.toMatch(/<w:[biu][ /]/)
    const id = /<w:hyperlink w:history="1" r:id="(\w+)">(?:(?!<\/w:hyperlink>).)*>linked</.exec(xml)![1]
    expect(made.parts.get('word/_rels/document.xml.rels')!.toString()).toMatch(
      new RegExp(`Id="${id}"[^>]*Target="https://example.com/a"`),
    )
  })

  test('nested lists, and code line by line', () => {
    const level = (text: string) => /<w:ilvl w:val="(\d)"\/><w:numId w:val="(\d+)"\/>/.exec(find(text).xml)!.slice(1)
    expect([level('ducks')[0], level('swans')[0], level('grey')[0], level('white')[0]]).toEqual(['0', '0', '1', '1'])
    expect(level('grey')[1]).toBe(level('white')[1])
    expect(level('ducks')[1]).not.toBe(level('grey')[1])
    expect(find('ducks').text).toBe('ducks')
    expect(find('mediaproc')).toMatchObject({ text: '$ mediaproc --help\n  usage: mediaproc', style: 'Code' })
  })

  test('pages of the same size, letters of the same family', () => {
    expect(made.document).toContain('<w:pgSz w:w="8400" w:h="11900"')
    expect(made.parts.get('word/styles.xml')!.toString()).toMatch(/<w:rPrDefault>.*Arial.*<w:sz w:val="20"\/>/)
  })
})

test('ruled tables keep their cells, also merged ones; finds tables without rules by alignment', async () => {
  const { document, paragraphs } = await word(
    'tables.pdf',
    await drawn(({ page, write }) => {
      const rule = (x0: number, y0: number, x1: number, y1: number): void =>
        page.drawLine({ start: { x: x0, y: 595 - y0 }, end: { x: x1, y: 595 - y1 }, thickness: 0.5 })
      write('Some text before the first table.', 40)
      for (const y of [60, 80, 100, 120]) rule(50, y, 350, y)
      for (const x of [50, 350]) rule(x, 60, x, 120)
      rule(150, 60, 150, 120)
      rule(250, 60, 250, 80)
      rule(250, 100, 250, 120)
      const words = [
        ['bird', 55, 74],
        ['seen', 155, 74],
        ['place', 255, 74],
        ['coot', 55, 94],
        ['everywhere on the lake', 155, 94],
        ['heron', 55, 114],
        ['one', 225, 114],
        ['bay', 255, 114],
      ] as const
      for (const [text, x, y] of words) write(text, y, { x, font: y === 74 ? 'bold' : 'plain' })
      write('Some text between them.', 150)
      for (const [row, cells] of [
        ['Mon', '12', 'sun'],
        ['Tue', '7', 'rain and wind'],
        ['Wed', '31', 'snow'],
      ].entries())
        for (const [column, cell] of cells.entries()) write(cell, 180 + row * 14, { x: [60, 160, 230][column]! })
    }),
  )
  const [ruled, aligned, ...more] = document.match(/<w:tbl>(?:(?!<\/w:tbl>)[\s\S])*<\/w:tbl>/g)!
  expect(more).toEqual([])
  const rows = (table: string): string[][] =>
    table
      .match(/<w:tr>(?:(?!<\/w:tr>)[\s\S])*<\/w:tr>/g)!
      .map((row) => row.match(/<w:tc>(?:(?!<\/w:tc>)[\s\S])*<\/w:tc>/g)!.map(textOf))
  expect(rows(ruled!)).toEqual([
    ['bird', 'seen', 'place'],
    ['coot', 'everywhere on the lake'],
    ['heron', 'one', 'bay'],
  ])
  expect(ruled).toContain('<w:gridSpan w:val="2"/>')
  expect(ruled!.match(/<w:tblHeader\/>/g)).toHaveLength(1)
  expect(ruled).toMatch(/<w:jc w:val="right"\/>(?:(?!<\/w:p>).)*>one</)
  expect(rows(aligned!)).toEqual([
    ['Mon', '12', 'sun'],
    ['Tue', '7', 'rain and wind'],
    ['Wed', '31', 'snow'],
  ])
  const order = paragraphs.map(({ text }) => text).filter((text) => /before|place|between|snow/.test(text))
  expect(order).toEqual(['Some text before the first table.', 'place', 'Some text between them.', 'snow'])
})

test('reads columns one after the other, without making a table', async () => {
  const column = (name: string) => Array.from({ length: 6 }, (_, line) => `${name} line ${line + 1} is full of words`)
  const { document, paragraphs } = await word(
    'columns.pdf',
    await drawn(({ write }) => {
      for (const [index, name] of ['left', 'right'].entries())
        for (const [line, text] of column(name).entries())
          write(text, 60 + line * 12, { x: [50, 220][index]!, size: 9 })
    }),
  )
  expect(document).not.toContain('<w:tbl>')
  const text = paragraphs.map((one) => one.text).join(' ')
  expect(text.indexOf('left line 6')).toBeLessThan(text.indexOf('right line 1'))
})

test('columns, pages of another size, shading, colours, footnotes and sizes within a line are kept', async () => {
  const prose = (write: Pen['write'], x: number, name: string): void => {
    for (let line = 0; line < 12; line++)
      write(`${name} ${'abcdefghijkl'[line]} of the lake is quiet,`, 100 + line * 12, { x })
  }
  const { document, parts, paragraphs, warnings } = await word(
    'layout.pdf',
    await drawn(
      ({ page, write, row }) => {
        write('A title over both columns of the page', 60, { x: 110, size: 12, font: 'bold' })
        prose(write, 50, 'Left')
        prose(write, 225, 'Right')
        const end = row(244, 225, ['The right one ends with a mark.', ' '], {})
        page.drawText('1', { x: end, y: 595 - 240, size: 6 })
        page.drawLine({ start: { x: 50, y: 60 }, end: { x: 120, y: 60 }, thickness: 0.5 })
        page.drawText('1', { x: 50, y: 50, size: 5 })
        write('The water of the bay.', 548, { x: 54, size: 8 })
      },
      ({ page, write }) => {
        page.setSize(595, 420)
        page.drawRectangle({ x: 40, y: 290, width: 400, height: 25, color: rgb(0.1, 0.2, 0.5) })
        page.drawText('White words on blue', { x: 50, y: 298, size: 10, color: rgb(1, 1, 1) })
        write('Some ', 355, { x: 50 })
        page.drawText('Big', { x: 78, y: 240, size: 18 })
        write(' word in a line of text that is not a heading', 355, { x: 110 })
        page.drawText('A red heading', { x: 50, y: 200, size: 16, color: rgb(0.8, 0, 0) })
        write('And the last words of the document.', 415, { x: 50 })
      },
    ),
  )
  const sections = document.match(/<w:sectPr>(?:(?!<\/w:sectPr>).)*<\/w:sectPr>/g)!
  expect(sections.map((one) => /<w:cols[^>]*w:num="(\d)"/.exec(one)?.[1] ?? '1')).toEqual(['1', '2', '1'])
  expect(sections[1]).toContain('<w:type w:val="continuous"/>')
  expect(sections.map((one) => /w:orient="(\w+)"/.exec(one)?.[1])).toEqual(['portrait', 'portrait', 'landscape'])
  const find = (text: string) => paragraphs.find((one) => one.text.includes(text))!
  expect(document.indexOf('Left l')).toBeLessThan(document.indexOf('Right a'))
  expect(find('ends with a mark').xml).toContain('<w:footnoteReference w:id="1"/>')
  expect(textOf(parts.get('word/footnotes.xml')!.toString())).toContain('The water of the bay.')
  expect(find('The water of the bay.')).toBeUndefined()
  expect(find('White words').xml).toMatch(/<w:shd w:fill="1a3380"[\s\S]*<w:color w:val="ffffff"\/>/i)
  expect(find('Big')).toMatchObject({ text: 'Some Big word in a line of text that is not a heading', style: '' })
  expect(find('Big').xml).toMatch(/<w:sz w:val="36"\/>(?:(?!<\/w:r>).)*>Big</)
  expect(find('A red heading')).toMatchObject({ style: expect.stringMatching(/^Heading/) })
  expect(find('A red heading').xml).toMatch(/<w:color w:val="cc0000"\/>/i)
  expect(warnings).toEqual([])
})

test('text runs around a picture beside it', async () => {
  const picture = await sharp({ create: { width: 20, height: 20, channels: 3, background: '#c00' } })
    .png()
    .toBuffer()
  const { document, paragraphs } = await word(
    'beside.pdf',
    await drawn(async ({ pdf, page, write }) => {
      for (let line = 0; line < 8; line++)
        write(`Line ${'abcdefgh'[line]} is beside the picture, or below.`, 60 + line * 12)
      page.drawImage(await pdf.embedPng(picture), { x: 300, y: 595 - 130, width: 80, height: 80 })
    }),
  )
  // 300 points from the left of the page.
  expect(document).toMatch(/<wp:positionH relativeFrom="page"><wp:posOffset>3810000</)
  expect(document).toContain('<wp:wrapSquare')
  expect(paragraphs.every(({ text }) => text !== '')).toBe(true)
})

test('pictures with their transparency, drawings with their words', async () => {
  const red = await sharp({
    create: { width: 20, height: 10, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.5 } },
  })
    .png()
    .toBuffer()
  const { parts, paragraphs } = await word(
    'pictures.pdf',
    await drawn(async ({ pdf, page, write }) => {
      write('Above the picture.', 40)
      page.drawImage(await pdf.embedPng(red), { x: 50, y: 595 - 150, width: 100, height: 50 })
      write('Below the picture.', 180)
      for (const [index, height] of [30, 60, 45, 80, 20].entries())
        page.drawRectangle({ x: 60 + index * 30, y: 300, width: 20, height, color: rgb(0.2, 0.4, 0.8) })
      page.drawLine({ start: { x: 50, y: 300 }, end: { x: 220, y: 300 }, thickness: 1 })
      page.drawCircle({ x: 240, y: 340, size: 15, color: rgb(0.9, 0.4, 0.1) })
      page.drawLine({ start: { x: 50, y: 300 }, end: { x: 250, y: 380 }, thickness: 1 })
      write('label', 302, { x: 100, size: 8 })
      write('Below the chart.', 350)
    }),
  )
  const kinds = paragraphs.map(({ xml, text }) => (xml.includes('<w:drawing>') ? 'picture' : text))
  expect(kinds).toEqual(['Above the picture.', 'picture', 'Below the picture.', 'picture', 'Below the chart.'])
  const media = [...parts].filter(([name]) => name.startsWith('word/media/'))
  expect(media).toHaveLength(2)
  const found = await Promise.all(media.map(async ([, data]) => ({ data, ...(await sharp(data).metadata()) })))
  const picture = found.find(({ width, height }) => Math.abs(width / height - 2) < 0.1)!
  const [r, g, b, alpha] = await sharp(picture.data).ensureAlpha().raw().toBuffer()
  expect([r! > 245, g! < 10, b! < 10, Math.abs(alpha! - 128) < 6]).toEqual([true, true, true, true])
  // 100 x 50 points in EMU.
  expect(paragraphs[1]!.xml).toMatch(/<wp:extent cx="12[67]\d{4}" cy="63\d{4}"\/>/)
})

test('page headers, footers and numbers become those of Word; the words of bookmarks are headings', async () => {
  const bytes = await drawn(
    ...[1, 2, 3].map((page) => ({ write }: Pen) => {
      write('Annual report', 30, { size: 8 })
      write(`Part ${page}`, 80)
      write(`This is what is said on sheet ${'abc'[page - 1]}, and nothing else is.`, 110)
      write(`${page} / 3`, 570, { x: 200, size: 8 })
    }),
  )
  const pdf = await Pdf.load(bytes)
  const { context } = pdf
  const [root, item] = [context.nextRef(), context.nextRef()]
  const title = { Title: PDFString.of('Part 2'), Parent: root, Dest: [pdf.getPage(1).ref, 'Fit'] }
  context.assign(item, context.obj(title as never))
  context.assign(root, context.obj({ Type: 'Outlines', First: item, Last: item, Count: 1 }))
  pdf.catalog.set(PDFName.of('Outlines'), root)
  const { paragraphs, warnings, parts } = await word('report.pdf', await pdf.save({ useObjectStreams: false }))
  const text = paragraphs.map((one) => one.text).join('\n')
  expect(text).not.toMatch(/Annual|\/ 3/)
  expect(text).toMatch(/Part 1[\s\S]*sheet a[\s\S]*Part 2[\s\S]*sheet b[\s\S]*sheet c/)
  expect(paragraphs.find((one) => one.text === 'Part 2')!.style).toBe('Heading1')
  expect(paragraphs.find((one) => one.text === 'Part 1')!.style).toBe('')
  expect(warnings).toEqual([])
  expect(textOf(parts.get('word/header1.xml')!.toString())).toBe('Annual report')
  const footer = parts.get('word/footer1.xml')!.toString()
  expect(footer).toMatch(/<w:jc w:val="center"\/>(?:(?!<w:jc).)*PAGE(?:(?!<w:jc).)* \/ (?:(?!<w:jc).)*NUMPAGES/)
})

test('values of forms are text; the same document gives the same bytes', async () => {
  const bytes = await makePdf({ texts: ['Name'], formField: { name: 'name', value: 'Ada Lovelace' } })
  const { paragraphs } = await word('form.pdf', bytes)
  expect(paragraphs.map(({ text }) => text).join(' ')).toMatch(/Name.*Ada Lovelace/)
  const [one, other] = await Promise.all(
    ['a', 'b'].map(async () => readFileSync((await run(pdfToWord, folder, [join(folder, 'form.pdf')])).paths[0]!)),
  )
  expect(one).toEqual(other)
})

test('a scan stays a picture, with a note; refuses a blank document', async () => {
  const picture = await sharp({ create: { width: 60, height: 80, channels: 3, background: '#808080' } })
    .jpeg()
    .toBuffer()
  const scan = await drawn(async ({ pdf, page }) =>
    page.drawImage(await pdf.embedJpg(picture), { x: 0, y: 0, width: 420, height: 595 }),
  )
  const { document, warnings } = await word('scan.pdf', scan)
  expect(document.match(/<w:drawing>/g)).toHaveLength(1)
  expect(warnings).toEqual([expect.stringContaining('A page has no text, only pictures')])
  await expect(word('blank.pdf', await drawn(() => {}))).rejects.toMatchObject({
    code: 'PROCESSING_FAILED',
    message: expect.stringContaining('has nothing to convert'),
  })
})
