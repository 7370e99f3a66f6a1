import { attributeOf, elementsOf, type HtmlElement, type HtmlNode } from '../../engines/documents/html.ts'
import {
  type Block,
  type Formula,
  type Inline,
  type List,
  type ListItem,
  type Marks,
  type MathElement,
  type MathNode,
  type Paragraph,
  type Picture,
  plainText,
  startsRightToLeft,
  type TableCell,
  type TableRow,
} from '../../engines/documents/rich-text.ts'
import { joined, trimmed } from './inlines.ts'

export interface HtmlOptions {
  /** Loads an image by address if it is not embedded in the document; undefined if it is unavailable. */
  load?(address: string): Uint8Array | undefined
  /** Prefix for every anchor and every link within the document, so that several documents can be joined. */
  prefix?: string
  /** Rewrites a link to another file: another address, or undefined to remove it. */
  link?(address: string): string | undefined
}

/** Deeper than any real document, and shallow enough for the call stack. */
const MAX_DEPTH = 200

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const SKIPPED = words(
  'script style template head title meta link base noframes select option datalist textarea area map col colgroup param source track dialog',
)
const FOREIGN = words('iframe frame object embed applet audio video canvas')
const BLOCKS = words(
  'address article aside body center dd details dialog dir div dl dt fieldset figcaption figure footer form header hgroup html legend li main menu nav ol p pre section summary table tbody td tfoot th thead tr ul blockquote h1 h2 h3 h4 h5 h6 hr caption frameset search',
)
const MARKS: Readonly<Record<string, Marks>> = {
  b: { bold: true },
  strong: { bold: true },
  i: { italic: true },
  em: { italic: true },
  cite: { italic: true },
  dfn: { italic: true },
  var: { italic: true },
  u: { underline: true },
  ins: { underline: true },
  s: { strike: true },
  strike: { strike: true },
  del: { strike: true },
  code: { code: true },
  kbd: { code: true },
  samp: { code: true },
  tt: { code: true },
  sub: { position: 'sub' },
  sup: { position: 'super' },
}

/** The image address of this element; undefined for other elements. */
export function pictureAddress(element: HtmlElement): string | undefined {
  if (element.tagName === 'img') return attributeOf(element, 'src') ?? ''
  // Book covers are often an image inside an SVG.
  if (element.tagName === 'image') return attributeOf(element, 'href') ?? attributeOf(element, 'xlink:href') ?? ''
  return undefined
}

/** Converts the elements of one document to blocks. */
export class HtmlReader {
  readonly #pictures: ReadonlyMap<HtmlElement, Picture>
  readonly #options: HtmlOptions
  /** Number of skipped frames, videos and scripts. */
  leftOut = 0
  /** Anchors that still wait for their block. */
  #anchors: string[] = []

  constructor(pictures: ReadonlyMap<HtmlElement, Picture>, options: HtmlOptions) {
    this.#pictures = pictures
    this.#options = options
  }

  blocks(element: HtmlElement): Block[] {
    return this.#within(element.childNodes, {}, undefined, 0)
  }

