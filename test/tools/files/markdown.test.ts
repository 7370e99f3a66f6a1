/** What Markdown documents have beside CommonMark: front matter, tasks, footnotes, directions, pictures next to them, paper. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { chromium } from '../../../src/engines/chromium.ts'
import { renderMarkdown } from '../../../src/engines/documents/markdown.ts'
import { openInput } from '../../../src/local/open-input.ts'
import { openMediaFile } from '../../../src/media/file.ts'
import { picturesBeside } from '../../../tools/files/_shared/pages/local-pictures.ts'
import { paperStyle } from '../../../tools/files/_shared/pages/paper.ts'
import markdownToDocx from '../../../tools/files/markdown-to-docx.ts'
import markdownToPdf from '../../../tools/files/markdown-to-pdf.ts'
import toEpub from '../../../tools/files/to-epub.ts'
import { pageTexts } from '../../helpers/pdf.ts'
import { readZip } from '../../helpers/raw-zip.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** The parts of a document by name. */
const parts = async (path: string): Promise<Map<string, Buffer>> =>
  new Map((await readZip(path)).map(({ name, data }) => [name, data]))

function put(name: string, content: string | Buffer): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

describe('front matter', () => {
  const text = '---\ntitle: Notes & more\nauthor: [Ada, {name: Grace}]\nlang: de\n---\n\nText'

  test('is not printed; its title is the heading of a document without one', async () => {
    const page = await renderMarkdown(text)
    expect(page).toMatchObject({ title: 'Notes & more', author: 'Ada, Grace', language: 'de' })
    expect(page.body).toBe('<h1>Notes &amp; more</h1>\n<p>Text</p>\n')
    const own = await renderMarkdown('---\ntitle: A\n---\n# B')
    expect([own.title, own.body]).toEqual(['A', '<h1>B</h1>\n'])
    expect((await renderMarkdown('---\n---\nText')).body).toBe('<p>Text</p>\n')
  })

  test('other text between lines is kept', async () => {
    for (const kept of ['---\n\nText\n\n---\n', '---\nno: [yaml\n---\n', '---\n- a\n---\n'])
      expect((await renderMarkdown(kept)).body, kept).toContain('<hr>')
  })

  test('is the metadata of a book and a Word document', async () => {
    const path = put('front.md', text)
    const book = await parts((await run(toEpub, folder, [path])).paths[0]!)
    const about = book.get('EPUB/package.opf')!.toString()
    expect(about).toContain('<dc:title>Notes &#38; more</dc:title>')
    expect(about).toContain('<dc:creator>Ada, Grace</dc:creator>')
    expect(about).toContain('<dc:language>de</dc:language>')
    const word = await parts((await run(markdownToDocx, folder, [path])).paths[0]!)
    expect(word.get('docProps/core.xml')!.toString()).toMatch(/<dc:title>Notes &amp; more<.*<dc:creator>Ada, Grace</)
    expect(word.get('word/document.xml')!.toString()).not.toContain('author')
  })
})

test('tasks have checkboxes, in a Word document as well', async () => {
  const text = '- [x] done\n- [ ] open\n- [y] none\n\n[ ] no item'
  const { body } = await renderMarkdown(text)
  expect(body).toContain('<li class="task"><input type="checkbox" disabled checked> done</li>')
  expect(body).toContain('<li class="task"><input type="checkbox" disabled> open</li>')
  expect(body.match(/checkbox/g)).toHaveLength(2)
  const word = await parts((await run(markdownToDocx, folder, [put('tasks.md', text)])).paths[0]!)
  expect(word.get('word/document.xml')!.toString()).toMatch(/\u2611 .*done.*\u2610 .*open.*\[y\]/s)
})

test('footnotes are at the end, and repeated references have the same number', async () => {
  const { body } = await renderMarkdown('A[^a], B[^b], A again[^a].\n\n[^a]: First.\n[^b]: Second.')
  expect(body.replace(/<[^>]+>/g, '')).toMatch(/^A1, B2, A again1\.\s+First\.\s+Second\.\s*$/)
  expect(body).toContain('href="#fn1"')
  expect(body).toContain('id="fn1"')
})

