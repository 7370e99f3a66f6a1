/** edit-attachments and extract-attachments, with pdfdetach and pdf-lib as second readers. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { PDFArray, PDFDict, PDFDocument, PDFName, PDFRawStream, PDFString } from 'pdf-lib'
import { describe, expect, test } from 'vitest'
import { runQpdf } from '../../../src/engines/qpdf.ts'
import editAttachments from '../../../tools/pdf/content/edit-attachments.ts'
import extractAttachments from '../../../tools/pdf/content/extract-attachments.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, hasPdftotext, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { rawPdf, stream } from '../../helpers/raw-pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const put = (name: string, bytes: string | Uint8Array): string => {
  writeFileSync(join(folder, name), bytes)
  return join(folder, name)
}

/** A document with attachments, and some on its page as symbols. */
async function withFiles(name: string, files: Record<string, string>, onPage: Record<string, string> = {}) {
  const document = await PDFDocument.create()
  const { context } = document
  const page = document.addPage([200, 200])
  for (const [key, text] of Object.entries(files))
    await document.attach(Buffer.from(text), key, { mimeType: 'text/plain', description: `about ${key}` })
  const annotations = Object.entries(onPage).map(([key, text]) => {
    const stream = context.register(context.flateStream(text, { Type: 'EmbeddedFile' }))
    const specification = context.obj({ Type: 'Filespec', F: PDFString.of(key), EF: { F: stream } })
    return context.register(
      context.obj({
        Type: 'Annot',
        Subtype: 'FileAttachment',
        Rect: [10, 10, 30, 30],
        FS: context.register(specification),
      }),
    )
  })
  page.node.set(PDFName.of('Annots'), context.obj(annotations))
  return writePdf(folder, name, await document.save())
}

const extracted = async (path: string) => {
  const { names, paths, report } = await run(extractAttachments, folder, [path], {})
  return { report, files: names.map((name, index) => [name, readFileSync(paths[index]!, 'utf8')]) }
}

describe('files are attached', () => {
  test('with their bytes, names, types and description, and the pages stay', async () => {
    const source = writePdf(folder, 'plain.pdf', await makePdf({ texts: ['one', 'two'] }))
    const secondary = { file0: put('Zahlen Ä.csv', 'a,b\n1,2\n'), file1: put('note.txt', 'n') }
    const settings = { description: 'The figures', relationship: 'data' }
    const { paths, report } = await run(editAttachments, folder, [source], settings, { secondary })
    const bytes = readFileSync(paths[0]!)
    expect([await complaints(bytes), await pageTexts(bytes)]).toEqual([[], await pageTexts(readFileSync(source))])
    expect(report).toMatchObject({ added: 2, removed: 0 })
    expect(report.attachments).toEqual([
      { name: 'note.txt', description: 'The figures', mime: 'text/plain', page: undefined },
      { name: 'Zahlen Ä.csv', description: 'The figures', mime: 'text/csv', page: undefined },
    ])
    expect((await extracted(paths[0]!)).files).toEqual([
      ['note.txt', 'n'],
      ['Zahlen Ä.csv', 'a,b\n1,2\n'],
    ])
    const associated = (await PDFDocument.load(bytes)).catalog.lookup(PDFName.of('AF'), PDFArray)
    const kinds = [0, 1].map((index) => String(associated.lookup(index, PDFDict).get(PDFName.of('AFRelationship'))))
    expect(kinds).toEqual(['/Data', '/Data'])
    if (!hasPdftotext()) return
    const list = execFileSync('pdfdetach', ['-list', paths[0]!], { encoding: 'utf8' })
    expect(list).toContain('2 embedded files')
    execFileSync('pdfdetach', ['-save', '2', '-o', join(folder, 'detached'), paths[0]!])
    expect(readFileSync(join(folder, 'detached'), 'utf8')).toBe('a,b\n1,2\n')
  })

  test('one of the same name is replaced, with a warning', async () => {
    const source = await withFiles('again.pdf', { 'a.txt': 'old', 'b.txt': 'stays' })
    const secondary = { file0: put('a.txt', 'new') }
    const { paths, warnings } = await run(editAttachments, folder, [source], {}, { secondary })
    expect(warnings).toEqual(['a.txt replaced the 1 attachment of that name'])
    expect((await extracted(paths[0]!)).files.sort()).toEqual([
      ['a.txt', 'new'],
      ['b.txt', 'stays'],
    ])
  })

  test('two of one name are refused', async () => {
    const source = await withFiles('two.pdf', {})
    const secondary = { file0: put('same.txt', '1'), file1: put('same.txt', '1') }
    await expect(run(editAttachments, folder, [source], {}, { secondary })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
    })
  })
})

