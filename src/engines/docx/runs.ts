import type { ParagraphChild } from 'docx'
import {
  type Formula,
  hasRightToLeft,
  type Inline,
  type Marks,
  type Picture,
  type TextRun,
} from '../documents/rich-text.ts'
import { officeMath } from './office-math.ts'

type Library = typeof import('docx')

/** CSS pixels per point. */
const PIXELS = 96 / 72

/** English metric units per point. */
const EMU = 12_700

/** Characters that XML does not allow. */
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/** The text of paragraphs: runs, links, images and the bookmarks that links point to. */
export class Runs {
  readonly #library: Library
  /** Space for text, points: a column, or a page without margins. */
  textWidth: number
  textHeight: number
  /** Text of footnotes, by number. */
  readonly footnotes = new Map<number, ParagraphChild[]>()
  /** Bookmark names must be short and plain. */
  readonly #bookmarks = new Map<string, string>()

  #marks = 0

  constructor(library: Library, { textWidth, textHeight }: { textWidth: number; textHeight: number }) {
    this.#library = library
    this.textWidth = textWidth
    this.textHeight = textHeight
  }

  #bookmark(anchor: string): string {
    const known = this.#bookmarks.get(anchor)
    if (known !== undefined) return known
    const name = `_a${this.#bookmarks.size + 1}`
    this.#bookmarks.set(anchor, name)
    return name
  }

  /** Preformatted text, line by line. */
  lines(text: string): ParagraphChild[] {
    const { TextRun } = this.#library
    return text
      .replace(FORBIDDEN, '')
      .split('\n')
      .map((line, index) => new TextRun({ text: line.replaceAll('\t', '    '), ...(index > 0 && { break: 1 }) }))
  }

  all(inlines: readonly Inline[], { anchors, bold }: { anchors: readonly string[]; bold?: boolean }): ParagraphChild[] {
    const { BookmarkEnd, BookmarkStart } = this.#library
    // The library gives all its own pairs the same number.
    const marks = anchors.flatMap((anchor) => {
      this.#marks += 1
      return [new BookmarkStart(this.#bookmark(anchor), this.#marks), new BookmarkEnd(this.#marks)] as never[]
    })
    return [...marks, ...linked(inlines).flatMap(({ link, run }) => this.#link(link, run, bold === true))]
  }

  #link(link: string | undefined, run: readonly Inline[], bold: boolean): ParagraphChild[] {
    const { ExternalHyperlink, InternalHyperlink } = this.#library
    const children = run.flatMap((inline) => this.#inline(inline, bold, link !== undefined))
    if (link === undefined) return children
    if (link.startsWith('#')) return [new InternalHyperlink({ anchor: this.#bookmark(link.slice(1)), children })]
    return [new ExternalHyperlink({ link, children })]
  }

  #inline(inline: Inline, bold: boolean, isLink: boolean): ParagraphChild[] {
    const { TextRun } = this.#library
    if (inline.kind === 'break') return [new TextRun({ break: 1 })]
    if (inline.kind === 'picture') return [this.#picture(inline)]
    if (inline.kind === 'formula') return [formula(this.#library, inline)]
    if (inline.footnote) return [this.#footnote(inline.footnote)]
    return [new TextRun({ ...this.#look(inline), ...(bold && { bold }), ...(isLink && { style: 'Hyperlink' }) })]
  }

  #look({ text, bold, italic, underline, strike, code, position, size, font, color, field }: TextRun) {
    const { PageNumber, ShadingType, Tab } = this.#library
    const words = text.replace(FORBIDDEN, '').split('\t')
    return {
      children: field
        ? [field === 'page' ? PageNumber.CURRENT : PageNumber.TOTAL_PAGES]
        : words.flatMap((word, index) => (index > 0 ? [new Tab(), word] : [word])),
      ...(hasRightToLeft(text) && !/\p{Script=Latin}/u.test(text) && { rightToLeft: true }),
      // In headings, false overrides their style.
      ...(bold !== undefined && { bold }),
      ...(italic && { italics: true }),
      ...(underline && { underline: {} }),
      ...(strike && { strike }),
      ...(position === 'sub' && { subScript: true }),
      ...(position === 'super' && { superScript: true }),
      ...(size !== undefined && { size: Math.round(size * 2) }),
      ...(color !== undefined && { color: color.slice(1) }),
      ...(font !== undefined && { font }),
      ...(code && { font: 'Courier New', shading: { type: ShadingType.CLEAR, fill: 'F2F2F2' } }),
    }
  }

  #footnote(text: readonly Inline[]): ParagraphChild {
    const number = this.footnotes.size + 1
    this.footnotes.set(number, [])
    this.footnotes.set(number, [new this.#library.TextRun(' '), ...this.all(text, { anchors: [] })])
    return new this.#library.FootnoteReferenceRun(number)
  }

  /** Scaled down to the page if larger. */
  #picture({ bytes, type, width, height, alt, floatX }: Picture): ParagraphChild {
    const scale = Math.min(1, (this.textWidth * PIXELS) / width, (this.textHeight * PIXELS) / height)
    const description = alt.replace(FORBIDDEN, '')
    return new this.#library.ImageRun({
      type,
      data: Buffer.from(bytes),
      transformation: {
        width: Math.max(1, Math.round(width * scale)),
        height: Math.max(1, Math.round(height * scale)),
      },
      altText: { name: description, title: description, description },
      ...(floatX !== undefined && { floating: this.#floating(floatX) }),
    })
  }

  #floating(x: number) {
    const { HorizontalPositionRelativeFrom, TextWrappingSide, TextWrappingType, VerticalPositionRelativeFrom } =
      this.#library
    return {
      horizontalPosition: { relative: HorizontalPositionRelativeFrom.PAGE, offset: Math.round(x * EMU) },
      verticalPosition: { relative: VerticalPositionRelativeFrom.PARAGRAPH, offset: 0 },
      wrap: { type: TextWrappingType.SQUARE, side: TextWrappingSide.BOTH_SIDES },
      margins: { left: 9 * EMU, right: 9 * EMU, top: 0, bottom: 0 },
    }
  }
}

/** An equation of Word; a displayed one is on a line of its own. */
function formula({ ImportedXmlComponent }: Library, { math, isDisplay }: Formula): ParagraphChild {
  return ImportedXmlComponent.fromXmlString(officeMath(math, isDisplay)) as unknown as ParagraphChild
}

/** Merges adjacent runs of the same link. */
function linked(inlines: readonly Inline[]): { link: string | undefined; run: Inline[] }[] {
  const groups: { link: string | undefined; run: Inline[] }[] = []
  for (const inline of inlines) {
    const { link } = inline as Marks
    const last = groups.at(-1)
    if (last && last.link === link) last.run.push(inline)
    else groups.push({ link, run: [inline] })
  }
  return groups
}
