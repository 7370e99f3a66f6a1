import type { INumberingOptions, IStylesOptions } from 'docx'

/** Twips to the point. */
export const TWIPS = 20
/** Of a level of a list or a quote, in twips. */
export const INDENT = 360

export const BULLETS = 'bullets'
/** With the first number behind it. */
export const ORDERED = 'numbers-'

const DARK = '1F3864'

const heading = (size: number, before: number, level: number) => ({
  run: { size: size * 2, bold: true, color: DARK },
  paragraph: {
    spacing: { before: before * TWIPS, after: 6 * TWIPS },
    keepNext: true,
    keepLines: true,
    outlineLevel: level,
  },
})

/** Sizes are in half points. */
export const STYLES = (language: string | undefined): IStylesOptions => ({
  default: {
    document: {
      run: { font: 'Calibri', size: 22, ...(language !== undefined && { language: { value: language } }) },
      paragraph: { spacing: { after: 8 * TWIPS, line: 264, lineRule: 'auto' } },
    },
    heading1: heading(20, 20, 0),
    heading2: heading(16, 16, 1),
    heading3: heading(14, 14, 2),
    heading4: heading(12, 12, 3),
    heading5: heading(11, 12, 4),
    heading6: heading(11, 12, 5),
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
})

/** Numbers and bullets for nine levels; ordered lists that begin with other numbers have their own. */
export function numberingOf(
  { AlignmentType, LevelFormat }: Pick<typeof import('docx'), 'AlignmentType' | 'LevelFormat'>,
  starts: readonly number[],
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
    // Numbers at every level, as in HTML.
    ...starts.map((start) => ({
      reference: `${ORDERED}${start}`,
      levels: levels((level) => ({ format: LevelFormat.DECIMAL, text: `%${level + 1}.`, start })),
    })),
  ]
}
