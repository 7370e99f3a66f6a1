/**
 * A reflowable document, as in word processors and e-books: the common result of all readers and the input of all
 * writers. Contains only layout that carries meaning.
 */
export interface RichText {
  title: string
  /** A BCP 47 tag, `en`; absent if unknown. */
  language?: string
  author?: string
  blocks: readonly Block[]
  /** For paginated documents; absent: the writer's default. */
  page?: PageLayout
  /** Default text style; absent: the writer's default. */
  base?: { font: string; size: number }
  /** For paginated documents, in order of `start`; absent: one section with `page`. */
  sections?: readonly Section[]
}

/** Blocks that share a page layout. */
export interface Section {
  /** Index of its first block. */
  start: number
  page: PageLayout
  /** Columns of equal width, and points between them; absent: one. */
  columns?: { count: number; gap: number }
  /** Whether it starts on the page on which the section before it ends. */
  isContinuous: boolean
  /** Number of its first page; absent: counted from the section before it, or 1. */
  firstNumber?: number
  header?: readonly Paragraph[]
  footer?: readonly Paragraph[]
}

/** Points. */
export interface PageLayout {
  width: number
  height: number
  margins: { top: number; right: number; bottom: number; left: number }
  /** From the edge of the page; absent: the writer's default. */
  headerDistance?: number
  footerDistance?: number
}

export type Block = Paragraph | Heading | List | Table | Code | Quote | Rule | PageBreak

interface Textual {
  inlines: readonly Inline[]
  align?: 'left' | 'center' | 'right' | 'justify'
  /** Names of link targets within the document. */
  anchors?: readonly string[]
  /** Points; absent: from the writer's style. */
  spaceAfter?: number
  /** Points; absent: from the writer's style. */
  spaceBefore?: number
  /** Background, `#rrggbb`. */
  shading?: string
  /** Absent: from left to right. */
  direction?: 'rtl'
}

export interface Paragraph extends Textual {
  kind: 'paragraph'
  /** Tab stops: points from the left of the text. */
  tabs?: readonly { at: number; kind: 'left' | 'center' | 'right' }[]
}

export interface Heading extends Textual {
  kind: 'heading'
  level: 1 | 2 | 3 | 4 | 5 | 6
}

export interface List {
  kind: 'list'
  ordered: boolean
  /** The first number. */
  start: number
  /** The numbering style; decimal if absent. */
  numbering?: 'letter'
  items: readonly ListItem[]
}

export interface ListItem {
  blocks: readonly Block[]
  /** For a task. */
  checked?: boolean
}

export interface Table {
  kind: 'table'
  rows: readonly TableRow[]
  /** Shares of the total width; their sum is 1. */
  widths?: readonly number[]
}

export interface TableRow {
  isHeader: boolean
  cells: readonly TableCell[]
}

export interface TableCell {
  blocks: readonly Block[]
  isHeader?: boolean
  /** Background, `#rrggbb`. */
  shading?: string
  columnSpan: number
  rowSpan: number
}

export interface Code {
  kind: 'code'
  text: string
  language?: string
}

export interface Quote {
  kind: 'quote'
  blocks: readonly Block[]
}

export interface Rule {
  kind: 'rule'
}

export interface PageBreak {
  kind: 'page-break'
}

export type Inline = TextRun | LineBreak | Picture | Formula

export interface Marks {
  bold?: boolean
  italic?: boolean
  underline?: boolean
  strike?: boolean
  code?: boolean
  position?: 'sub' | 'super'
  /** Points; absent: as in the paragraph. */
  size?: number
  /** A font family; absent: as in the document. */
  font?: string
  /** `#rrggbb`; absent: as in the document. */
  color?: string
  /** A URL or `#anchor`. */
  link?: string
}

export interface TextRun extends Marks {
  kind: 'text'
  text: string
  /** The text is the mark of this footnote. */
  footnote?: readonly Inline[]
  /** The text is the number of the page, or of all pages; for headers and footers. */
  field?: 'page' | 'pages'
}

export interface LineBreak {
  kind: 'break'
}

export interface Picture {
  kind: 'picture'
  bytes: Uint8Array
  type: PictureType
  /** Display size in CSS pixels: 96 per inch. */
  width: number
  height: number
  alt: string
  link?: string
  /** Text runs beside it: points from the left of the page; absent: it is placed like a letter. */
  floatX?: number
}

/** An element of MathML. */
export interface MathElement {
  name: string
  attributes: Readonly<Record<string, string>>
  children: readonly MathNode[]
}

export type MathNode = MathElement | string

/** A formula. */
export interface Formula {
  kind: 'formula'
  math: MathElement
  /** Its source in TeX, or its text. */
  source: string
  /** On a line of its own. */
  isDisplay: boolean
}

/** Image types that all word processors and e-book readers support. */
export type PictureType = 'png' | 'jpg' | 'gif'

/** Letters of Hebrew, Arabic and the other scripts that are written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Whether a text contains letters that are written from right to left. */
export const hasRightToLeft = (text: string): boolean => RIGHT_TO_LEFT.test(text)

/** Whether the first letter of a text is written from right to left (Unicode bidirectional algorithm, P2 and P3). */
export function startsRightToLeft(text: string): boolean {
  const [first] = /\p{L}/u.exec(text) ?? []
  return first !== undefined && RIGHT_TO_LEFT.test(first)
}

function textOf(one: Inline): string {
  if (one.kind === 'text') return one.text
  if (one.kind === 'break') return '\n'
  return one.kind === 'formula' ? one.source : one.alt
}

/** The plain text of inlines. */
export function plainText(inlines: readonly Inline[]): string {
  return inlines.map(textOf).join('')
}

/** All blocks, including nested ones. */
export function* allBlocks(blocks: readonly Block[]): Generator<Block> {
  for (const block of blocks) {
    yield block
    if (block.kind === 'quote') yield* allBlocks(block.blocks)
    if (block.kind === 'list') for (const item of block.items) yield* allBlocks(item.blocks)
    if (block.kind === 'table')
      for (const row of block.rows) for (const cell of row.cells) yield* allBlocks(cell.blocks)
  }
}
