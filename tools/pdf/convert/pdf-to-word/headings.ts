import type { Heading } from '../../../../src/engines/documents/rich-text.ts'
import type { PdfHandle } from '../../../../src/media/pdf/document.ts'
import { loadOutline } from '../../../../src/media/pdf/structure/outline.ts'
import { lineText, mainSize } from './lines.ts'
import type { BaseLook, TextBlock } from './text-blocks.ts'

const LONGEST = 200
const MOST_LINES = 3

const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
const textOf = ({ lines }: TextBlock): string => lines.map(lineText).join(' ')

type Level = Heading['level']

/** Bookmarks and their levels: the headings that a document declares. */
function outlineLevels({ pdf }: PdfHandle): Map<string, Level> {
  const levels = new Map<string, Level>()
  const note = (items: ReturnType<typeof loadOutline>, level: number): void => {
    for (const { title, down, page = -1 } of items ?? []) {
      const words = wordsOf(title ?? '')
      // A table of contents has the same words on another page.
      const key = `${page} ${words}`
      if (words !== '' && !levels.has(key)) levels.set(key, Math.min(level, 6) as Level)
      if (down && level < 20) note(down, level + 1)
    }
  }
  try {
    note(loadOutline(pdf), 1)
  } catch {
    // A damaged outline is ignored.
  }
  return levels
}

const isBold = ({ lines }: TextBlock): boolean =>
  lines.every((line) => line.spans.every(({ bold, text }) => bold || text.trim() === ''))

/** Distinguishes headings from paragraphs: by bookmarks, by letters larger than the body text, by short bold lines. */
export function headingLevels(
  blocks: readonly TextBlock[],
  base: BaseLook,
  document: PdfHandle,
): (block: TextBlock) => Level | undefined {
  const outline = outlineLevels(document)
  const sizeOf = ({ lines }: TextBlock): number => Math.round(mainSize(lines) * 2) / 2
  const isShort = (block: TextBlock): boolean =>
    block.lines.length <= MOST_LINES && textOf(block).length <= LONGEST && /\p{L}|\p{N}/u.test(textOf(block))
  const isLarge = (block: TextBlock): boolean =>
    isShort(block) && sizeOf(block) >= base.size * (isBold(block) ? 1.1 : 1.25) && !isNumberOnly(block)
  const isBoldLine = (block: TextBlock): boolean =>
    isShort(block) &&
    isBold(block) &&
    block.lines.length <= 2 &&
    sizeOf(block) >= base.size * 0.95 &&
    !/[.,;:]\s*$/.test(textOf(block)) &&
    !block.list
  const sizes = [...new Set(blocks.filter(isLarge).map(sizeOf))].sort((one, other) => other - one)
  return (block) => {
    if (!isShort(block)) return undefined
    const said = outline.get(`${block.page} ${wordsOf(textOf(block))}`)
    if (said !== undefined) return said
    if (isLarge(block)) return Math.min(sizes.indexOf(sizeOf(block)) + 1, 6) as Level
    return isBoldLine(block) ? (Math.min(sizes.length + 1, 6) as Level) : undefined
  }
}

const isNumberOnly = (block: TextBlock): boolean => /^[\s\d.,%-]*$/.test(textOf(block))
