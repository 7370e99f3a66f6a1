/** word-to-pdf, excel-to-pdf, powerpoint-to-pdf, convert-document and convert-presentation. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as library from '@e965/xlsx'
import { describe, expect, test, vi } from 'vitest'
import { libreoffice } from '../../../src/engines/libreoffice/libreoffice.ts'
import { openDocument, sampleLetter, sampleSlides } from '../../../src/generate/assets/sample-office.ts'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { extractPageTexts } from '../../../src/media/pdf/structure/text.ts'
import type { Tool } from '../../../src/tool/contract.ts'
import convertDocument from '../../../tools/files/convert-document.ts'
import convertPresentation from '../../../tools/files/convert-presentation.ts'
import excelToPdf from '../../../tools/files/excel-to-pdf.ts'
import powerpointToPdf from '../../../tools/files/powerpoint-to-pdf.ts'
import wordToPdf from '../../../tools/files/word-to-pdf.ts'
import { rawZip, readZip } from '../../helpers/raw-zip.ts'
import { sharedSample } from '../../helpers/shared-samples.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** A file in its own folder, so that outputs can have their final names. */
function written(name: string, content: Uint8Array | string): string {
  const path = join(mkdtempSync(join(folder, 'in-')), name)
  writeFileSync(path, content)
  return path
}

/** The output of a tool for a file, created once for all tests. */
const converted = (tool: Tool, input: string, name: string, settings: Record<string, unknown> = {}): Promise<string> =>
  sharedSample(['office', tool.id, name], name, async (path) => {
    const { paths, names } = await run(tool, folder, [input], settings)
    expect(names).toEqual([name])
    writeFileSync(path, readFileSync(paths[0]!))
  })

async function pagesOf(path: string): Promise<{ texts: string[]; tagged: boolean }> {
  const document = await openPdf(path)
  const tagged = document.pdf.getTrailer().get('Root', 'MarkInfo', 'Marked').asBoolean()
  const texts = extractPageTexts(document)
  document.close()
  return { texts, tagged }
}