describe('attachments are removed', () => {
  test('by name, also from pages', async () => {
    const source = await withFiles(
      'remove.pdf',
      { 'a.txt': 'secret-a', 'b.txt': 'b' },
      { 'c.txt': 'secret-c', 'd.txt': 'd' },
    )
    const { paths, report } = await run(editAttachments, folder, [source], { remove: ['a.txt', 'c.txt'] })
    expect(report).toMatchObject({ added: 0, removed: 2 })
    expect((await extracted(paths[0]!)).files).toEqual([
      ['b.txt', 'b'],
      ['d.txt', 'd'],
    ])
    const reread = await PDFDocument.load(readFileSync(paths[0]!))
    expect(reread.getPage(0).node.Annots()!.size()).toBe(1)
    const all = await run(editAttachments, folder, [source], { removeAll: true })
    expect([all.report.removed, all.report.attachments]).toEqual([4, []])
    await expect(extracted(all.paths[0]!)).rejects.toMatchObject({ code: 'TARGET_UNREACHABLE' })
  })

  test('a name that the document does not have is refused, with the nearest one', async () => {
    const source = await withFiles('unknown.pdf', { 'figures.csv': 'x' })
    await expect(run(editAttachments, folder, [source], { remove: ['figure.csv'] })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      hint: 'Perhaps you mean figures.csv.',
    })
  })
})

