/** Content that office programs load by themselves is removed from their copy; hyperlinks stay. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { openMediaFile } from '../../../src/media/file.ts'
import { closedCopy } from '../../../src/media/office/closed-copy.ts'
import { closeSvg } from '../../../src/media/office/closed-drawing.ts'
import { withoutRtfLinks } from '../../../src/media/office/rtf-links.ts'
import { rawZip, readZip } from '../../helpers/raw-zip.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** The parts of the closed copy of an office file with the given parts. */
async function closed(name: string, parts: Readonly<Record<string, string | Buffer>>) {
  const path = join(folder, name)
  writeFileSync(
    path,
    rawZip(Object.entries(parts).map(([part, data]) => ({ name: part, data, method: part === 'mimetype' ? 0 : 8 }))),
  )
  const { bytes, leftOut } = await closedCopy(await openMediaFile(path))
  const copy = join(folder, `copy-${name}`)
  writeFileSync(copy, bytes)
  return { leftOut, parts: new Map((await readZip(copy)).map((entry) => [entry.name, entry.data.toString()])) }
}

const ODT = { mimetype: 'application/vnd.oasis.opendocument.text' }
const relation = (type: string, target: string, mode = ' TargetMode="External"'): string =>
  `<Relationship Id="r" Type="http://example.com/${type}" Target="${target}"${mode}/>`

test('Office Open XML: removes external relations, keeps hyperlinks and internal parts', async () => {
  const inside = relation('image', 'media/a.png', '')
  const link = relation('hyperlink', 'https://example.com/')
  const rels = [
    relation('image', 'http://127.0.0.1/a.png'),
    relation('image', 'file:///etc/passwd', ''),
    "<r:Relationship TargetMode='External' Type='x/oleObject' Target='C:\\a' Id='q'></r:Relationship>",
    relation('aFChunk', 'part.html', ''),
    relation('attachedTemplate', 'file:///C:/Normal.dotm'),
  ]
  const { parts, leftOut } = await closed('a.docx', {
    'word/document.xml': '<?xml version="1.0"?><a/>',
    'word/_rels/document.xml.rels': `<Relationships>${inside}${rels.join('')}${link}</Relationships>`,
    'word/media/a.png': 'picture',
  })
  // No page needs the template.
  expect(leftOut).toBe(4)
  expect(parts.get('word/_rels/document.xml.rels')!.replace('</r:Relationship>', '')).toBe(
    `<Relationships>${inside}${link}</Relationships>`,
  )
  expect(parts.get('word/media/a.png')).toBe('picture')
})

test('OpenDocument: any address, in any encoding', async () => {
  const content = (...hrefs: string[]): string =>
    hrefs.map((href) => `<draw:image xlink:href="${href}"/>`).join('') +
    '<text:a xlink:href="https://example.com/">x</text:a>'
  const outside = ['http://h/a', 'file:///a', '&#x66;ile:///a', '../a', '/a', ' \\\\h\\a', 'vnd.sun.star.pkg://a']
  const { parts, leftOut } = await closed('a.odt', {
    ...ODT,
    'content.xml': `<?xml version="1.0"?><a xmlns:y="http://www.w3.org/1999/xlink">${content(...outside, 'Pictures/a.png')}<z y:href='smb://h'/></a>`,
    'styles.xml': Buffer.from(
      `\ufeff<?xml version="1.0" encoding="UTF-16"?><a>${content('http://h/b')}ö</a>`,
      'utf16le',
    ),
  })
  expect(leftOut).toBe(outside.length + 2)
  expect(parts.get('content.xml')).toBe(
    `<?xml version="1.0"?><a xmlns:y="http://www.w3.org/1999/xlink">${content(...outside.map(() => ''), 'Pictures/a.png')}<z y:href=""/></a>`,
  )
  expect(parts.get('styles.xml')).toBe(`<?xml version="1.0"?><a>${content('')}ö</a>`)
})

