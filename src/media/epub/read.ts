import type { Block, RichText } from '../../engines/documents/rich-text.ts'
import { MediaprocError } from '../../errors.ts'
import { type MediaFile, printableName, stemOf } from '../file.ts'
import { fromHtml } from '../rich-text/from-html.ts'
import { richPicture } from '../rich-text/picture.ts'
import { decodeXml } from '../text-file.ts'
import { type EpubItem, type EpubPackage, openEpub, resolvePath } from './package.ts'

export interface EpubText extends RichText {
  /** Pictures, films and programs that were not taken: those of elsewhere, and those that are missing. */
  leftOut: number
  /** Chapters that the book names and does not hold. */
  missing: number
}

/** Where a chapter begins, for links to the whole of it. */
const START = ''

/**
 * A book as one document: its chapters in their order, with its own pictures; links between chapters lead to their places.
 * @param onProgress told the part of the chapters that is done
 * @throws INVALID_FILE, LIMIT_EXCEEDED, PASSWORD_PROTECTED, PROCESSING_FAILED for a book without text and pictures
 */
export async function readEpub(file: MediaFile, onProgress: (fraction: number) => void): Promise<EpubText> {
  const book = await openEpub(file)
  const chapters = new Map(book.spine.map(({ path }, index) => [path, index]))
  const blocks: Block[] = []
  let leftOut = 0
  for (const [index, item] of book.spine.entries()) {
    const chapter = await readChapter(book, item, chapters)
    leftOut += chapter.leftOut
    if (chapter.blocks.length > 0) {
      if (blocks.length > 0) blocks.push({ kind: 'page-break' })
      blocks.push(...withStart(chapter.blocks, `${index}:${START}`))
    }
    onProgress((index + 1) / book.spine.length)
  }
  if (blocks.length === 0)
    throw new MediaprocError('PROCESSING_FAILED', `${printableName(file.name)} holds no text`, {
      hint: 'There is nothing to read in it.',
    })
  return {
    title: book.title ?? stemOf(file.name),
    ...(book.author !== undefined && { author: book.author }),
    ...(book.language !== undefined && { language: book.language }),
    blocks,
    leftOut,
    missing: book.missing,
  }
}

async function readChapter(book: EpubPackage, { path, type }: EpubItem, chapters: ReadonlyMap<string, number>) {
  const bytes = book.part(path)!
  // A page may be a drawing or a picture itself.
  if (type.startsWith('image/')) {
    const picture = await richPicture(bytes, '')
    return { blocks: picture ? [{ kind: 'paragraph' as const, inlines: [picture] }] : [], leftOut: picture ? 0 : 1 }
  }
  return fromHtml(asHtml(decodeXml(bytes)), {
    prefix: `${chapters.get(path)}:`,
    load: (address) => (/^[a-z][a-z0-9+.-]*:/i.test(address) ? undefined : book.part(resolvePath(path, address))),
    link: (address) => {
      const chapter = chapters.get(resolvePath(path, address))
      return chapter === undefined ? undefined : `#${chapter}:${address.split('#')[1] ?? START}`
    },
  })
}

const VOID = /^(area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i

/** Elements that XML closes in themselves would stay open in HTML, and take all that follows into them. */
function asHtml(text: string): string {
  const isXml = /^\s*<\?xml|xmlns=["']http:\/\/www\.w3\.org\/1999\/xhtml/i.test(text.slice(0, 4096))
  if (!isXml) return text
  return text
    .replace(/^\s*<\?xml[^>]*\?>/, '')
    .replace(/<([a-z][\w:-]*)(\s(?:[^<>"']|"[^"]*"|'[^']*')*)?\/>/gi, (whole, name: string, attributes = '') =>
      VOID.test(name) ? whole : `<${name}${attributes}></${name}>`,
    )
}

/** The first text of a chapter can be led to. */
function withStart(blocks: readonly Block[], anchor: string): Block[] {
  const first = blocks.findIndex(({ kind }) => kind === 'paragraph' || kind === 'heading')
  return blocks.map((block, index) =>
    index === first && (block.kind === 'paragraph' || block.kind === 'heading')
      ? { ...block, anchors: [anchor, ...(block.anchors ?? [])] }
      : block,
  )
}