describe('files of unusual documents', () => {
  const file = (name: string, stream: number) => `<< /Type /Filespec /F (${name}) /EF << /F ${stream} 0 R >> >>`
  const content = (text: string) => stream(text, '/Type /EmbeddedFile')
  const document = (root: string, page: string, objects: Record<number, string>) =>
    rawPdf({
      1: `<< /Type /Catalog /Pages 2 0 R ${root} >>`,
      2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      3: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] ${page} >>`,
      ...objects,
    })

  test('two with the same bytes, with the same name, and with the same key are kept apart', async () => {
    const source = document(
      '/Names << /EmbeddedFiles << /Names [(k) 6 0 R (k) 10 0 R (x) 8 0 R (y.txt) 7 0 R] >> >>',
      '',
      {
        4: content('hello'),
        5: content('other'),
        6: file('a.txt', 4),
        7: file('b.txt', 4),
        8: file('same.txt', 4),
        10: file('same.txt', 5),
      },
    )
    const path = writePdf(folder, 'apart.pdf', source)
    const all = [
      ['a.txt', 'hello'],
      ['same.txt', 'other'],
      ['same-1.txt', 'hello'],
      ['b.txt', 'hello'],
    ]
    expect((await extracted(path)).files).toEqual(all)
    const removed = await run(editAttachments, folder, [path], { remove: ['a.txt'] })
    expect(removed.report).toMatchObject({ removed: 1 })
    expect((await extracted(removed.paths[0]!)).files.sort()).toEqual(all.slice(1).sort())
    // The key of another file is that name.
    const secondary = { file0: put('y.txt', 'new'), file1: put('same.txt', 'newer') }
    const added = await run(editAttachments, folder, [path], {}, { secondary })
    expect(added.warnings).toEqual(['same.txt replaced the 2 attachments of that name'])
    expect((await extracted(added.paths[0]!)).files.sort()).toEqual([
      ['a.txt', 'hello'],
      ['b.txt', 'hello'],
      ['same.txt', 'newer'],
      ['y.txt', 'new'],
    ])
  })

  test('those associated with the document or a page are found, kept and removed', async () => {
    const source = document(
      '/AF [6 0 R] /Names << /EmbeddedFiles << /Names [(c) 10 0 R] >> >>',
      '/AF [7 0 R] /Annots [8 0 R << /Type /Annot /Subtype /FileAttachment /Rect [0 0 9 9] /FS 10 0 R >>]',
      {
        4: content('secret of a document'),
        5: content('secret of a page'),
        6: file('a.txt', 4),
        7: file('b.txt', 5),
        8: '<< /Type /Annot /Subtype /Square /Rect [0 0 9 9] /AF [6 0 R] >>',
        9: content('secret of a symbol'),
        10: file('c.txt', 9),
      },
    )
    const path = writePdf(folder, 'associated.pdf', source)
    const { report } = await extracted(path)
    expect(report.attachments).toMatchObject([
      { name: 'c.txt', page: undefined },
      { name: 'a.txt', page: undefined },
      { name: 'b.txt', page: 1 },
    ])
    const added = await run(editAttachments, folder, [path], {}, { secondary: { file0: put('d.txt', 'd') } })
    expect((await extracted(added.paths[0]!)).files.map(([name]) => name).sort()).toEqual([
      'a.txt',
      'b.txt',
      'c.txt',
      'd.txt',
    ])
    const removed = await run(editAttachments, folder, [path], { removeAll: true })
    expect(removed.report).toMatchObject({ removed: 3, attachments: [] })
    const { files } = await runQpdf(['--qdf', '--object-streams=disable', 'a.pdf', 'b.pdf'], {
      'a.pdf': readFileSync(removed.paths[0]!),
    })
    expect(Buffer.from(files.get('b.pdf') ?? '').toString('latin1')).not.toContain('secret')
  })

  test('missing and null objects are passed over', async () => {
    const source = document(
      '/AF [null 99 0 R] /Names << /EmbeddedFiles << /Names [(a) 6 0 R (b) 7 0 R (c) null (d) 99 0 R (e) (x)] >> >>',
      '/Annots [null 99 0 R 5 (x) << /Subtype /FileAttachment >> << /Subtype /FileAttachment /FS 7 0 R >>]',
      { 4: content(''), 6: file('a.txt', 4), 7: '<< /Type /Filespec /F (b.txt) >>' },
    )
    const path = writePdf(folder, 'nulls.pdf', source)
    expect((await extracted(path)).files).toEqual([['a.txt', '']])
    const { report } = await run(editAttachments, folder, [path], { removeAll: true })
    expect(report).toMatchObject({ removed: 1 })
  })
})

describe('attachments are extracted', () => {
  test('with names that lead nowhere else and are unique', async () => {
    const names = [
      '../../etc/passwd',
      'C:\\dir\\x.txt',
      '..',
      'a/b/same.txt',
      'other/same.txt',
      `${'ä'.repeat(300)}.txt`,
    ]
    const source = await withFiles('names.pdf', Object.fromEntries(names.map((name) => [name, name])))
    const { files } = await extracted(source)
    const made = files.map(([name]) => name!)
    expect(files.length).toBe(names.length)
    expect(made).toEqual(expect.arrayContaining(['passwd', 'x.txt', 'attachment', 'same.txt', 'same-1.txt']))
    for (const name of made) expect([basename(name), Buffer.byteLength(name) <= 255]).toEqual([name, true])
  })

  test('of the document and of its pages, with what is known of them', async () => {
    const source = await withFiles('both.pdf', { 'a.txt': 'A' }, { 'note.txt': 'N' })
    const { report } = await extracted(source)
    expect(report.attachments).toEqual([
      { name: 'a.txt', size: 1, description: 'about a.txt', mime: 'text/plain', page: undefined },
      { name: 'note.txt', size: 1, description: undefined, mime: undefined, page: 1 },
    ])
  })

  test('a small document with a huge file is refused', async () => {
    const document = await PDFDocument.load(readFileSync(await withFiles('small.pdf', { 'zeros.bin': '0' })))
    const { context } = document
    const zeros = deflateSync(Buffer.alloc(201 * 1024 * 1024))
    for (const [ref, object] of context.enumerateIndirectObjects())
      if (object instanceof PDFRawStream && object.dict.get(PDFName.of('Type')) === PDFName.of('EmbeddedFile'))
        context.assign(ref, PDFRawStream.of(object.dict, zeros))
    const source = writePdf(folder, 'bomb.pdf', await document.save())
    await expect(extracted(source)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
  })

  test('a tree of names in a loop ends', async () => {
    const document = await PDFDocument.load(readFileSync(await withFiles('fine.pdf', { 'a.txt': 'A' })))
    const { context } = document
    const node = context.nextRef()
    const tree = document.catalog.lookup(PDFName.of('Names')) as never as { get(name: PDFName): never }
    context.assign(node, context.obj({ Kids: [node, tree.get(PDFName.of('EmbeddedFiles'))] }))
    document.catalog.set(PDFName.of('Names'), context.obj({ EmbeddedFiles: node }))
    const source = writePdf(folder, 'loop.pdf', await document.save())
    expect((await extracted(source)).files).toEqual([['a.txt', 'A']])
  })
})
