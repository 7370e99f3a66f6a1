import type { Block, Inline, List, MathNode, Picture, Table, TextRun } from '../../engines/documents/rich-text.ts'

export interface HtmlWriting {
  /** Returns the address of an image: its name in a book, or a data URI. */
  picture(picture: Picture): string
  /** Returns the address of an anchor in the document; by default in the same file. */
  anchor?(name: string): string
}

/** Removes characters that XML does not allow. */
export const escaped = (text: string): string =>
  text
    .replace(
      /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      '',
    )
    .replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** Converts a name to an id: letters, digits and hyphens after a letter, so that it is also valid in XML. */
export const anchorId = (name: string): string =>
  `a-${[...name].map((character) => (/[\w-]/.test(character) ? character : `.${character.codePointAt(0)!.toString(16)}`)).join('')}`

/** Writes blocks as HTML that is also well-formed XML. */
export function toHtml(blocks: readonly Block[], writing: HtmlWriting): string {
  return blocks.map((block) => htmlOf(block, writing)).join('\n')
}

function htmlOf(block: Block, writing: HtmlWriting): string {
  switch (block.kind) {
    case 'paragraph':
      return element('p', block, writing)
    case 'heading':
      return element(`h${block.level}`, block, writing)
    case 'code': {
      const language = block.language === undefined ? '' : ` class="language-${escaped(block.language)}"`
      return `<pre><code${language}>${escaped(block.text)}\n</code></pre>`
    }
    case 'quote':
      // An empty list is not valid in book HTML.
      return block.blocks.length === 0 ? '' : `<blockquote>\n${toHtml(block.blocks, writing)}\n</blockquote>`
    case 'rule':
      return '<hr/>'
    case 'page-break':
      return '<div style="break-after: page"></div>'
    case 'list':
      return listOf(block, writing)
    case 'table':
      return tableOf(block, writing)
  }
}

function element(name: string, block: Extract<Block, { kind: 'paragraph' | 'heading' }>, writing: HtmlWriting): string {
  const [first, ...more] = block.anchors ?? []
  const id = first === undefined ? '' : ` id="${anchorId(first)}"`
  const others = more.map((name) => `<span id="${anchorId(name)}"></span>`).join('')
  const align = block.align === undefined || block.align === 'left' ? '' : ` style="text-align: ${block.align}"`
  return `<${name}${id}${directionOf(block)}${align}>${others}${inlinesOf(block.inlines, writing)}</${name}>`
}

const directionOf = (block: Block | undefined): string =>
  block && 'direction' in block && block.direction === 'rtl' ? ' dir="rtl"' : ''

/** An item with a single paragraph is written without the paragraph element, as in tight lists. */
function listOf(list: List, writing: HtmlWriting): string {
  const items = list.items.map(({ blocks, checked }) => {
    const box = checked === undefined ? '' : checked ? '\u2611 ' : '\u2610 '
    const [first, ...rest] = blocks
    const isPlain =
      first?.kind === 'paragraph' && !first.anchors && !first.align && rest.every(({ kind }) => kind === 'list')
    const content = isPlain
      ? [inlinesOf(first.inlines, writing), ...rest.map((block) => htmlOf(block, writing))].join('\n')
      : toHtml(blocks, writing)
    return `<li${isPlain ? directionOf(first) : ''}>${box}${content}</li>`
  })
  const name = list.ordered ? 'ol' : 'ul'
  const start = list.ordered && list.start !== 1 ? ` start="${list.start}"` : ''
  const type = list.numbering === 'letter' ? ' type="a"' : ''
  // Markers are on the side where the first item starts.
  return `<${name}${directionOf(list.items[0]?.blocks[0])}${type}${start}>\n${items.join('\n')}\n</${name}>`
}

