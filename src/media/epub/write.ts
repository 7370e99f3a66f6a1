import { createHash } from 'node:crypto'
import {
  allBlocks,
  type Block,
  type Heading,
  type Inline,
  type Picture,
  plainText,
  type RichText,
} from '../../engines/documents/rich-text.ts'
import { packParts } from '../../engines/documents/zip-package.ts'
import { firstOf, lastOf } from '../../lists.ts'
import { anchorId, escaped, toHtml } from '../rich-text/to-html.ts'
import { mimeOf } from '../type.ts'
import { type NavigationEntry, navigation } from './navigation.ts'

/** Used for the archive entries: the same document gives the same book. */
const MADE = '1980-01-01T00:00:00Z'

const STYLE = `body { line-height: 1.4; margin: 1em; }
h1, h2, h3, h4, h5, h6 { line-height: 1.2; break-after: avoid; }
img { max-width: 100%; height: auto; }
pre { white-space: pre-wrap; background: #f2f2f2; padding: 0.5em; }
table { border-collapse: collapse; }
th, td { border: 1px solid #bbb; padding: 0.2em 0.5em; text-align: left; vertical-align: top; }
blockquote { border-left: 3px solid #ccc; margin-left: 0; padding-left: 1em; }
`

interface Chapter {
  name: string
  blocks: Block[]
}

/** A new chapter starts at every heading of the highest level present. */
function chaptersOf(blocks: readonly Block[]): Chapter[] {
  const levels = blocks.flatMap((block) => (block.kind === 'heading' ? [block.level] : []))
  const highest = Math.min(...levels)
  const parts: Block[][] = [[]]
  for (const block of blocks) {
    const isStart = block.kind === 'heading' && block.level === highest
    if (isStart && lastOf(parts).length > 0) parts.push([])
    lastOf(parts).push(block)
  }
  return parts.map((part, index) => ({ name: `chapter-${index + 1}.xhtml`, blocks: part }))
}

/** Headings have anchors for the table of contents; every anchor is unique. */
class Anchors {
  /** Location of the headings. */
  readonly files = new Map<string, string>()
  #headings = 0

  name(blocks: readonly Block[], file: string): Block[] {
    return blocks.map((block) => this.#named(block, file))
  }

  #named(block: Block, file: string): Block {
    switch (block.kind) {
      case 'paragraph':
      case 'heading': {
        const own = (block.anchors ?? []).filter((anchor) => !this.files.has(anchor))
        if (block.kind === 'heading') own.unshift(`§${++this.#headings}`)
        for (const anchor of own) this.files.set(anchor, file)
        const { anchors: _anchors, ...rest } = block
        return own.length > 0 ? { ...rest, anchors: own } : rest
      }
      case 'quote':
        return { ...block, blocks: this.name(block.blocks, file) }
      case 'list':
        return { ...block, items: block.items.map((item) => ({ ...item, blocks: this.name(item.blocks, file) })) }
      case 'table': {
        const rows = block.rows.map((row) => ({
          ...row,
          cells: row.cells.map((cell) => ({ ...cell, blocks: this.name(cell.blocks, file) })),
        }))
        return { ...block, rows }
      }
      default:
        return block
    }
  }
}

/** An image used several times is stored once. */
class Pictures {
  readonly parts = new Map<string, Uint8Array>()
  readonly #names = new Map<string, string>()

  name({ bytes, type }: Picture): string {
    const key = createHash('sha256').update(bytes).digest('hex')
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const name = `images/picture-${this.#names.size + 1}.${type}`
    this.#names.set(key, name)
    this.parts.set(name, bytes)
    return name
  }
}

/** An address in the form that books allow; nothing for an invalid one. */
function address(link: string): string | undefined {
  try {
    return new URL(link).href
  } catch {
    return undefined
  }
}

/** Removes dangling links, which books must not contain. */
function checkedLinks(block: Block, anchors: Anchors): Block {
  const inlines = (some: readonly Inline[]): Inline[] =>
    some.map((inline) => {
      if (inline.kind === 'break' || inline.kind === 'formula' || inline.link === undefined) return inline
      const { link, ...rest } = inline
      if (link.startsWith('#')) return anchors.files.has(link.slice(1)) ? inline : (rest as Inline)
      const whole = address(link)
      return (whole === undefined ? rest : { ...rest, link: whole }) as Inline
    })
  const all = (blocks: readonly Block[]): Block[] => blocks.map((one) => checkedLinks(one, anchors))
  if (block.kind === 'paragraph' || block.kind === 'heading') return { ...block, inlines: inlines(block.inlines) }
  if (block.kind === 'quote') return { ...block, blocks: all(block.blocks) }
  if (block.kind === 'list')
    return { ...block, items: block.items.map((item) => ({ ...item, blocks: all(item.blocks) })) }
  if (block.kind !== 'table') return block
  const rows = block.rows.map((row) => ({
    ...row,
    cells: row.cells.map((cell) => ({ ...cell, blocks: all(cell.blocks) })),
  }))
  return { ...block, rows }
}

