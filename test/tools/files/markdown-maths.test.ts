/** Formulas in Markdown: as MathML for browsers and books, and as equations of Word. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EpubCheck } from '@likecoin/epubcheck-ts'
import { expect, test } from 'vitest'
import { renderMarkdown } from '../../../src/engines/documents/markdown.ts'
import { parseXml } from '../../../src/engines/xml.ts'
import epubConvert from '../../../tools/files/epub-convert.ts'
import markdownToDocx from '../../../tools/files/markdown-to-docx.ts'
import toEpub from '../../../tools/files/to-epub.ts'
import { readZip } from '../../helpers/raw-zip.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const html = async (text: string): Promise<string> => (await renderMarkdown(text)).body

test('what is a formula, and what is text', async () => {
  expect(await html('a $x^2$ b')).toContain('<msup><mi>x</mi><mn>2</mn></msup>')
  expect((await html('$$\\frac{a}{b}$$')).match(/<math[^>]*display="block"/g)).toHaveLength(1)
  expect((await html('$$\na\n\nb\n$$')).match(/<math/g)).toHaveLength(1)
  expect((await html('before $$a$$ after, and $b$')).match(/<math/g)).toHaveLength(2)
  for (const text of ['$5 and $6', 'costs $ 5 $', 'only $5', '\\$x\\$', '`$x$`', '$5, `$x$` and $6', '    $$x$$', '$$'])
    expect(await html(text), text).not.toContain('<math')
})

test('many formulas that are not closed are read once', async () => {
  for (const end of ['', 'b$$\n']) expect(await html(`${'$$a\n'.repeat(20_000)}${end}`)).toContain('<math')
})

test('letters of other styles, and the alignment of columns, are written as browsers read them', async () => {
  expect(await html('$\\mathbb{R} \\mathcal{H} \\mathfrak{g} \\mathbf{v}$')).toMatch(/ℝ.*ℋ.*𝔤.*𝐯/s)
  const cells = (await html('$$\\begin{aligned} a &= b \\end{aligned}$$')).match(/<mtd[^>]*>/g)
  expect(cells).toEqual([
    '<mtd style="text-align: right; padding-left: 0; padding-right: 0">',
    '<mtd style="text-align: left; padding-left: 0; padding-right: 0">',
  ])
})

test('a formula that cannot be read is shown as source, with a warning; a hostile one neither hangs nor adds a link', async () => {
  const page = await renderMarkdown('$\\frac{a$ and $\\nothing<b>$ and $x$')
  expect(page.body).toContain('<code>\\frac{a</code>')
  expect(page.body).toContain('<code>\\nothing&lt;b&gt;</code>')
  expect(page.body.match(/<math/g)).toHaveLength(1)
  expect(page.faults).toEqual([
    expect.stringMatching(/^the formula \\frac\{a cannot be read and is shown as source: /),
    expect.stringContaining('Undefined control sequence: \\nothing'),
  ])
  const endless = await renderMarkdown('$\\def\\a{\\a\\a}\\a$')
  expect(endless.faults).toEqual([expect.stringContaining('expansion')])
  expect(await html('$\\href{javascript:alert(1)}{x} \\htmlStyle{color: red}{y}$')).not.toMatch(
    /javascript:(?![^<]*<\/(annotation|code))|href=/,
  )
})

const FORMULAS = [
  '$$\\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt{\\pi}}{2}$$',
  '$$A = \\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}$$',
  '$$\\sum_{i=1}^n \\sqrt[3]{i} + \\hat{x} + \\overline{ab} + \\underbrace{c}_{d} + \\boxed{e}$$',
  'text $\\binom{n}{k} \\sin x \\text{ if } y$ text $$z$$ more text',
].join('\n\n')

async function document(text: string): Promise<{ xml: string; warnings: string[] }> {
  const path = join(folder, 'maths.md')
  writeFileSync(path, text)
  const { paths, warnings } = await run(markdownToDocx, folder, [path])
  const part = (await readZip(paths[0]!)).find(({ name }) => name === 'word/document.xml')
  const xml = part!.data.toString()
  await parseXml(xml, 'document.xml')
  return { xml, warnings }
}

test('Word: real equations with integrals, roots, matrices in growing brackets, sums, accents and text', async () => {
  const { xml, warnings } = await document(FORMULAS)
  expect(warnings).toEqual([])
  expect(xml.match(/<m:oMathPara\b/g)).toHaveLength(4)
  expect(xml.match(/<m:oMath\b/g)).toHaveLength(5)
  const chosen = (tag: string) =>
    [...xml.matchAll(new RegExp(`<m:${tag} m:val="([^"]*)"/>`, 'g'))].map(([, value]) => value)
  expect(chosen('chr')).toEqual(['∫', '∑', '\u0302', '⏟'])
  expect(chosen('begChr')).toEqual(['(', '('])
  expect(chosen('endChr')).toEqual([')', ')'])
  expect(chosen('type')).toEqual(['bar', 'noBar'])
  for (const tag of ['rad', 'm', 'bar', 'groupChr', 'limLow', 'borderBox', 'acc'])
    expect(xml, tag).toContain(`<m:${tag}>`)
  expect(xml).toMatch(/<m:sty m:val="p"\/><\/m:rPr><m:t[^>]*>sin</)
  expect(xml).toMatch(/<m:nor\/><\/m:rPr><m:t[^>]*>\u200b\sif\s\u200b</)
  // No source remains, and a displayed formula is a paragraph of its own.
  expect(xml).not.toContain('\\frac')
  expect(xml).toMatch(/<w:p>(?:(?!<\/w:p>|<w:t).)*<m:oMathPara(?:(?!<\/w:p>|<w:t).)*<m:t[^>]*>z</)
})

test('EPUB: MathML, declared in the manifest, valid for EPUBCheck', async () => {
  const path = join(folder, 'book.md')
  writeFileSync(path, `# One\n\n${FORMULAS}\n\n# Two\n\nnone\n`)
  const { paths } = await run(toEpub, folder, [path])
  const parts = await readZip(paths[0]!)
  const opf = parts.find(({ name }) => name.endsWith('.opf'))!.data.toString()
  expect(opf.match(/properties="mathml"/g)).toHaveLength(1)
  const { messages } = await EpubCheck.validate(new Uint8Array(readFileSync(paths[0]!)))
  expect(messages.filter(({ severity }) => severity !== 'usage').map(({ message }) => message)).toEqual([])
})

test('formulas of HTML and of books bring no other elements with them', async () => {
  const hostile =
    '<mtext><script xmlns="http://www.w3.org/1999/xhtml">alert(1)</script><iframe src="https://example.com"></iframe>' +
    '<style>*{display:none}</style>kept</mtext><annotation-xml encoding="text/html"><img src="x" onerror="y"/></annotation-xml>'
  const page = join(folder, 'hostile.html')
  writeFileSync(page, `<!DOCTYPE html><title>t</title><p>One <math><mi onclick="z">y</mi>${hostile}</math> two</p>`)
  const [book] = (await run(toEpub, folder, [page])).paths
  const [html] = (await run(epubConvert, folder, [book!], { format: 'html' })).paths
  const [markdown] = (await run(epubConvert, folder, [book!], { format: 'md' })).paths
  const texts = (await readZip(book!)).map(({ data }) => data.toString()).filter((text) => text.includes('<math'))
  for (const text of [...texts, readFileSync(html!, 'utf8')]) {
    expect(text).toMatch(/<math[^>]*><mi>y<\/mi><mtext>kept<\/mtext><\/math>/)
    expect(text).not.toMatch(/<script|<iframe|onclick|onerror|alert\(1\)|display:none/)
  }
  expect(texts).toHaveLength(1)
  expect(readFileSync(markdown!, 'utf8')).toContain('One $ykept$ two')
})
