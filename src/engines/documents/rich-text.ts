/**
 * A document that flows, as text programs and books have it: what all readers of such documents give, and all writers take.
 * No layout but what carries meaning.
 */
export interface RichText {
  title: string
  /** A BCP 47 tag such as `en`; absent when unknown. */
  language?: string
  author?: string
  blocks: readonly Block[]
  /** For documents that have pages; absent: the writer's own. */
  page?: PageLayout
  /** Default character format; absent: the writer's own. */
  base?: { font: string; size: number }
}

/** Points. */
export interface PageLayout {
  width: number
  height: number
  margins: { top: number; right: number; bottom: number; left: number }
}

export type Block = Paragraph | Heading | List | Table | Code | Quote | Rule | PageBreak

interface Textual {
  inlines: readonly Inline[]
  align?: 'left' | 'center' | 'right' | 'justify'
  /** Names that links within the document lead to. */
  anchors?: readonly string[]
  /** Points; absent: as the writer's style. */
  spaceAfter?: number
}

export interface Paragraph extends Textual {
  kind: 'paragraph'
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
  /** The numbering format; decimal when absent. */
  numbering?: 'letter'
  items: readonly ListItem[]
}

export interface ListItem {
  blocks: readonly Block[]
  /** Whether a task list item is checked. */
  checked?: boolean
}

export interface Table {
  kind: 'table'
  rows: readonly TableRow[]
  /** Parts of the whole width, which sum up to 1. */
  widths?: readonly number[]
}

export interface TableRow {
  isHeader: boolean
  cells: readonly TableCell[]
}

export interface TableCell {
  blocks: readonly Block[]
  isHeader?: boolean
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

export type Inline = TextRun | LineBreak | Picture

export interface Marks {
  bold?: boolean
  italic?: boolean
  underline?: boolean
  strike?: boolean
  code?: boolean
  position?: 'sub' | 'super'
  /** Points; absent: as the paragraph. */
  size?: number
  /** A family; absent: as the document. */
  font?: string
  /** `#rrggbb`; absent: as the document. */
  color?: string
  /** An address, or `#anchor`. */
  link?: string
}

export interface TextRun extends Marks {
  kind: 'text'
  text: string
}

export interface LineBreak {
  kind: 'break'
}

export interface Picture {
  kind: 'picture'
  bytes: Uint8Array
  type: PictureType
  /** As it is shown, in CSS pixels: 96 to the inch. */
  width: number
  height: number
  alt: string
  link?: string
}

/** Image types that word processors and e-book readers support. */
export type PictureType = 'png' | 'jpg' | 'gif'

/** The text of inlines alone. */
export function plainText(inlines: readonly Inline[]): string {
  return inlines.map((one) => (one.kind === 'text' ? one.text : one.kind === 'break' ? '\n' : one.alt)).join('')
}

/** Every block, those within others, too. */
export function* allBlocks(blocks: readonly Block[]): Generator<Block> {
  for (const block of blocks) {
    yield block
    if (block.kind === 'quote') yield* allBlocks(block.blocks)
    if (block.kind === 'list') for (const item of block.items) yield* allBlocks(item.blocks)
    if (block.kind === 'table')
      for (const row of block.rows) for (const cell of row.cells) yield* allBlocks(cell.blocks)
  }
}