function page(title: string, language: string | undefined, body: string, head = ''): string {
  const lang = language === undefined ? '' : ` lang="${escaped(language)}" xml:lang="${escaped(language)}"`
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"${lang}>
<head>
<title>${escaped(title)}</title>
<link rel="stylesheet" type="text/css" href="style.css"/>${head}
</head>
<body>
${body}
</body>
</html>
`
}

/** The identifier of a book as a UUID (RFC 9562, version 8: custom), derived from its content. */
function identifier(parts: ReadonlyMap<string, Uint8Array | string>): string {
  const hash = createHash('sha256')
  for (const [name, content] of parts) hash.update(name).update('\0').update(content)
  const hex = hash.digest('hex')
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/**
 * Writes a document as an EPUB 3 book: one chapter per heading of the highest level, table of contents from all
 * headings.
 */
export async function writeEpub({ title, author, language, blocks }: RichText): Promise<Uint8Array> {
  const anchors = new Anchors()
  const pictures = new Pictures()
  const chapters = chaptersOf(blocks).map(({ name, blocks: own }) => ({ name, blocks: anchors.name(own, name) }))
  const entries: NavigationEntry[] = []
  const files = new Map<string, string>()
  for (const { name, blocks: own } of chapters) {
    const checked = own.map((block) => checkedLinks(block, anchors))
    const html = toHtml(checked, {
      picture: (picture) => pictures.name(picture),
      anchor: (target) => `${anchors.files.get(target) === name ? '' : anchors.files.get(target)}#${anchorId(target)}`,
    })
    const headings = [...allBlocks(own)].filter((block): block is Heading => block.kind === 'heading')
    for (const heading of headings) {
      const text = plainText(heading.inlines).replace(/\s+/g, ' ').trim()
      if (text !== '')
        entries.push({ level: heading.level, text, address: `${name}#${anchorId(firstOf(heading.anchors!))}` })
    }
    const first = headings[0] && plainText(headings[0].inlines).trim()
    files.set(name, page(first || title, language, html || '<p></p>'))
  }
  const whole = entries.length > 0 ? entries : [{ level: 1, text: title, address: firstOf(chapters).name }]
  files.set('nav.xhtml', page(title, language, navigation(title, whole)))
  files.set('style.css', STYLE)
  const content = new Map<string, Uint8Array | string>([...files, ...pictures.parts])
  const item = (name: string, index: number): string =>
    `<item id="item-${index}" href="${name}" media-type="${mediaType(name)}"${propertiesOf(name, files.get(name))}/>`
  const names = [...content.keys()]
  const spine = chapters.map(({ name }) => `<itemref idref="item-${names.indexOf(name)}"/>`)
  const opf = `<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">${identifier(content)}</dc:identifier>
<dc:title>${escaped(title)}</dc:title>
<dc:language>${escaped(language ?? 'und')}</dc:language>
${author === undefined ? '' : `<dc:creator>${escaped(author)}</dc:creator>\n`}<meta property="dcterms:modified">${MADE}</meta>
</metadata>
<manifest>
${names.map(item).join('\n')}
</manifest>
<spine>
${spine.join('\n')}
</spine>
</package>
`
  const parts = new Map<string, Uint8Array>([
    ['mimetype', Buffer.from('application/epub+zip')],
    [
      'META-INF/container.xml',
      Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
`),
    ],
    ['EPUB/package.opf', Buffer.from(opf)],
    ...[...content].map(([name, part]) => [`EPUB/${name}`, Buffer.from(part as string)] as const),
  ])
  return packParts(parts)
}

const mediaType = (name: string): string =>
  name.endsWith('.xhtml')
    ? 'application/xhtml+xml'
    : name.endsWith('.css')
      ? 'text/css'
      : mimeOf(lastOf(name.split('.')))

/** The properties that the manifest must declare: the navigation, and pages with formulas (EPUB 3.3, D.3). */
function propertiesOf(name: string, content: string | undefined): string {
  if (name === 'nav.xhtml') return ' properties="nav"'
  return content?.includes('<math') ? ' properties="mathml"' : ''
}
