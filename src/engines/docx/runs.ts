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

/** Characters that XML does not allow. */
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/** The text of paragraphs: runs, links, images and the bookmarks that links point to. */
export class Runs {
  readonly #library: Library
  /** Page size without margins, points. */
  readonly textWidth: number
  readonly #textHeight: number
  /** Bookmark names must be short and plain. */
  readonly #bookmarks = new Map<string, string>()

  #marks = 0

  constructor(library: Library, { textWidth, textHeight }: { textWidth: number; textHeight: number }) {
    this.#library = library
    this.textWidth = textWidth
    this.#textHeight = textHeight
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
    return [new TextRun({ ...this.#look(inline), ...(bold && { bold }), ...(isLink && { style: 'Hyperlink' }) })]
  }

  #look({ text, bold, italic, underline, strike, code, position, size, font, color }: TextRun) {
    const { ShadingType } = this.#library
    const { Tab } = this.#library
    const words = text.replace(FORBIDDEN, '').split('\t')
    return {
      children: words.flatMap((word, index) => (index > 0 ? [new Tab(), word] : [word])),
      ...(hasRightToLeft(text) && !/\p{Script=Latin}/u.test(text) && { rightToLeft: true }),
      ...(bold && { bold }),
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

  /** Scaled down to the page if larger. */
  #picture({ bytes, type, width, height, alt }: Picture): ParagraphChild {
    const scale = Math.min(1, (this.textWidth * PIXELS) / width, (this.#textHeight * PIXELS) / height)
    const description = alt.replace(FORBIDDEN, '')
    return new this.#library.ImageRun({
      type,
      data: Buffer.from(bytes),
      transformation: {
        width: Math.max(1, Math.round(width * scale)),
        height: Math.max(1, Math.round(height * scale)),
      },
      altText: { name: description, title: description, description },
    })
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
