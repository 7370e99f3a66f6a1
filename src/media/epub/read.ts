import type { Block, RichText } from '../../engines/documents/rich-text.ts'
import { MediaprocError } from '../../errors.ts'
import { type MediaFile, printableName, stemOf } from '../file.ts'
import { fromHtml } from '../rich-text/from-html.ts'
import { richPicture } from '../rich-text/picture.ts'
import { decodeXml } from '../text-file.ts'
import { type EpubItem, type EpubPackage, openEpub, resolvePath } from './package.ts'

export interface EpubText extends RichText {
  /** Number of images, videos and scripts that were skipped: remote ones, and missing ones. */
  leftOut: number
  /** Chapters that the book lists but does not contain. */
  missing: number
}

/** Anchor at the start of a chapter, for links to the whole chapter. */
const START = ''

/**
 * Reads a book as one document: its chapters in order, with the book's own images; links between chapters are resolved.
 * @param onProgress receives the share of the chapters done
 * @throws INVALID_FILE, LIMIT_EXCEEDED, PASSWORD_PROTECTED, PROCESSING_FAILED for a book without text and images
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
  // A page may itself be an SVG or an image.
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

/** Elements that are self-closing in XML would stay open in HTML and absorb all that follows. */
function asHtml(text: string): string {
  const isXml = /^\s*<\?xml|xmlns=["']http:\/\/www\.w3\.org\/1999\/xhtml/i.test(text.slice(0, 4096))
  if (!isXml) return text
  return text
    .replace(/^\s*<\?xml[^>]*\?>/, '')
    .replace(/<([a-z][\w:-]*)(\s(?:[^<>"']|"[^"]*"|'[^']*')*)?\/>/gi, (whole, name: string, attributes = '') =>
      VOID.test(name) ? whole : `<${name}${attributes}></${name}>`,
    )
}

/** The first text of a chapter can be a link target. */
function withStart(blocks: readonly Block[], anchor: string): Block[] {
  const first = blocks.findIndex(({ kind }) => kind === 'paragraph' || kind === 'heading')
  return blocks.map((block, index) =>
    index === first && (block.kind === 'paragraph' || block.kind === 'heading')
      ? { ...block, anchors: [anchor, ...(block.anchors ?? [])] }
      : block,
  )
}