test('paragraphs in Hebrew and Arabic start at the right; others are unchanged', async () => {
  const text = 'English\n\n\u05e9\u05dc\u05d5\u05dd, hello\n\n- \u0645\u0631\u062d\u0628\u0627\n'
  const { body } = await renderMarkdown(text)
  expect(body).toContain('<p dir="auto">English</p>')
  expect(body).toContain('<ul dir="rtl">')
  expect((await renderMarkdown('# A\n\n- b')).body).not.toContain('dir=')
  const path = put('directions.md', text)
  const word = await parts((await run(markdownToDocx, folder, [path])).paths[0]!)
  const paragraphs = word.get('word/document.xml')!.toString().split('</w:p>').slice(0, 3)
  expect(paragraphs.map((one) => one.includes('<w:bidi/>'))).toEqual([false, true, true])
  const book = await parts((await run(toEpub, folder, [path])).paths[0]!)
  const chapter = book.get('EPUB/chapter-1.xhtml')!.toString()
  expect(chapter).toContain('<p>English</p>')
  expect(chapter).toContain('<p dir="rtl">\u05e9\u05dc\u05d5\u05dd, hello</p>')
  expect(chapter).toMatch(/<ul dir="rtl">\s*<li dir="rtl">/)
})

describe('pictures', async () => {
  mkdirSync(join(folder, 'book/sub'), { recursive: true })
  const png = await sharp({ create: { width: 8, height: 6, channels: 3, background: '#cc0000' } })
    .png()
    .toBuffer()
  for (const name of ['outside.png', 'book/near by.png', 'book/sub/deep.png']) put(name, png)
  put('book/secret.png', 'no picture')
  symlinkSync(join(folder, 'outside.png'), join(folder, 'book/link.png'))
  symlinkSync(folder, join(folder, 'book/up'))
  symlinkSync(join(folder, 'book/sub/deep.png'), join(folder, 'book/inner.png'))
  const path = put('book/doc.md', '![near](near%20by.png)\n\n![out](../outside.png)')
  const opened = await openInput(
    { kind: 'file', given: path, path, subfolder: '' },
    async () => folder,
    new AbortController().signal,
  )

  test('in the folder of a local document are loaded, and no others', async () => {
    const load = picturesBeside(opened)!
    for (const address of ['near%20by.png', 'sub/deep.png', './sub/../sub/deep.png?x#y', 'inner.png'])
      expect(await load(address), address).toBe(`data:image/png;base64,${png.toString('base64')}`)
    const file = `file://${join(folder, 'book/sub/deep.png')}`
    const refused = ['../outside.png', 'link.png', 'up/outside.png', join(folder, 'book/sub/deep.png'), file]
    for (const address of [...refused, 'secret.png', 'doc.md', 'absent.png', 'sub', '', '%', 'http://127.0.0.1/a.png'])
      expect(await load(address), address).toBeUndefined()
  })

  test('of a document that was sent to a server are not loaded', async () => {
    expect(picturesBeside(await openMediaFile(path))).toBeUndefined()
    const { warnings, paths } = await run(markdownToDocx, folder, [path])
    expect(warnings).toEqual([expect.stringContaining('near%20by.png')])
    expect([...(await parts(paths[0]!)).keys()].filter((name) => name.includes('media/'))).toEqual([])
  })

  test('are in the document', async () => {
    const { body } = await renderMarkdown(readFileSync(path, 'utf8'), picturesBeside(opened))
    expect(body).toMatch(/<img src="data:image\/png[^"]*" alt="near">[\s\S]*<img src="\.\.\/outside\.png"/)
  })
})

test('the text of a header cannot end its string or the style', () => {
  const paper = {
    pageSize: 'A4',
    orientation: 'portrait',
    margin: 20,
    header: '"} </style> \\ {title} {page}',
    footer: undefined,
  } as const
  const css = paperStyle(paper, 'A "title"')
  expect(css).not.toMatch(/[<>]/)
  expect(css).toContain('"A \\22 title\\22 " " " counter(page)')
})

describe.skipIf(!(await chromium.probe()).available)('a PDF', () => {
  test('has the paper, header and footer of the settings, and code in a monospaced font', async () => {
    const text = `# Pages\n\n\`code\`\n${'\nLine.\n'.repeat(60)}`
    const settings = {
      pageSize: 'Letter',
      orientation: 'landscape',
      header: '{title} \u2013 "draft"',
      footer: '{page} of {pages}',
    }
    const { paths } = await run(markdownToPdf, folder, [put('paper.md', text)], settings)
    const bytes = readFileSync(paths[0]!)
    expect(bytes.toString('latin1')).toMatch(/MediaBox\s*\[\s*0 0 792 612\s*\]/)
    expect(bytes.toString('latin1')).toContain('NotoSansMono')
    const pages = await pageTexts(bytes)
    expect(pages.length).toBeGreaterThan(1)
    for (const [index, page] of pages.entries()) {
      expect(page).toContain('Pages \u2013 "draft"')
      expect(page).toContain(`${index + 1} of ${pages.length}`)
    }
  })

  test('needs a margin for its header', async () => {
    const made = run(markdownToPdf, folder, [put('margin.md', 'x')], { margin: 5, footer: '{page}' })
    await expect(made).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  })
})