function tableOf(table: Table, writing: HtmlWriting): string {
  const rows = table.rows.map(({ isHeader, cells }) => {
    const row = cells.map((cell) => {
      const name = isHeader || cell.isHeader ? 'th' : 'td'
      const spans = `${cell.columnSpan > 1 ? ` colspan="${cell.columnSpan}"` : ''}${cell.rowSpan > 1 ? ` rowspan="${cell.rowSpan}"` : ''}`
      const [only, ...more] = cell.blocks
      const isPlain = only?.kind === 'paragraph' && more.length === 0 && !only.anchors
      const align = isPlain && only.align && only.align !== 'left' ? ` style="text-align: ${only.align}"` : ''
      return `<${name}${spans}${isPlain ? directionOf(only) : ''}${align}>${isPlain ? inlinesOf(only.inlines, writing) : toHtml(cell.blocks, writing)}</${name}>`
    })
    return { isHeader, html: `<tr>${row.join('')}</tr>` }
  })
  const body = rows.findIndex(({ isHeader }) => !isHeader)
  const heads = body < 0 ? rows : rows.slice(0, body)
  const part = (name: string, some: typeof rows): string =>
    some.length === 0 ? '' : `<${name}>\n${some.map(({ html }) => html).join('\n')}\n</${name}>\n`
  // A table with only headers still has a body.
  if (heads.length === rows.length) return `<table>\n${part('tbody', rows)}</table>`
  return `<table>\n${part('thead', heads)}${part('tbody', rows.slice(heads.length))}</table>`
}

function inlinesOf(inlines: readonly Inline[], writing: HtmlWriting): string {
  return inlines
    .map((inline) => {
      if (inline.kind === 'break') return '<br/>'
      if (inline.kind === 'text') return runOf(inline, writing)
      if (inline.kind === 'formula') return mathOf(inline.math)
      const size = `width="${Math.round(inline.width)}" height="${Math.round(inline.height)}"`
      return linked(
        `<img src="${escaped(writing.picture(inline))}" alt="${escaped(inline.alt)}" ${size}/>`,
        inline.link,
        writing,
      )
    })
    .join('')
}

/** Attributes of MathML Core; styles and scripts are left out. */
const MATH_ATTRIBUTES =
  /^(xmlns|display|displaystyle|scriptlevel|mathvariant|mathcolor|accent|accentunder|fence|form|lspace|rspace|stretchy|symmetric|separator|largeop|movablelimits|minsize|maxsize|linethickness|width|height|depth|voffset|columnalign|columnspacing|rowspacing|columnspan|rowspan|encoding|notation)$/

const CELL_STYLE = /^text-align: (left|right|center)(; padding-left: 0; padding-right: 0)?$/

function mathOf(node: MathNode): string {
  if (typeof node === 'string') return escaped(node)
  if (!/^[a-z][a-z-]*$/.test(node.name)) return ''
  const attributes = Object.entries(node.attributes)
    .filter(([name, value]) => MATH_ATTRIBUTES.test(name) || (name === 'style' && CELL_STYLE.test(value)))
    .map(([name, value]) => ` ${name}="${escaped(value)}"`)
  return `<${node.name}${attributes.join('')}>${node.children.map(mathOf).join('')}</${node.name}>`
}

function runOf(run: TextRun, writing: HtmlWriting): string {
  const marks: [boolean | undefined, string][] = [
    [run.code, 'code'],
    [run.position === 'sub', 'sub'],
    [run.position === 'super', 'sup'],
    [run.strike, 's'],
    [run.underline, 'u'],
    [run.italic, 'em'],
    [run.bold, 'strong'],
  ]
  const text = marks.reduce((inner, [on, name]) => (on ? `<${name}>${inner}</${name}>` : inner), escaped(run.text))
  return linked(text, run.link, writing)
}

function linked(html: string, link: string | undefined, { anchor }: HtmlWriting): string {
  if (link === undefined) return html
  const address = link.startsWith('#') ? (anchor?.(link.slice(1)) ?? `#${anchorId(link.slice(1))}`) : link
  return `<a href="${escaped(address)}">${html}</a>`
}
