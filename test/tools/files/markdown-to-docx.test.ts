import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { parseXml } from '../../../src/engines/xml.ts'
import markdownToDocx from '../../../tools/files/markdown-to-docx.ts'
import { readZip } from '../../helpers/raw-zip.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const MARKDOWN = (picture: string) => `# Field *notes*

Two **bold** and *slanted* words, \`code\`, ~~gone~~,${'  '}
[a link](https://example.com/?a=1&b=2), [a bad one](javascript:alert(1)), <b>not bold</b>.
![far away](https://example.com/a.png) ![red](data:image/png;base64,${picture})

- one
- two

  3. three
  4. four

     still four

1. again

| left | right |
| ---- | ----: |
| x    |    12 |

> quoted

\`\`\`js
const x = '<b>'
  indented
\`\`\`

---

###### Größe 日本 🎉
`

const red = (): Promise<Buffer> =>
  sharp({ create: { width: 30, height: 20, channels: 3, background: '#ff0000' } })
    .png()
    .toBuffer()

async function made(name: string, content: string | Uint8Array) {
  const path = join(folder, name)
  writeFileSync(path, content)
  const { paths, names, warnings } = await run(markdownToDocx, folder, [path])
  const parts = new Map((await readZip(paths[0]!)).map((entry) => [entry.name, entry.data]))
  for (const [part, data] of parts) if (/\.(xml|rels)$/.test(part)) await parseXml(data.toString(), part)
  return { path: paths[0]!, names, warnings, parts, document: parts.get('word/document.xml')!.toString() }
}

/** The properties and the text of the paragraph with a text. */
function paragraph(document: string, text: string): string {
  return document.match(/<w:p>(?:(?!<\/w:p>)[\s\S])*<\/w:p>/g)!.find((one) => one.includes(text))!
}

test("headings, emphasis, links, lists, tables, quotes, code and pictures use Word's own styles", async () => {
  const data = await red()
  const { names, warnings, parts, document } = await made('notes.md', MARKDOWN(data.toString('base64')))
  expect(names).toEqual(['notes.docx'])
  expect(warnings).toEqual([expect.stringContaining('notes.md references a file outside itself')])
  expect(parts.get('docProps/core.xml')!.toString()).toContain('<dc:title>Field notes</dc:title>')

  expect(paragraph(document, 'Field ')).toMatch(/w:pStyle w:val="Heading1".*<w:i\/>.*notes/s)
  expect(paragraph(document, 'Größe 日本 🎉')).toContain('w:pStyle w:val="Heading6"')
  const text = paragraph(document, 'Two ')
  for (const [mark, word] of [
    ['<w:b/>', 'bold'],
    ['<w:i/>', 'slanted'],
    ['<w:strike/>', 'gone'],
    ['Courier New', 'code'],
  ])
    expect(text.match(/<w:r>(?:(?!<\/w:r>).)*<\/w:r>/gs)!.find((one) => one.includes(`>${word}<`))).toContain(mark)
  expect(text).toContain('<w:br/>')
  expect(text).toContain('&lt;b&gt;not bold&lt;/b&gt;')
  expect(text).toContain('far away')

  const relations = parts.get('word/_rels/document.xml.rels')!.toString()
  expect(relations.match(/TargetMode="External"/g)).toHaveLength(1)
  expect(relations).toContain('Target="https://example.com/?a=1&amp;b=2"')
  const picture = [...parts.keys()].filter((name) => name.startsWith('word/media/'))
  expect(parts.get(picture[0]!)).toEqual(data)
  // 30 x 20 CSS pixels in EMU.
  expect(text).toContain('<wp:extent cx="285750" cy="190500"/>')
  expect(text).toMatch(/<wp:docPr[^>]*descr="red"/)

  expect(paragraph(document, '>one<')).toMatch(/<w:ilvl w:val="0"\/>/)
  const [three, four, again] = ['>three<', '>four<', '>again<'].map(
    (words) => /<w:ilvl w:val="(\d)"\/><w:numId w:val="(\d+)"\/>/.exec(paragraph(document, words))!,
  )
  expect([three![1], four![1], again![1]]).toEqual(['1', '1', '0'])
  expect(three![2]).toBe(four![2])
  expect(again![2]).not.toBe(three![2])
  expect(parts.get('word/numbering.xml')!.toString()).toContain('<w:start w:val="3"/>')
  expect(paragraph(document, 'still four')).toMatch(/<w:ind w:left="720"\/>/)

  const table = /<w:tbl>.*<\/w:tbl>/s.exec(document)![0]
  expect(table.match(/<w:tr>/g)).toHaveLength(2)
  expect(table).toContain('<w:tblHeader/>')
  expect(paragraph(table, '>12<')).toContain('<w:jc w:val="right"/>')
  expect(paragraph(document, 'quoted')).toContain('w:pStyle w:val="Quote"')
  expect(paragraph(document, 'const x')).toMatch(/w:pStyle w:val="Code".*&lt;b&gt;.*<w:br\/>.*> {2}indented</s)
  expect(document).toContain('<w:pBdr>')
})

test('the same text gives the same bytes; the title of a document without a heading is its file name', async () => {
  const picture = await red()
  const text = `[a](https://a.b/) [b](https://c.d/) ![x](data:image/png;base64,${picture.toString('base64')})`
  const [one, other] = [await made('plain.md', text), await made('plain.md', text)]
  expect(readFileSync(one.path)).toEqual(readFileSync(other.path))
  expect(one.parts.get('docProps/core.xml')!.toString()).toContain('<dc:title>plain</dc:title>')
  expect(one.warnings).toEqual([])
})

test('empty, binary and Windows text', async () => {
  await expect(made('empty.md', '')).rejects.toMatchObject({ code: 'EMPTY_FILE' })
  await expect(made('picture.md', Buffer.from('89504e470d0a1a0a0000000d', 'hex'))).rejects.toMatchObject({
    code: 'UNSUPPORTED_FILE_TYPE',
  })
  expect((await made('old.md', Buffer.from('Gr\xf6\xdfe \x80', 'latin1'))).document).toContain('Größe €')
})
