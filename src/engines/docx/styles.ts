import type { INumberingOptions, IStylesOptions } from 'docx'
import type { List } from '../documents/rich-text.ts'

/** Twips per point. */
export const TWIPS = 20
/** Indent of a list or quote level, in twips. */
export const INDENT = 360

export const BULLETS = 'bullets'

/** The name of a numbering definition. */
export const orderedReference = ({ start, numbering }: Pick<List, 'start' | 'numbering'>): string =>
  `${numbering ?? 'number'}-${start}`

const DARK = '1F3864'

const heading = (size: number, before: number, level: number, look: { font: string; color: string }) => ({
  run: { ...look, size: size * 2, bold: true },
  paragraph: {
    spacing: { before: before * TWIPS, after: 6 * TWIPS },
    keepNext: true,
    keepLines: true,
    outlineLevel: level,
  },
})

/** Sizes are in half points. */
export const STYLES = (language: string | undefined, base?: { font: string; size: number }): IStylesOptions => {
  const { font, size } = base ?? { font: 'Calibri', size: 11 }
  // Text with its own style also has its own colour.
  const look = { font, color: base ? '000000' : DARK }
  return {
    default: {
      document: {
        run: { font, size: size * 2, ...(language !== undefined && { language: { value: language } }) },
        paragraph: { spacing: { after: 8 * TWIPS, line: 264, lineRule: 'auto' } },
      },
      heading1: heading(20, 20, 0, look),
      heading2: heading(16, 16, 1, look),
      heading3: heading(14, 14, 2, look),
      heading4: heading(12, 12, 3, look),
      heading5: heading(11, 12, 4, look),
      heading6: heading(11, 12, 5, look),
      listParagraph: { paragraph: { spacing: { after: 4 * TWIPS } } },
    },
    paragraphStyles: [
      {
        id: 'Code',
        name: 'Code',
        basedOn: 'Normal',
        next: 'Normal',
        quickFormat: true,
        run: { font: 'Courier New', size: 19 },
        paragraph: {
          spacing: { after: 8 * TWIPS, line: 240, lineRule: 'auto' },
          shading: { type: 'clear', fill: 'F2F2F2' },
        },
      },
      {
        id: 'Quote',
        name: 'Quote',
        basedOn: 'Normal',
        quickFormat: true,
        run: { color: '555555', italics: true },
      },
    ],
  }
}

/** Numbers and bullets for nine levels; ordered lists with another start number have their own definition. */
export function numberingOf(
  { AlignmentType, LevelFormat }: Pick<typeof import('docx'), 'AlignmentType' | 'LevelFormat'>,
  ordered: ReadonlyMap<string, Pick<List, 'start' | 'numbering'>>,
): INumberingOptions['config'] {
  const levels = (format: (level: number) => { format: string; text: string; start?: number }) =>
    Array.from({ length: 9 }, (_, level) => ({
      level,
      alignment: AlignmentType.LEFT,
      style: { paragraph: { indent: { left: (level + 1) * INDENT, hanging: INDENT } } },
      ...(format(level) as { format: (typeof LevelFormat)['DECIMAL']; text: string; start?: number }),
    }))
  const bullets = ['\u2022', '\u25e6', '\u25aa']
  return [
    { reference: BULLETS, levels: levels((level) => ({ format: LevelFormat.BULLET, text: bullets[level % 3]! })) },
    // Decimal numbers at every level, as in HTML.
    ...[...ordered].map(([reference, { start, numbering }]) => ({
      reference,
      levels: levels((level) => ({
        format: numbering === 'letter' ? LevelFormat.LOWER_LETTER : LevelFormat.DECIMAL,
        text: `%${level + 1}.`,
        start,
      })),
    })),
  ]
}
