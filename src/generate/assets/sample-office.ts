import { packParts } from '../../engines/documents/zip-package.ts'
import { writeEpub } from '../../media/epub/write.ts'
import { fromHtml } from '../../media/rich-text/from-html.ts'

const NAMESPACES = Object.entries({
  office: 'office:1.0',
  style: 'style:1.0',
  text: 'text:1.0',
  table: 'table:1.0',
  draw: 'drawing:1.0',
  presentation: 'presentation:1.0',
  fo: 'xsl-fo-compatible:1.0',
  svg: 'svg-compatible:1.0',
  manifest: 'manifest:1.0',
})
  .map(([prefix, name]) => `xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${name}"`)
  .join(' ')

/** The smallest OpenDocument file around a body; `styles` are automatic ones. */
export function openDocument(
  kind: 'text' | 'presentation',
  body: string,
  { styles = '', parts = {} }: { styles?: string; parts?: Readonly<Record<string, string>> } = {},
): Promise<Uint8Array> {
  const mime = `application/vnd.oasis.opendocument.${kind}`
  const entry = (path: string, type: string): string =>
    `<manifest:file-entry manifest:full-path="${path}" manifest:media-type="${type}"/>`
  const entries = ['content.xml', ...Object.keys(parts)].map((path) => entry(path, 'text/xml'))
  const content = `<office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body>`
  const all = {
    mimetype: mime,
    'content.xml': `<?xml version="1.0" encoding="UTF-8"?>\n<office:document-content ${NAMESPACES} xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.3">${content}</office:document-content>`,
    'META-INF/manifest.xml': `<?xml version="1.0" encoding="UTF-8"?>\n<manifest:manifest ${NAMESPACES} manifest:version="1.3">${entry('/', mime)}${entries.join('')}</manifest:manifest>`,
    ...parts,
  }
  return packParts(new Map(Object.entries(all).map(([path, text]) => [path, Buffer.from(text)])))
}

const BOLD =
  '<style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>'

/** A short letter with a heading, bold words and a table. */
export function sampleLetter(): Promise<Uint8Array> {
  const cell = (text: string): string =>
    `<table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell>`
  const row = (...cells: string[]): string => `<table:table-row>${cells.map(cell).join('')}</table:table-row>`
  return openDocument(
    'text',
    `<text:h text:outline-level="1">The boat house</text:h>
<text:p>Dear Ada,</text:p>
<text:p>the keys are <text:span text:style-name="B">under the blue pot</text:span>. This is what the house needs:</text:p>
<table:table table:name="Needs"><table:table-column table:number-columns-repeated="2"/>${row('what', 'how much')}${row('paint', '2 cans')}${row('nails', 'one box')}</table:table>
<text:p>Yours, Émilie</text:p>`,
    { styles: BOLD },
  )
}

/** Two slides with a title and a few words each. */
export function sampleSlides(): Promise<Uint8Array> {
  const box = (y: number, height: number, text: string): string =>
    `<draw:frame svg:x="2cm" svg:y="${y}cm" svg:width="21cm" svg:height="${height}cm"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`
  const slide = (title: string, words: string): string =>
    `<draw:page draw:name="${title}">${box(1.5, 2, title)}${box(5, 6, words)}</draw:page>`
  return openDocument(
    'presentation',
    slide('Birds of the lake', 'Two days, early in the year') + slide('What was seen', '12 coots and a heron'),
  )
}

/** A book of two short chapters, one with a link to the other. */
export async function sampleBook(): Promise<Uint8Array> {
  const { blocks } = await fromHtml(`<h1>The lake</h1>
<p>Early in the year the lake is <em>quiet</em>; the coots come <a href="#second">later</a>.</p>
<ul><li>12 coots</li><li>one heron</li></ul>
<h1 id="second">The boat house</h1>
<p>The keys are under the blue pot.</p>`)
  return writeEpub({ title: 'Two days at the lake', author: 'Émilie', language: 'en', blocks })
}