describe.skipIf(!(await libreoffice.probe()).available)('by LibreOffice', () => {
  const letter = async (): Promise<string> => written('letter.odt', await sampleLetter())
  const docx = async () => converted(convertDocument, await letter(), 'letter.docx', { format: 'docx' })

  test('ODT to DOCX keeps the heading, bold words and the table; a further conversion to text keeps the words', async () => {
    const document = (await readZip(await docx())).find(({ name }) => name === 'word/document.xml')!.data.toString()
    expect(document).toMatch(/<w:b\/>(?:(?!<w:t).)*<w:t[^>]*>under the blue pot/)
    expect(document.match(/<w:tr>/g)).toHaveLength(3)
    expect(document).toMatch(/<w:pStyle w:val="Heading1"\/>/)
    const { paths, names } = await run(convertDocument, folder, [await docx()], { format: 'txt' })
    expect(names).toEqual(['letter.txt'])
    const text = readFileSync(paths[0]!, 'utf8')
    expect(text).toMatch(/^ *The boat house\nDear Ada,\nthe keys are under the blue pot\./)
    expect(text).toMatch(/nails\s+one box[\s\S]*Émilie/)
  })

  test('text of an old program as RTF and printed, with its letters; omits what a field would load, with a warning', async () => {
    const old = written('old.txt', Buffer.from('Gr\xf6\xdfe: 5 \x80', 'latin1'))
    const rtf = readFileSync(await converted(convertDocument, old, 'old.rtf', { format: 'rtf' }), 'latin1')
    const secret = written('secret.txt', 'TOP SECRET')
    const field = (word: string): string => `{\\field{\\*\\fldinst ${word} "${secret}"}{\\fldrslt old}}`
    const text = rtf.replace(/\}\s*$/, `${field("INC\\'4cUDETEXT")}${field('INCLUDE{}PICTURE')}}`)
    const { paths, names, warnings } = await run(wordToPdf, folder, [written('letter.rtf', text)])
    expect(names).toEqual(['letter.pdf'])
    const { texts, tagged } = await pagesOf(paths[0]!)
    expect([texts.length, tagged]).toEqual([1, true])
    expect(texts[0]).toContain('Größe: 5 €')
    expect(texts[0]).not.toContain('SECRET')
    expect(warnings).toEqual([expect.stringContaining('letter.rtf asks for 2 files outside itself')])
  })

  test('slides as PPTX, and printed, a page each; includes no picture of this machine', async () => {
    const picture = written('private.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    const content = (await readZip(written('s.odp', await sampleSlides()))).map(({ name, data }) => ({
      name,
      data: data
        .toString()
        .replace(
          '</draw:page>',
          `<draw:frame svg:width="3cm" svg:height="3cm"><draw:image xlink:href="file://${picture}"/></draw:frame></draw:page>`,
        ),
      method: name === 'mimetype' ? 0 : 8,
    }))
    const { paths, warnings } = await run(convertPresentation, folder, [written('slides.odp', rawZip(content))], {
      format: 'pptx',
    })
    expect(warnings).toEqual([expect.stringContaining('asks for a file outside itself')])
    expect((await readZip(paths[0]!)).filter(({ name }) => name.startsWith('ppt/media/'))).toEqual([])
    const { paths: printed } = await run(powerpointToPdf, folder, [paths[0]!])
    expect((await pagesOf(printed[0]!)).texts).toEqual([
      expect.stringMatching(/Birds of the lake\s+Two days/),
      expect.stringMatching(/What was seen\s+12 coots/),
    ])
  })

  test('a table of text is printed unchanged: no number is shortened, no cell is cut', async () => {
    const long = 'a cell that is much longer than a column is wide'
    const { paths, names } = await run(excelToPdf, folder, [
      written('t.csv', `id,number,note\n007,1234567890123,${long}\n`),
    ])
    expect(names).toEqual(['t.pdf'])
    const text = (await pagesOf(paths[0]!)).texts.join('\n')
    for (const cell of ['007', '1234567890123', long]) expect(text).toContain(cell)
    expect(text).not.toContain('###')
  })

  test('reports words that are cut off in print, and hidden numbers', async () => {
    const sheet = library.utils.aoa_to_sheet([
      ['Groundedness', 'Sources'],
      [1234567890123, 'Whole'],
    ])
    sheet.A2!.z = '0.00'
    sheet['!cols'] = [{ wch: 6 }, { wch: 20 }]
    const book = library.utils.book_new()
    library.utils.book_append_sheet(book, sheet, 'First')
    const bytes = library.write(book, { type: 'buffer', bookType: 'xlsx' }) as Uint8Array
    const narrow = await run(excelToPdf, folder, [written('narrow.xlsx', bytes)])
    expect(narrow.warnings).toEqual([
      'narrow.xlsx has cells that are too narrow for their numbers, which are printed as ###',
      'narrow.xlsx has 1 word in cells that are too narrow, and cut off in print: Groundedness. Make the columns wider',
    ])
    sheet['!cols'] = [{ wch: 20 }, { wch: 20 }]
    const wide = library.write(book, { type: 'buffer', bookType: 'xlsx' }) as Uint8Array
    expect((await run(excelToPdf, folder, [written('wide.xlsx', wide)])).warnings).toEqual([])
  })
})

