/** What printing a page loses: scripts, pictures, and content that is wider than the paper. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chromium } from '../../../src/engines/chromium.ts'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { extractPageTexts } from '../../../src/media/pdf/structure/text.ts'
import type { Tool } from '../../../src/tool/contract.ts'
import htmlToPdf from '../../../tools/files/html-to-pdf.ts'
import markdownToDocx from '../../../tools/files/markdown-to-docx.ts'
import markdownToPdf from '../../../tools/files/markdown-to-pdf.ts'
import toEpub from '../../../tools/files/to-epub.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

async function made(tool: Tool, name: string, content: string) {
  const path = join(mkdtempSync(join(folder, 'in-')), name)
  writeFileSync(path, content)
  return run(tool, folder, [path])
}

async function printed(tool: Tool, name: string, content: string) {
  const { paths, warnings } = await made(tool, name, content)
  const document = await openPdf(paths[0]!)
  const text = extractPageTexts(document).join('\n')
  document.close()
  const width = Number(/MediaBox\s*\[0 0 ([\d.]+)/.exec(readFileSync(paths[0]!, 'latin1'))?.[1])
  return { text, warnings, width }
}

const INVOICE = `<table id="rows"><tr><th>Item</th></tr></table>
<script>document.getElementById('rows').innerHTML += '<tr><td>Lamp</td></tr>'</script>`
/** None of it runs by itself. */
const QUIET = `<h1 onclick="fold(this)">Terms</h1><script type="application/ld+json">{"a": 1}</script>
<script type="text/template"><b>x</b></script><script> </script><template><script>later()</script></template><p>Words</p>`

const columns = (count: number): string[] => Array.from({ length: count }, (_, index) => `COLUMN${index + 10}XXXXXX`)
const table = (count: number): string =>
  `<table border="1"><tr>${columns(count)
    .map((cell) => `<td>${cell}</td>`)
    .join('')}</tr></table>`

test('an EPUB of a page with scripts reports that they did not run', async () => {
  expect((await made(toEpub, 'invoice.html', INVOICE)).warnings).toEqual([
    expect.stringContaining('invoice.html has a script that did not run'),
  ])
  expect((await made(toEpub, 'quiet.html', QUIET)).warnings).toEqual([])
})

const PICTURES = '# Hills\n\n![near](hill.png) ![other](pictures/lake.jpg)\n'
const NAMED = expect.stringMatching(/^hills\.md references 2 files outside itself .*: hill\.png, pictures\/lake\.jpg$/)

test('a Word document without its pictures names them', async () => {
  expect((await made(markdownToDocx, 'hills.md', PICTURES)).warnings).toEqual([NAMED])
})

describe.skipIf(!(await chromium.probe()).available)('by a browser', () => {
  test('scripts that did not run cause a warning; data blocks and event handlers do not', async () => {
    const invoice = await printed(htmlToPdf, 'invoice.html', `<body onload="start()">${INVOICE}`)
    expect(invoice.text).not.toContain('Lamp')
    expect(invoice.warnings).toEqual([expect.stringContaining('invoice.html has 2 scripts that did not run')])
    expect((await printed(htmlToPdf, 'quiet.html', QUIET)).warnings).toEqual([])
  })

  test('names pictures that are not shown, in any notation', async () => {
    expect((await printed(markdownToPdf, 'hills.md', PICTURES)).warnings).toEqual([NAMED])
    const page = `<link rel="stylesheet" href="print.css"><img src="file:///photos/a.png"><img src="data:image/png;base64,AAAA">
      <img src="http://192.0.2.1/b.png"><div style="background-image: url(c.png)">x</div><img src="hidden.png" style="display: none">
      <img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><rect width='9' height='9'/></svg>"><img alt="">`
    const { warnings } = await printed(htmlToPdf, 'page.html', page)
    expect(warnings).toEqual([
      expect.stringContaining('page.html references 4 files outside itself'),
      'page.html holds 1 damaged picture that cannot be displayed',
    ])
    for (const name of ['print.css', 'file:///photos/a.png', 'http://192.0.2.1/b.png', 'c.png'])
      expect(warnings[0]).toContain(name)
  })

  test('shrinks a table that is wider than the paper to fit all columns, with a warning', async () => {
    const line = `${'long line of a program '.repeat(4)}END`
    const scrolled = `<pre style="overflow-x: auto; font: 16px monospace">${line}</pre>`
    const { text, warnings, width } = await printed(htmlToPdf, 'wide.html', table(7) + scrolled)
    for (const column of columns(7)) expect(text).toContain(column)
    expect(text).toContain('END')
    expect(width).toBeCloseTo(595.9, 0)
    expect(warnings).toEqual([
      expect.stringMatching(/^wide\.html is wider than its pages and is printed at [5-7]\d? %/),
    ])
    const only = await printed(htmlToPdf, 'program.html', scrolled)
    expect([only.text, only.warnings]).toEqual([
      expect.stringContaining('END'),
      [expect.stringContaining('is printed at')],
    ])
  })

  test('cuts columns that do not fit at half the size, and names the first of them', async () => {
    const head = columns(20).join(' | ')
    const markdown = `| ${head} |\n|${' - |'.repeat(20)}\n`
    const { text, warnings } = await printed(markdownToPdf, 'wide.md', markdown)
    expect(warnings).toEqual([
      expect.stringMatching(/wider than its pages even at 50 %: a table \("COLUMN\d\dX+"\) is cut/),
    ])
    const first = columns(20).indexOf(/COLUMN\w+/.exec(warnings[0]!)![0])
    expect(first).toBeGreaterThan(4)
    for (const column of columns(first)) expect(text).toContain(column)
    expect(text).not.toContain(columns(20)[first + 1])
  })

  test('pages that fit, by their size or by hidden parts, cause no warning', async () => {
    const landscape = `<style>@media print { @page { size: A3 landscape; margin: 1cm } }</style>${table(7)}`
    const { text, warnings, width } = await printed(htmlToPdf, 'landscape.html', landscape)
    expect([warnings, Math.round(width)]).toEqual([[], 1191])
    expect(text).toContain(columns(7).at(-1))
    const hidden = `<body style="margin: 0"><div style="width: 100vw">${'plain words '.repeat(90)}</div>
      <div style="overflow: hidden; white-space: nowrap">${'clipped '.repeat(90)}</div>
      <nav style="position: fixed; left: 100%; width: 300px">menu</nav><p style="width: 2000px">short</p>`
    expect((await printed(htmlToPdf, 'hidden.html', hidden)).warnings).toEqual([])
  })
})
