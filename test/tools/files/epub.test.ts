/** to-epub and epub-convert. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EpubCheck } from '@likecoin/epubcheck-ts'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { chromium } from '../../../src/engines/chromium.ts'
import { writeDocx } from '../../../src/engines/docx/docx.ts'
import { sampleBook } from '../../../src/generate/assets/sample-office.ts'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { extractPageTexts } from '../../../src/media/pdf/structure/text.ts'
import epubConvert from '../../../tools/files/epub-convert.ts'
import toEpub from '../../../tools/files/to-epub.ts'
import { rawZip, readZip } from '../../helpers/raw-zip.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const hasBrowser = (await chromium.probe()).available

function written(name: string, content: Uint8Array | string): string {
  const path = join(mkdtempSync(join(folder, 'in-')), name)
  writeFileSync(path, content)
  return path
}

const picture = (format: 'png' | 'webp' = 'png'): Promise<Buffer> =>
  sharp({ create: { width: 30, height: 20, channels: 3, background: '#ff0000' } })
    .toFormat(format)
    .toBuffer()

async function book(name: string, content: Uint8Array | string) {
  const { paths, names, warnings } = await run(toEpub, folder, [written(name, content)])
  const bytes = readFileSync(paths[0]!)
  const parts = new Map((await readZip(paths[0]!)).map((entry) => [entry.name.replace(/^EPUB\//, ''), entry.data]))
  const text = (part: string): string => parts.get(part)!.toString()
  return { bytes, names, warnings, parts, text }
}

/** Errors of EPUBCheck. */
async function faults(bytes: Uint8Array): Promise<string[]> {
  const { messages } = await EpubCheck.validate(new Uint8Array(bytes))
  return messages.filter(({ severity }) => severity !== 'usage').map(({ id, message }) => `${id} ${message}`)
}