  /** Children of a block: runs of inline ones become paragraphs. */
  #within(nodes: readonly HtmlNode[], marks: Marks, align: Paragraph['align'], depth: number): Block[] {
    const blocks: Block[] = []
    let open: Inline[] = []
    const close = (): void => {
      const parts = withoutDisplayed(open)
      open = []
      parts.forEach(addParagraph)
    }
    const addParagraph = (part: readonly Inline[]): void => {
      const inlines = trimmed(joined(part))
      if (inlines.length === 0) return
      const isRtl = startsRightToLeft(plainText(inlines))
      const paragraph: Paragraph = {
        kind: 'paragraph',
        inlines,
        ...(align && { align }),
        ...(isRtl && { direction: 'rtl' }),
      }
      blocks.push(this.#anchored(paragraph))
    }
    for (const node of nodes) {
      if (!this.#holdsBlocks(node, depth)) {
        open.push(...this.#inline(node, marks, depth))
        continue
      }
      const element = node as HtmlElement
      close()
      blocks.push(...this.#block(element, { ...marks, ...marksOf(element) }, alignOf(element) ?? align, depth + 1))
    }
    close()
    return blocks
  }

  #anchored(block: Paragraph): Paragraph {
    if (this.#anchors.length === 0) return block
    const anchors = this.#anchors
    this.#anchors = []
    return { ...block, anchors }
  }

  #noteAnchor(element: HtmlElement): void {
    const name = attributeOf(element, 'id') ?? (element.tagName === 'a' ? attributeOf(element, 'name') : undefined)
    if (name) this.#anchors.push((this.#options.prefix ?? '') + name)
  }

  /** Whether a node is a block, or an inline element around one. */
  #holdsBlocks(node: HtmlNode, depth: number): boolean {
    if (!('tagName' in node) || depth > MAX_DEPTH || isHidden(node)) return false
    if (BLOCKS.has(node.tagName)) return true
    if (SKIPPED.has(node.tagName) || FOREIGN.has(node.tagName) || node.tagName === 'svg') return false
    return node.childNodes.some((child) => this.#holdsBlocks(child, depth + 1))
  }

  #block(element: HtmlElement, marks: Marks, align: Paragraph['align'], depth: number): Block[] {
    this.#noteAnchor(element)
    const { tagName, childNodes } = element
    const within = (own: Marks = marks): Block[] => this.#within(childNodes, own, align, depth)
    switch (tagName) {
      case 'h1':
      case 'h2':
      case 'h3':
      case 'h4':
      case 'h5':
      case 'h6':
        return this.#heading(element, marks, align, depth)
      case 'hr':
        return [{ kind: 'rule' }]
      case 'pre':
        return this.#code(element)
      case 'blockquote':
        return [{ kind: 'quote', blocks: within() }]
      case 'ul':
      case 'ol':
      case 'menu':
      case 'dir':
        return this.#list(element, marks, depth)
      case 'dt':
        return within({ ...marks, bold: true })
      case 'dd':
        return [{ kind: 'quote', blocks: within() }]
      case 'figcaption':
      case 'caption':
        return within({ ...marks, italic: true })
      case 'table':
        return this.#table(element, marks, depth)
      case 'a': {
        const link = this.#linkOf(element)
        return within(link === undefined ? marks : { ...marks, link })
      }
      default:
        return within()
    }
  }