test('drawings: removes external pictures, styles and fonts, also from a compressed one', async () => {
  const svg = (href: string, css: string): string =>
    `<svg xmlns="http://www.w3.org/2000/svg"><style>${css}</style><image xlink:href="${href}"/><rect fill="url(#own)"/></svg>`
  const hostile = svg('file:///etc/passwd', '@import "http://h/x"; a { src: url( "http://h/f" ) }')
  const { parts, leftOut } = await closed('b.docx', {
    'word/document.xml': '<a/>',
    'word/media/a.svg': hostile,
    'word/media/b.svgz': gzipSync(hostile),
    'word/media/c.svg': svg('data:image/png;base64,AAAA', 'a { fill: red }'),
    'word/media/d.svg': svg('data:image/svg+xml;base64,AAAA', ''),
  })
  expect(leftOut).toBe(7)
  for (const name of ['a.svg', 'b.svgz', 'd.svg']) expect(parts.get(`word/media/${name}`)).toMatch(/href=""/)
  for (const name of ['a.svg', 'b.svgz']) expect(parts.get(`word/media/${name}`)).not.toMatch(/http:\/\/h|passwd/)
  expect(parts.get('word/media/a.svg')).toContain('fill="url(#own)"')
  expect(parts.get('word/media/c.svg')).toBe(svg('data:image/png;base64,AAAA', 'a { fill: red }'))
})

test('other character encodings, `>` within values, and long comments hide nothing', async () => {
  const away = 'file:///etc/passwd'
  const { parts, leftOut } = await closed('e.docx', {
    'word/document.xml': '<a/>',
    'word/_rels/document.xml.rels': `<é:Relationships><é:Relationship Id="a>b" Target="${away}" Type="http://h/image" TargetMode="External"/></é:Relationships>`,
    'word/media/a.svg': `<svg><é:image xlink:href="${away}"/><image naïve=">" href="${away}"/><style id="a>b">@import "${away}";</style></svg>`,
    'word/media/b.svg': `<!--${' '.repeat(70_000)}--><ü:svg xmlns:ü="http://www.w3.org/2000/svg"><ü:image href="${away}"/></ü:svg>`,
  })
  expect(leftOut).toBe(5)
  for (const [name, text] of parts) expect(text, name).not.toContain('passwd')
})

test.each([
  ['entities of its own', '<!DOCTYPE a [<!ENTITY e "file:///">]><a href="&e;"/>', 'declares XML entities'],
  ['an encoding that hides markup', '<?xml version="1.0" encoding="utf-7"?><a/>', 'is written in utf-7'],
])('%s: refused', async (_what, text, words) => {
  await expect(closed('c.odt', { ...ODT, 'content.xml': text })).rejects.toMatchObject({
    code: 'INVALID_FILE',
    message: expect.stringContaining(words),
  })
})

test('reports a damaged part', async () => {
  const path = join(folder, 'd.odt')
  writeFileSync(
    path,
    rawZip([
      { name: 'mimetype', data: ODT.mimetype, method: 0 },
      { name: 'content.xml', data: '<a/>', checksum: 1 },
    ]),
  )
  await expect(closedCopy(await openMediaFile(path))).rejects.toMatchObject({
    code: 'INVALID_FILE',
    message: expect.stringContaining('its checksum is wrong'),
  })
})

test('RTF: removes fields that load, in any spelling; keeps others', () => {
  const field = (word: string): string => `{\\field{\\*\\fldinst {${word} "http://h/a" \\\\d}}{\\fldrslt {x}}}`
  const loading = ['INCLUDEPICTURE', 'INC\\b LUDETEXT', "\\'49NCLUDETEXT", '\\u73?MPORT', 'DDEAUTO']
  const { bytes, leftOut } = withoutRtfLinks(
    Buffer.from(`{\\rtf1 ${field('HYPERLINK')}${loading.map(field).join('')} end}`),
  )
  expect(leftOut).toBe(loading.length)
  const emptied = '{\\field{\\*\\fldinst  }{\\fldrslt {x}}}'
  expect(Buffer.from(bytes).toString()).toBe(`{\\rtf1 ${field('HYPERLINK')}${loading.map(() => emptied).join('')} end}`)
  const cut = withoutRtfLinks(Buffer.from('{\\rtf1 \\{ {\\field{\\*\\fldinst {DDE x'))
  expect(Buffer.from(cut.bytes).toString()).toBe('{\\rtf1 \\{ {\\field{\\*\\fldinst  ')
})

test('reads unclosed elements once', () => {
  expect(withoutRtfLinks(Buffer.from('{\\*\\fldinst INCLUDETEXT '.repeat(50_000))).leftOut).toBe(0)
  expect(closeSvg(`<svg>${'<style>url('.repeat(100_000)}`, () => '')).toBe('<svg><style>url(#')
})