describe('to-epub', () => {
  test('HTML: chapters, contents, pictures and links valid for EPUBCheck; loads nothing', async () => {
    const data = (bytes: Buffer, type: string): string => `data:image/${type};base64,${bytes.toString('base64')}`
    const html = `<!doctype html><html lang="de"><title>Not the title</title><style>p { color: red }</style><body>
      <p id="dup">before</p><h1>One & <i>only</i></h1><p id="dup">a <a href="#two">two</a> <a href="#nowhere">none</a>
      <a href="javascript:alert(1)">bad</a> <a href="other.html">other</a> <a href="https://example.com/ä ö">out</a></p>
      <h3>Deep<br>down</h3><p><img src="${data(await picture(), 'png')}" alt="red"><img src="${data(await picture('webp'), 'webp')}">
      <img src="file:///etc/passwd"><img src="http://127.0.0.1/x.png" alt="far"></p>
      <script>alert(1)</script><iframe src="https://example.com"></iframe><form><input value="x"><select><option>o</select></form>
      <h1 id="two">Two</h1><table><caption>c</caption><tr><th>a<td colspan=2>b</table><dl><dt>t<dd>d</dl><ul><li>x<li><ul><li>y</ul></ul>
      <blockquote></blockquote><svg><circle r="5"/></svg><p>&#1;&#xfffe; end</p>`
    const { names, bytes, warnings, parts, text } = await book('Das Buch.html', html)
    expect(names).toEqual(['Das Buch.epub'])
    expect(await faults(bytes)).toEqual([])
    expect(bytes.subarray(30, 58).toString()).toBe('mimetypeapplication/epub+zip')
    expect(text('package.opf')).toMatch(/<dc:title>Das Buch<\/dc:title>\s*<dc:language>de</)
    expect([...parts.keys()].filter((name) => /chapter|images/.test(name))).toEqual([
      'chapter-1.xhtml',
      'chapter-2.xhtml',
      'chapter-3.xhtml',
      'images/picture-1.png',
      'images/picture-2.png',
    ])
    expect(parts.get('images/picture-1.png')).toEqual(await picture())
    expect(text('nav.xhtml').replace(/<[^>]*>\s*/g, '|')).toMatch(/One &#38; only\|+Deep down\|+Two\|/)
    const one = text('chapter-2.xhtml')
    expect(one).toContain('<a href="chapter-3.xhtml#a-two">two</a> none')
    expect(one).toContain('bad other <a href="https://example.com/%C3%A4%20%C3%B6">out</a>')
    expect(one).not.toMatch(/script|iframe|passwd|127\.0\.0\.1/)
    expect(text('chapter-3.xhtml')).toContain('<th>a</th><td colspan="2">b</td>')
    expect(warnings).toEqual([
      expect.stringContaining('has a script that did not run'),
      expect.stringContaining('references 3 files outside itself'),
    ])
  })

  test('Markdown and text; the same text gives the same bytes', async () => {
    const notes = await book('notes.md', '# Notes\n\n1. one\n2. two\n\n```js\nx < 1\n```\n')
    expect(await faults(notes.bytes)).toEqual([])
    expect(notes.text('chapter-1.xhtml')).toContain('<pre><code class="language-js">x &#60; 1\n</code></pre>')
    const [one, other] = [
      await book('poem.txt', 'Gr\u00f6\u00dfe\r\nline <2>\r\n\r\nnext'),
      await book('poem.txt', Buffer.from('Gr\xf6\xdfe\nline <2>\n\nnext', 'latin1')),
    ]
    expect(one.bytes).toEqual(other.bytes)
    expect(await faults(one.bytes)).toEqual([])
    expect(one.text('chapter-1.xhtml')).toContain('<p>Größe<br/>line &#60;2&#62;</p>\n<p>next</p>')
    expect(one.text('nav.xhtml')).toContain('<a href="chapter-1.xhtml">poem</a>')
  })

  test('DOCX: headings, lists, tables and its own pictures', async () => {
    const text = (words: string) => [{ kind: 'text', text: words }] as const
    const docx = await writeDocx({
      title: 'x',
      blocks: [
        { kind: 'heading', level: 1, inlines: text('Head') },
        { kind: 'list', ordered: true, start: 1, items: [{ blocks: [{ kind: 'paragraph', inlines: text('item') }] }] },
        {
          kind: 'table',
          rows: [
            {
              isHeader: true,
              cells: [{ blocks: [{ kind: 'paragraph', inlines: text('cell') }], columnSpan: 1, rowSpan: 1 }],
            },
          ],
        },
        {
          kind: 'paragraph',
          inlines: [{ kind: 'picture', bytes: await picture(), type: 'png', width: 30, height: 20, alt: 'red' }],
        },
      ],
    })
    const { bytes, parts, text: part, warnings } = await book('letter.docx', docx)
    expect(await faults(bytes)).toEqual([])
    const chapter = part('chapter-1.xhtml')
    expect(chapter).toMatch(/<h1 [^>]*>Head<\/h1>\s*<ol>\s*<li>item<\/li>\s*<\/ol>\s*<table>/)
    expect(chapter).toMatch(/<th>(<strong>)?cell/)
    expect(chapter).toContain('alt="red"')
    expect(parts.get('images/picture-1.png')).toEqual(await picture())
    expect(warnings).toEqual([])
  })

  test.each<[string, string | Buffer, string, string]>([
    ['empty.txt', '', 'EMPTY_FILE', 'is empty'],
    ['blank.txt', ' \n\n ', 'PROCESSING_FAILED', 'has no text'],
    ['text.docx', 'text', 'INVALID_FILE', 'is plain text, not DOCX'],
    ['cut.docx', Buffer.from('504b0304140000000800', 'hex'), 'UNSUPPORTED_FILE_TYPE', 'ZIP'],
    ['odd.docx', rawZip([{ name: 'word/document.xml', data: '<w:document' }]), 'INVALID_FILE', 'is damaged'],
  ])('%s', async (name, content, code, words) => {
    await expect(book(name, content)).rejects.toMatchObject({ code, message: expect.stringContaining(words) })
  })
})

describe('epub-convert', () => {
  const HEAD =
    '<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title/><script src="x.js"/></head>'
  const ITEMS = `<o:item id="a" href="text/a%20b.xhtml" media-type="application/xhtml+xml"/><o:item id="b" href="b.xhtml" media-type="application/xhtml+xml"/>`

  /** A book of another program: prefixes, its own folder, links between chapters, and missing targets. */
  async function foreign(changes: Readonly<Record<string, string>> = {}): Promise<Buffer> {
    const parts: Record<string, string | Buffer> = {
      'META-INF/container.xml':
        '<c:container xmlns:c="urn:oasis:names:tc:opendocument:xmlns:container"><c:rootfiles><c:rootfile full-path="O/x.opf"/></c:rootfiles></c:container>',
      'O/x.opf': `<o:package xmlns:o="http://www.idpf.org/2007/opf"><o:metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>007</dc:title><dc:creator>A</dc:creator><dc:creator>B</dc:creator><dc:language>de</dc:language></o:metadata><o:manifest>${ITEMS}</o:manifest><o:spine><o:itemref idref="a"/><o:itemref idref="b"/><o:itemref idref="gone"/></o:spine></o:package>`,
      'O/text/a b.xhtml': `${HEAD}<body><h1><a id="x"/>One</h1><p>See <a href="../b.xhtml#note">the note</a>. <img src="../img/p.png" alt="red"/><img src="http://127.0.0.1/far.png" alt="far"/><img src="file:///etc/passwd"/></p><p style="display: none">hidden</p><script>alert(1)</script></body></html>`,
      'O/b.xhtml': `${HEAD}<body><h2>Two *stars*</h2><p>1. no list</p><p># no heading</p><aside epub:type="footnote" id="note"><p><b>The</b> note</p></aside><table><tr><th>a|b</th></tr><tr><td>1<br/>2</td></tr></table><ol start="3"><li>x<ul><li>y</li></ul></li></ol></body></html>`,
      'O/img/p.png': await picture(),
      ...changes,
    }
    const entries = Object.entries(parts).map(([name, data]) => ({ name, data }))
    return rawZip([{ name: 'mimetype', data: 'application/epub+zip', method: 0 }, ...entries])
  }

  async function converted(format: string, content: Uint8Array, name = 'b.epub') {
    const { paths, names, warnings } = await run(epubConvert, folder, [written(name, content)], { format })
    expect(names).toEqual([`b.${format}`])
    return { path: paths[0]!, text: readFileSync(paths[0]!, 'utf8'), warnings }
  }

  const LACKS = [
    expect.stringContaining('references 2 files outside itself'),
    'b.epub names 1 chapter that it does not hold',
  ]

  test('HTML: one page with its own pictures, and working links', async () => {
    const { text, warnings } = await converted('html', await foreign())
    expect(text).toContain('<html lang="de">')
    expect(text).toContain('<title>007</title>')
    const [, target] = /<a href="#([^"]*)">the note<\/a>/.exec(text)!
    expect(text).toContain(`<p id="${target}"><strong>The</strong> note</p>`)
    expect(text).toContain(
      `<img src="data:image/png;base64,${(await picture()).toString('base64')}" alt="red" width="30" height="20"/>`,
    )
    expect(text).toContain('<ol start="3">')
    expect(text).not.toMatch(/hidden|script|127\.0\.0\.1|passwd/)
    expect(warnings).toEqual(LACKS)
  })

  test('Markdown: escapes literal characters', async () => {
    const { text, warnings } = await converted('md', await foreign())
    expect(text).toBe(
      '# One\n\nSee the note. *red*<!-- -->*far*\n\n## Two \\*stars\\*\n\n1\\. no list\n\n\\# no heading\n\n**The** note\n\n| a\\|b |\n| --- |\n| 1<br>2 |\n\n3. x\n   - y\n',
    )
    expect(warnings).toEqual([...LACKS, expect.stringContaining('A picture is left out')])
  })

  test('DOCX: chapters on pages of their own, links and pictures', async () => {
    const { path } = await converted('docx', await foreign())
    const parts = new Map((await readZip(path)).map(({ name, data }) => [name, data]))
    const document = parts.get('word/document.xml')!.toString()
    expect(document).toContain('<w:br w:type="page"/>')
    const [, anchor] = /<w:hyperlink w:history="1" w:anchor="(\w+)">(?:(?!<\/w:hyperlink>).)*the note/.exec(document)!
    expect(document).toContain(`w:name="${anchor}"`)
    expect([...parts.keys()].filter((name) => name.startsWith('word/media/'))).toHaveLength(1)
    expect(parts.get('docProps/core.xml')!.toString()).toMatch(/<dc:title>007<.*<dc:creator>A, B</)
  })

  test.skipIf(!hasBrowser)('PDF: its chapters start new pages', async () => {
    const { path } = await converted('pdf', await sampleBook())
    const document = await openPdf(path)
    const texts = extractPageTexts(document)
    document.close()
    expect(texts).toEqual([
      expect.stringMatching(/The lake[\s\S]*one heron/),
      expect.stringContaining('under the blue pot'),
    ])
  })

  test.each<[string, () => Promise<Buffer> | Buffer | string, string, string]>([
    ['empty.epub', () => '', 'EMPTY_FILE', 'is empty'],
    ['text.epub', () => 'text', 'INVALID_FILE', 'is plain text'],
    ['zip.epub', () => rawZip([{ name: 'a.txt', data: 'x' }]), 'UNSUPPORTED_FILE_TYPE', 'is ZIP by its content'],
    ['cut.epub', async () => (await foreign()).subarray(0, 400), 'INVALID_FILE', 'is not a whole ZIP'],
    [
      'bare.epub',
      () => foreign({ 'META-INF/container.xml': '<container/>' }),
      'INVALID_FILE',
      'its container does not name a book',
    ],
    ['torn.epub', () => foreign({ 'O/x.opf': '<package><spine>' }), 'INVALID_FILE', 'is not well-formed XML'],
    [
      'blank.epub',
      () => foreign({ 'O/text/a b.xhtml': HEAD, 'O/b.xhtml': HEAD }),
      'PROCESSING_FAILED',
      'holds no text',
    ],
    [
      'locked.epub',
      () =>
        foreign({
          'META-INF/encryption.xml':
            '<encryption xmlns:e="x"><e:EncryptedData><e:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></e:EncryptedData></encryption>',
        }),
      'PASSWORD_PROTECTED',
      'is locked by its seller',
    ],
  ])('%s', async (name, content, code, words) => {
    await expect(run(epubConvert, folder, [written(name, await content())], { format: 'md' })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words),
    })
  })
})