describe('not a document', () => {
  const compound = (streams: Readonly<Record<string, Buffer>>): Buffer => {
    const container = library.CFB.utils.cfb_new()
    for (const [name, bytes] of Object.entries(streams))
      library.CFB.utils.cfb_add(container, name, Buffer.concat([bytes, Buffer.alloc(5000)]))
    return Buffer.from(library.CFB.write(container, { type: 'buffer' }) as Uint8Array)
  }
  const info = Buffer.from([4, 0, 4, 0, 0x40, 0, 0, 0])
  const protectedDoc = Buffer.alloc(12)
  protectedDoc.writeUInt16LE(0x100, 10)
  const protectedSlides = Buffer.alloc(16)
  protectedSlides.writeUInt32LE(0xf3d1c4df, 12)
  // [MS-XLS]: BOF, then FilePass.
  const protectedSheet = Buffer.from('0908040000060500' + '2f00020001000a000000', 'hex')
  const lockedOdt = () =>
    openDocument('text', '', { parts: { 'META-INF/manifest.xml': '<m><manifest:encryption-data/></m>' } })

  test.each<[string, () => Promise<Uint8Array> | Uint8Array | string, Tool, string, string]>([
    ['empty.docx', () => '', wordToPdf, 'EMPTY_FILE', 'is empty'],
    ['text.docx', () => 'just text', wordToPdf, 'INVALID_FILE', 'is plain text, not DOCX'],
    ['text.xlsx', () => 'just text', excelToPdf, 'INVALID_FILE', 'is plain text, not a spreadsheet'],
    ['page.odt', () => '<!doctype html><p>x</p>', wordToPdf, 'INVALID_FILE', 'is plain text, not ODT'],
    ['slides.pptx', async () => sampleLetter(), powerpointToPdf, 'UNSUPPORTED_FILE_TYPE', 'is ODT by its content'],
    ['cut.odt', async () => (await sampleLetter()).subarray(0, 700), wordToPdf, 'INVALID_FILE', 'is not a whole ZIP'],
    [
      'locked.docx',
      () => compound({ EncryptedPackage: info, EncryptionInfo: info }),
      wordToPdf,
      'PASSWORD_PROTECTED',
      'password',
    ],
    ['locked.odt', lockedOdt, wordToPdf, 'PASSWORD_PROTECTED', 'password'],
    ['locked.doc', () => compound({ WordDocument: protectedDoc }), convertDocument, 'PASSWORD_PROTECTED', 'password'],
    ['locked.xls', () => compound({ Workbook: protectedSheet }), excelToPdf, 'PASSWORD_PROTECTED', 'password'],
    [
      'locked.ppt',
      () => compound({ 'PowerPoint Document': info, 'Current User': protectedSlides }),
      convertPresentation,
      'PASSWORD_PROTECTED',
      'password',
    ],
    ['cut.doc', () => compound({ WordDocument: info }).subarray(0, 2048), wordToPdf, 'INVALID_FILE', 'is damaged'],
  ])('%s', async (name, content, tool, code, words) => {
    const settings = tool.settings.format ? { format: tool === convertDocument ? 'rtf' : 'odp' } : {}
    await expect(run(tool, folder, [written(name, await content())], settings)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words),
    })
  })

  test('returns a document in the requested format unchanged', async () => {
    const content = await sampleLetter()
    const { names, paths } = await run(convertDocument, folder, [written('l.odt', content)], { format: 'odt' })
    expect(names).toEqual(['l_convert-document.odt'])
    expect(readFileSync(paths[0]!)).toEqual(Buffer.from(content))
  })

  test.each([
    ['UTF-16', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Größe: 5 €', 'utf16le')])],
    ['Windows-1252', Buffer.from('Gr\xf6\xdfe: 5 \x80', 'latin1')],
  ])('text in %s becomes UTF-8, without changes', async (_encoding, content) => {
    const { paths } = await run(convertDocument, folder, [written('t.txt', content)], { format: 'txt' })
    expect(readFileSync(paths[0]!, 'utf8')).toBe('Größe: 5 €')
  })
})

