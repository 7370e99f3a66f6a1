import type { FileChild, IParagraphOptions } from 'docx'
import { firstOf } from '../../lists.ts'
import type { Block, List, PageLayout, Paragraph, RichText, Table, TableCell } from '../documents/rich-text.ts'
import type { Engine } from '../engine.ts'
import { libraryEngine } from '../library.ts'
import { reproducible } from './reproducible.ts'
import { Runs } from './runs.ts'
import { areaOf, propertiesOf } from './sections.ts'
import { BULLETS, INDENT, numberingOf, orderedReference, STYLES, TWIPS } from './styles.ts'

type Library = typeof import('docx')

/** A4 with margins of 25 mm. */
const A4: PageLayout = { width: 595.3, height: 841.9, margins: { top: 71, right: 71, bottom: 71, left: 71 } }

/** Word supports nine list levels. */
const DEEPEST = 8

/** The context of a block: the quotes and lists around it. */
interface Place {
  /** Twips from the left margin. */
  indent: number
  /** Number of list levels around it. */
  depth: number
  quoted: boolean
  /** For the first paragraph of an item. */
  numbering?: { reference: string; level: number; instance: number }
  /** Prefix: the checkbox of a task. */
  prefix?: string
  bold?: boolean
  /** In a table cell, whose own margins separate its text from its borders. */
  inCell?: boolean
}

class Writer {
  readonly #library: Library
  readonly #runs: Runs
  /** Ordered lists by numbering style and start number. */
  readonly ordered = new Map<string, Pick<List, 'start' | 'numbering'>>()
  #instances = 0

  constructor(library: Library, runs: Runs) {
    this.#library = library
    this.#runs = runs
  }

  blocks(blocks: readonly Block[], place: Place): FileChild[] {
    return blocks.flatMap((block, index) => {
      // Only the first paragraph of an item has its number.
      if (index === 0) return this.#block(block, place)
      const { numbering: _numbering, prefix: _prefix, ...rest } = place
      return this.#block(block, rest)
    })
  }