  #heading(element: HtmlElement, marks: Marks, align: Paragraph['align'], depth: number): Block[] {
    const level = Number(element.tagName[1]) as 1
    const parts = this.#within(element.childNodes, marks, align, depth)
    return parts.map((part, index) =>
      index === 0 && part.kind === 'paragraph' ? { ...part, kind: 'heading' as const, level } : part,
    )
  }

  #code(element: HtmlElement): Block[] {
    const text = textOf(element).replace(/^\n/, '').replace(/\n$/, '')
    const code = element.childNodes.find((node): node is HtmlElement => node.nodeName === 'code')
    const language = /(?:^|\s)(?:language|lang)-([\w+#.-]+)/.exec(
      attributeOf(code ?? element, 'class') ?? attributeOf(element, 'class') ?? '',
    )?.[1]
    return [{ kind: 'code', text, ...(language !== undefined && { language }) }]
  }

  #list(element: HtmlElement, marks: Marks, depth: number): Block[] {
    const items: ListItem[] = []
    for (const node of element.childNodes) {
      if (!('tagName' in node) || isHidden(node)) continue
      // A list between items instead of inside one belongs to the preceding item.
      if (node.tagName !== 'li') {
        const blocks = this.#within([node], marks, undefined, depth)
        const last = items.pop()
        if (blocks.length > 0 || last) items.push({ ...last, blocks: [...(last?.blocks ?? []), ...blocks] })
        continue
      }
      this.#noteAnchor(node)
      const box = checkboxOf(node)
      const blocks = this.#within(node.childNodes, { ...marks, ...marksOf(node) }, alignOf(node), depth)
      items.push({ blocks, ...(box && { checked: attributeOf(box, 'checked') !== undefined }) })
    }
    if (items.length === 0) return []
    const start = Number.parseInt(attributeOf(element, 'start') ?? '1', 10)
    const list: List = {
      kind: 'list',
      ordered: element.tagName === 'ol',
      start: start >= 0 && start < 1e6 ? start : 1,
      items,
    }
    return [list]
  }

  #table(element: HtmlElement, marks: Marks, depth: number): Block[] {
    const before: Block[] = []
    const rows: TableRow[] = []
    const addRow = (row: HtmlElement, inHead: boolean): void => {
      const cells: TableCell[] = []
      for (const cell of row.childNodes) {
        if (!('tagName' in cell) || (cell.tagName !== 'td' && cell.tagName !== 'th') || isHidden(cell)) continue
        this.#noteAnchor(cell)
        const blocks = this.#within(
          cell.childNodes,
          { ...marks, ...marksOf(cell) },
          alignOf(cell) ?? alignOf(row),
          depth,
        )
        const isHeader = cell.tagName === 'th'
        cells.push({
          blocks,
          columnSpan: spanOf(cell, 'colspan'),
          rowSpan: spanOf(cell, 'rowspan'),
          ...(isHeader && { isHeader }),
        })
      }
      if (cells.length > 0)
        rows.push({ isHeader: inHead || (rows.length === 0 && cells.every(({ isHeader }) => isHeader)), cells })
    }
    for (const part of element.childNodes) {
      if (!('tagName' in part) || isHidden(part)) continue
      if (part.tagName === 'caption') before.push(...this.#block(part, marks, undefined, depth))
      else if (part.tagName === 'tr') addRow(part, false)
      else
        for (const row of part.childNodes)
          if (row.nodeName === 'tr' && !isHidden(row as HtmlElement))
            addRow(row as HtmlElement, part.tagName === 'thead')
    }
    return rows.length > 0 ? [...before, { kind: 'table', rows }] : before
  }

  #linkOf(element: HtmlElement): string | undefined {
    const address = attributeOf(element, 'href')?.trim()
    if (!address) return undefined
    if (address.startsWith('#'))
      return address.length > 1 ? `#${this.#options.prefix ?? ''}${decoded(address.slice(1))}` : undefined
    if (/^(https?|mailto|tel|ftp):/i.test(address)) return address
    // Other schemes may start programs; other files are not available here.
    return /^[a-z][a-z0-9+.-]*:/i.test(address) ? undefined : this.#options.link?.(address)
  }

  #inline(node: HtmlNode, marks: Marks, depth: number): Inline[] {
    if ('value' in node) return [{ kind: 'text', text: node.value, ...marks }]
    if (!('tagName' in node) || depth > MAX_DEPTH || isHidden(node)) return []
    const { tagName } = node
    if (SKIPPED.has(tagName)) return []
    if (FOREIGN.has(tagName)) {
      this.leftOut += 1
      return []
    }
    this.#noteAnchor(node)
    const own: Marks = { ...marks, ...MARKS[tagName], ...marksOf(node) }
    const within = (): Inline[] => node.childNodes.flatMap((child) => this.#inline(child, own, depth + 1))
    if (tagName === 'br') return [{ kind: 'break' }]
    if (tagName === 'math') return [formulaOf(node)]
    const picture = this.#pictures.get(node)
    if (picture) return [{ ...picture, ...(marks.link !== undefined && { link: marks.link }) }]
    if (tagName === 'img') return [{ kind: 'text', text: attributeOf(node, 'alt') ?? '', ...own, italic: true }]
    if (tagName === 'q')
      return [{ kind: 'text', text: '\u201c', ...own }, ...within(), { kind: 'text', text: '\u201d', ...own }]
    if (tagName === 'rt')
      return [{ kind: 'text', text: ' (', ...own }, ...within(), { kind: 'text', text: ')', ...own }]
    if (tagName === 'rp') return []
    if (tagName === 'a') {
      const link = this.#linkOf(node)
      if (link !== undefined) own.link = link
    }
    return within()
  }
}

