/** markdown-to-html, markdown-to-pdf and html-to-pdf. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chromium } from '../../../src/engines/chromium.ts'
import type { Tool } from '../../../src/tool/contract.ts'
import htmlToPdf from '../../../tools/files/html-to-pdf.ts'
import markdownToHtml from '../../../tools/files/markdown-to-html.ts'
import markdownToPdf from '../../../tools/files/markdown-to-pdf.ts'
import pdfToText from '../../../tools/pdf/convert/pdf-to-text.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const MARKDOWN = `# Notes <on> things

Some *text* with \`code\` and <script>alert(1)</script>.

| a | b |
| - | - |
| 1 | 2 |

\`\`\`js
const x = '<b>'
\`\`\`

[bad](javascript:alert(1)) [good](https://example.com/) ![far](https://example.com/a.png) ~~gone~~
`

async function made(tool: Tool, name: string, content: string | Buffer) {
  const path = join(folder, name)
  writeFileSync(path, content)
  return run(tool, folder, [path])
}

test('Markdown as a whole page: tables, code, links; HTML in it is text, without scripts', async () => {
  const { paths, names } = await made(markdownToHtml, 'notes.md', MARKDOWN)
  expect(names).toEqual(['notes.html'])
  const html = readFileSync(paths[0]!, 'utf8')
  expect(html).toContain('<title>Notes &#60;on&#62; things</title>')
  expect(html).toContain('<td>1</td>')
  expect(html).toContain('<code class="language-js">const x = ')
  expect(html).toContain('<a href="https://example.com/">good</a>')
  expect(html).toContain('<img src="https://example.com/a.png" alt="far">')
  expect(html).toContain('<s>gone</s>')
  expect(html).toContain('&lt;script&gt;alert(1)')
  expect(html).not.toContain('<script')
  expect(html).not.toMatch(/href="javascript/)
})

test('the title of a document without a heading is its file name', async () => {
  const { paths } = await made(markdownToHtml, 'plain.md', 'only text')
  expect(readFileSync(paths[0]!, 'utf8')).toContain('<title>plain</title>')
})

describe.skipIf(!(await chromium.probe()).available)('by a browser', () => {
  const textOf = async (pdf: string): Promise<string> => {
    const { paths } = await run(pdfToText, folder, [pdf])
    return readFileSync(paths[0]!, 'utf8')
  }

  test('Markdown as a PDF with its text; omits external content, with a warning', async () => {
    const { paths, names, warnings } = await made(markdownToPdf, 'notes.md', MARKDOWN)
    expect(names).toEqual(['notes.pdf'])
    expect(await textOf(paths[0]!)).toMatch(/Notes <on> things[\s\S]*Some text with code/)
    expect(warnings).toEqual([expect.stringContaining('references a file outside itself')])
  })

  test('reads HTML that is not UTF-8 as declared in its head, else as a guess; UTF-16 by its byte order mark', async () => {
    const old = await made(htmlToPdf, 'old.html', Buffer.from('<p>Gr\u00fc\u00dfe</p>', 'latin1'))
    expect(await textOf(old.paths[0]!)).toContain('Gr\u00fc\u00dfe')
    const russian = '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r"><p>____</p>'
    const bytes = Buffer.concat([Buffer.from(russian.replace('____</p>', '')), Buffer.from('d0d2c9d7', 'hex')])
    const said = await made(htmlToPdf, 'said.html', bytes)
    expect(said.warnings).toEqual([])
    expect(await textOf(said.paths[0]!)).toContain('прив')
    const wide = await made(htmlToPdf, 'wide.html', Buffer.from('\ufeff<p>Gr\u00fc\u00dfe</p>', 'utf16le'))
    expect(wide.warnings).toEqual([])
    expect(await textOf(wide.paths[0]!)).toContain('Gr\u00fc\u00dfe')
  })

  test('HTML: keeps styles and data pictures; runs no script, reads no file, contacts no host', async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(request.url!)
      response.end('secret')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    writeFileSync(join(folder, 'secret.txt'), 'TOP SECRET')
    const html = `<!DOCTYPE html><style>@page { size: 100mm 50mm } .gone { display: none } @import url(http://127.0.0.1:${port}/style.css);</style>
      <h1>Größe 日本</h1><p class="gone">hidden</p><p id="p">before</p>
      <script>document.getElementById('p').textContent = 'changed'</script>
      <img src="http://127.0.0.1:${port}/a.png"><iframe src="file://${folder}/secret.txt"></iframe>
      <link rel="stylesheet" href="http://127.0.0.1:${port}/b.css"><object data="file:///etc/passwd"></object>`
    try {
      const { paths, names, warnings } = await made(htmlToPdf, 'page.html', html)
      expect(names).toEqual(['page.pdf'])
      const text = await textOf(paths[0]!)
      expect(text).toContain('Größe 日本')
      expect(text).toContain('before')
      for (const word of ['hidden', 'changed', 'SECRET', 'root:']) expect(text).not.toContain(word)
      expect(warnings.join()).toContain('outside itself')
      expect(asked).toEqual([])
      // 100 x 50 mm in points.
      expect(readFileSync(paths[0]!, 'latin1')).toMatch(/MediaBox\s*\[0 0 28[234][.\d]* 14[12][.\d]*\]/)
    } finally {
      server.close()
    }
  })
})