  #block(block: Block, place: Place): FileChild[] {
    const { Paragraph, HeadingLevel, PageBreak } = this.#library
    switch (block.kind) {
      case 'paragraph':
        return [
          this.#paragraph(place, {
            ...this.#text(block, place),
            alignment: alignmentOf(block.align),
            ...(block.direction === 'rtl' && { bidirectional: true }),
            ...this.#ground(block),
            ...(block.tabs && {
              tabStops: block.tabs.map(({ at, kind }) => ({ type: kind, position: Math.round(at * TWIPS) })),
            }),
          }),
        ]
      case 'heading': {
        const heading = HeadingLevel[`HEADING_${block.level}`]
        return [
          this.#paragraph(place, {
            ...this.#text(block, place),
            heading,
            alignment: alignmentOf(block.align),
            ...(block.direction === 'rtl' && { bidirectional: true }),
            ...this.#ground(block),
          }),
        ]
      }
      case 'code':
        return [this.#paragraph(place, { style: 'Code', children: this.#runs.lines(block.text) })]
      case 'rule':
        return [new Paragraph({ thematicBreak: true })]
      case 'page-break':
        return [new Paragraph({ spacing: { after: 0 }, children: [new PageBreak()] })]
      case 'quote':
        return this.blocks(block.blocks, { ...place, indent: place.indent + INDENT, quoted: true })
      case 'list':
        return this.#list(block, place)
      case 'table':
        return this.#table(block, place)
    }
  }

  /** Spacing and background. */
  #ground({ spaceBefore, spaceAfter, shading }: Pick<Paragraph, 'spaceBefore' | 'spaceAfter' | 'shading'>) {
    const spacing = {
      ...(spaceBefore !== undefined && { before: Math.round(spaceBefore * TWIPS) }),
      ...(spaceAfter !== undefined && { after: Math.round(spaceAfter * TWIPS) }),
    }
    const { ShadingType } = this.#library
    return {
      ...(Object.keys(spacing).length > 0 && { spacing }),
      ...(shading !== undefined && { shading: { type: ShadingType.CLEAR, fill: shading.slice(1) } }),
    }
  }

  #text(block: Extract<Block, { kind: 'paragraph' | 'heading' }>, { prefix, bold }: Place) {
    const inlines = prefix === undefined ? block.inlines : [{ kind: 'text' as const, text: prefix }, ...block.inlines]
    return { children: this.#runs.all(inlines, { anchors: block.anchors ?? [], ...(bold && { bold }) }) }
  }

  #paragraph(place: Place, options: IParagraphOptions): FileChild {
    const { numbering } = place
    const style = place.quoted && options.heading === undefined && options.style === undefined ? 'Quote' : options.style
    return new this.#library.Paragraph({
      ...options,
      ...(style !== undefined && { style }),
      ...(place.inCell && { spacing: { after: 0 } }),
      ...(numbering ? { numbering } : place.indent > 0 && { indent: { left: place.indent } }),
    })
  }

  #list(list: List, place: Place): FileChild[] {
    const level = Math.min(place.depth, DEEPEST)
    const reference = list.ordered ? orderedReference(list) : BULLETS
    if (list.ordered) this.ordered.set(reference, list)
    this.#instances += 1
    const instance = this.#instances
    return list.items.flatMap(({ blocks, checked }) => {
      const own: Place = {
        ...place,
        depth: place.depth + 1,
        indent: (level + 1) * INDENT,
        numbering: { reference, level, instance },
        ...(checked !== undefined && { prefix: checked ? '\u2611 ' : '\u2610 ' }),
      }
      // An item that starts with a list or a table still has its number.
      const first = blocks[0]?.kind
      const whole = first === 'paragraph' || first === 'heading' || first === 'code' ? blocks : [EMPTY, ...blocks]
      return this.blocks(whole, own)
    })
  }

  #table(table: Table, { indent }: Place): FileChild[] {
    const { Paragraph, Table, TableRow, WidthType } = this.#library
    const columns = Math.max(1, ...table.rows.map(({ cells }) => cells.reduce((sum, cell) => sum + cell.columnSpan, 0)))
    const widths = table.widths ?? new Array<number>(columns).fill(1 / columns)
    const rows = table.rows.map(
      (row) =>
        new TableRow({
          tableHeader: row.isHeader,
          cantSplit: true,
          children: row.cells.map((cell) => this.#cell(cell, row.isHeader)),
        }),
    )
    return [
      new Table({
        rows,
        width: { size: 100, type: WidthType.PERCENTAGE },
        borders: { top: LINE, bottom: LINE, left: LINE, right: LINE, insideHorizontal: LINE, insideVertical: LINE },
        columnWidths: widths.map((part) => Math.max(1, Math.round(part * this.#runs.textWidth * TWIPS))),
        ...(indent > 0 && { indent: { size: indent, type: WidthType.DXA } }),
      }),
      // Adjacent tables would merge, and nothing could be written after the last one.
      new Paragraph({ spacing: { after: 0 } }),
    ]
  }

  #cell(cell: TableCell, inHeader: boolean) {
    const { ShadingType, TableCell } = this.#library
    const isHeader = inHeader || cell.isHeader === true
    const children = this.blocks(cell.blocks, { indent: 0, depth: 0, quoted: false, bold: isHeader, inCell: true })
    return new TableCell({
      columnSpan: cell.columnSpan,
      rowSpan: cell.rowSpan,
      margins: { top: 40, bottom: 40, left: 100, right: 100 },
      ...((isHeader || cell.shading) && {
        shading: { type: ShadingType.CLEAR, fill: cell.shading?.slice(1) ?? 'F2F2F2' },
      }),
      children: (children.length > 0 ? children : [new this.#library.Paragraph('')]) as never,
    })
  }
}

/** Eighths of a point. */
const LINE = { style: 'single', size: 4, color: 'BFBFBF' } as const

const EMPTY = { kind: 'paragraph', inlines: [] } as const

const alignmentOf = (align: string | undefined) => (align === 'justify' ? 'both' : align) as never

/** A document as DOCX: real headings, lists, tables, footnotes and images, with editable styles. */
export async function writeDocx(text: RichText): Promise<Uint8Array> {
  const { title, author, language, blocks, base, page = A4 } = text
  const library = await import('docx')
  const parts = text.sections ?? [{ start: 0, page, isContinuous: false }]
  const runs = new Runs(library, areaOf(firstOf(parts)))
  const writer = new Writer(library, runs)
  const outside = { indent: 0, depth: 0, quoted: false }
  const sections = parts.map((section, index) => {
    Object.assign(runs, areaOf(section))
    const { header, footer, start } = section
    const children = writer.blocks(blocks.slice(start, parts[index + 1]?.start), outside) as never[]
    return {
      properties: propertiesOf(section, library),
      children,
      ...(header && {
        headers: { default: new library.Header({ children: writer.blocks(header, outside) as never }) },
      }),
      ...(footer && {
        footers: { default: new library.Footer({ children: writer.blocks(footer, outside) as never }) },
      }),
    }
  })
  const notes = [...runs.footnotes].map(([number, children]) => [
    number,
    { children: [new library.Paragraph({ style: 'FootnoteText', children })] },
  ])
  const document = new library.Document({
    title,
    creator: author ?? '',
    lastModifiedBy: author ?? '',
    styles: STYLES(language, base),
    numbering: { config: numberingOf(library, writer.ordered) },
    ...(notes.length > 0 && { footnotes: Object.fromEntries(notes) }),
    sections,
  })
  return reproducible(await library.Packer.toBuffer(document))
}

export const docx: Engine = libraryEngine({
  id: 'docx',
  purpose: 'writing Word documents',
  licence: 'MIT',
  package: 'docx',
})