/** Displayed formulas are paragraphs of their own. */
function withoutDisplayed(inlines: readonly Inline[]): Inline[][] {
  const parts: Inline[][] = [[]]
  for (const inline of inlines)
    if (inline.kind === 'formula' && inline.isDisplay) parts.push([inline], [])
    else parts.at(-1)?.push(inline)
  return parts
}

/**
 * Elements of MathML Core, and those of MathML 3 that KaTeX writes. Others are left out with their content: text in a
 * formula can contain any element of HTML, such as a script.
 */
const MATH_ELEMENTS = new Set(
  (
    'math semantics annotation mrow mi mn mo mtext ms mspace mfrac msqrt mroot mstyle merror mpadded mphantom menclose ' +
    'msub msup msubsup munder mover munderover mmultiscripts mprescripts none mtable mtr mtd'
  ).split(' '),
)

function mathOf({ tagName, attrs, childNodes }: HtmlElement, depth: number): MathElement {
  const children = childNodes.flatMap((node): MathNode[] => {
    if ('value' in node) return [node.value]
    const isKept = 'tagName' in node && depth < MAX_DEPTH && MATH_ELEMENTS.has(node.tagName)
    return isKept ? [mathOf(node, depth + 1)] : []
  })
  return { name: tagName, attributes: Object.fromEntries(attrs.map(({ name, value }) => [name, value])), children }
}

const mathText = (node: MathNode): string => (typeof node === 'string' ? node : node.children.map(mathText).join(''))

/** A formula with its source, if it contains one. */
function formulaOf(element: HtmlElement): Formula {
  const annotations = [...elementsOf(element)].filter(
    (one) => one.tagName === 'annotation' && attributeOf(one, 'encoding') === 'application/x-tex',
  )
  const isDisplay = attributeOf(element, 'display') === 'block'
  const math = mathOf(element, 0)
  const source = annotations[0] ? textOf(annotations[0]) : mathText(math)
  return { kind: 'formula', math, source: source.trim(), isDisplay }
}

function isHidden(element: HtmlElement): boolean {
  return attributeOf(element, 'hidden') !== undefined || /display\s*:\s*none/i.test(attributeOf(element, 'style') ?? '')
}

/** The inline style of the element; classes would require a browser. */
function marksOf(element: HtmlElement): Marks {
  const style = attributeOf(element, 'style')
  if (style === undefined) return {}
  return {
    ...(/font-weight\s*:\s*(bold|[6-9]00)/i.test(style) && { bold: true }),
    ...(/font-style\s*:\s*(italic|oblique)/i.test(style) && { italic: true }),
    ...(/text-decoration[^;]*:[^;]*underline/i.test(style) && { underline: true }),
    ...(/text-decoration[^;]*:[^;]*line-through/i.test(style) && { strike: true }),
  }
}

function alignOf(element: HtmlElement): Paragraph['align'] {
  const style = /text-align\s*:\s*(left|center|right|justify)/i.exec(attributeOf(element, 'style') ?? '')?.[1]
  const value = (style ?? attributeOf(element, 'align'))?.toLowerCase()
  if (element.tagName === 'center') return 'center'
  return value === 'left' || value === 'center' || value === 'right' || value === 'justify' ? value : undefined
}

function spanOf(cell: HtmlElement, name: string): number {
  const value = Number.parseInt(attributeOf(cell, name) ?? '1', 10)
  return value > 1 ? Math.min(value, 100) : 1
}

/** The checkbox of a task, at the beginning of an item. */
function checkboxOf(item: HtmlElement): HtmlElement | undefined {
  let node: HtmlNode | undefined = item
  while (node && 'tagName' in node && node.tagName !== 'input')
    node = node.childNodes.find((child) => !('value' in child) || child.value.trim() !== '')
  return node && 'tagName' in node && attributeOf(node, 'type') === 'checkbox' ? node : undefined
}

function textOf(element: HtmlElement): string {
  return element.childNodes
    .map((node) =>
      'value' in node ? node.value : 'tagName' in node ? (node.tagName === 'br' ? '\n' : textOf(node)) : '',
    )
    .join('')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