describe('LibreOffice itself', () => {
  /** A program that replaces it. */
  async function instead(script: string, work: (input: string) => Promise<void>): Promise<void> {
    const program = written('soffice', `#!/bin/sh\n${script}\n`)
    chmodSync(program, 0o755)
    vi.stubEnv('MEDIAPROC_LIBREOFFICE', program)
    try {
      await work(written('letter.odt', await sampleLetter()))
    } finally {
      vi.unstubAllEnvs()
    }
  }
  const leftFolders = (): string[] =>
    readdirSync(tmpdir()).filter((name) => name.startsWith(`mediaproc-`) && name.includes(`-${process.pid}-`))

  test('names the install command if it is missing', async () => {
    vi.stubEnv('PATH', folder)
    try {
      const input = written('letter.odt', await sampleLetter())
      await expect(run(wordToPdf, folder, [input])).rejects.toMatchObject({
        code: 'ENGINE_UNAVAILABLE',
        message: 'Reading ODT needs libreoffice, which is not installed',
        hint: expect.stringContaining('apt-get install libreoffice-writer-nogui'),
      })
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('has its own profile, the reader by name and no macro; leaves nothing', async () => {
    await instead('echo "$@" >&2; cat "$HOME/profile/user/registrymodifications.xcu" >&2', async (input) => {
      const error = await run(wordToPdf, folder, [input]).then(
        () => undefined,
        (thrown: { code: string; detail: string }) => thrown,
      )
      expect(error).toMatchObject({ code: 'INVALID_FILE' })
      expect(error!.detail).toMatch(
        /-env:UserInstallation=file:.*--infilter=writer8 --convert-to pdf:writer_pdf_Export/,
      )
      expect(error!.detail).toMatch(/DisableMacrosExecution" oor:op="fuse"><value>true/)
    })
    expect(leftFolders()).toEqual([])
  })

  test('its output must have the requested format', async () => {
    // The arguments end with: the writer, --outdir, the folder, the document.
    const copy = (of: string): string => `while [ $# -gt 2 ]; do shift; done; cp "${of}" "$1/out.file"`
    const text = written('a.txt', 'words')
    const odt = written('good.odt', await sampleLetter())
    await instead(copy(odt), async () => {
      const { names, paths } = await run(convertDocument, folder, [text], { format: 'odt' })
      expect(names).toEqual(['a.odt'])
      expect(readFileSync(paths[0]!)).toEqual(readFileSync(odt))
      const pptx = written('b.pptx', rawZip([{ name: 'ppt/presentation.xml', data: '<a/>' }]))
      await expect(run(convertPresentation, folder, [pptx], { format: 'odp' })).rejects.toMatchObject({
        message: 'LibreOffice made no whole ODP of b.pptx',
      })
      await expect(run(wordToPdf, folder, [text])).rejects.toMatchObject({
        code: 'PROCESSING_FAILED',
        message: 'LibreOffice made no whole PDF of a.txt',
      })
    })
    await instead(copy(written('good.odp', await sampleSlides())), async () => {
      const pptx = written('b.pptx', rawZip([{ name: 'ppt/presentation.xml', data: '<a/>' }]))
      const { names } = await run(convertPresentation, folder, [pptx], { format: 'odp' })
      expect(names).toEqual(['b.odp'])
    })
    await instead(copy(written('cut.pdf', '%PDF-1.7\n')), async (input) => {
      await expect(run(wordToPdf, folder, [input])).rejects.toMatchObject({ code: 'PROCESSING_FAILED' })
    })
  })

  test('ends with its child processes at its time limit and on abort', async () => {
    await instead('sleep 60 & wait', async (input) => {
      vi.stubEnv('LIBREOFFICE_TIMEOUT_S', '0.2')
      await expect(run(wordToPdf, folder, [input])).rejects.toMatchObject({ code: 'TIMEOUT' })
      vi.stubEnv('LIBREOFFICE_TIMEOUT_S', '60')
      const controller = new AbortController()
      const running = run(
        wordToPdf,
        folder,
        [input],
        {},
        { signal: controller.signal, onOutput: () => setTimeout(() => controller.abort(), 50) },
      )
      await expect(running).rejects.toMatchObject({ code: 'CANCELED' })
    })
    await vi.waitFor(() => expect(leftFolders()).toEqual([]))
  })
})
