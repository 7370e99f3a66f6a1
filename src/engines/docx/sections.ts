import type { ISectionOptions } from 'docx'
import type { PageLayout, Section } from '../documents/rich-text.ts'
import { TWIPS } from './styles.ts'

type Library = typeof import('docx')

const twips = (points: number): number => Math.round(points * TWIPS)

/** Space for text: a column of a page without margins, points. */
export function areaOf({ page: { width, height, margins }, columns }: Section): {
  textWidth: number
  textHeight: number
} {
  const { count, gap } = columns ?? { count: 1, gap: 0 }
  return {
    textWidth: (width - margins.left - margins.right - gap * (count - 1)) / count,
    textHeight: height - margins.top - margins.bottom,
  }
}

export function propertiesOf(
  { page, columns, isContinuous, firstNumber }: Section,
  library: Pick<Library, 'PageOrientation' | 'SectionType'>,
): NonNullable<ISectionOptions['properties']> {
  const { margins, headerDistance, footerDistance } = page
  return {
    ...(isContinuous && { type: library.SectionType.CONTINUOUS }),
    ...(columns && { column: { count: columns.count, space: twips(columns.gap) } }),
    page: {
      size: sizeOf(page, library),
      ...(firstNumber !== undefined && { pageNumbers: { start: firstNumber } }),
      margin: {
        ...{ top: twips(margins.top), right: twips(margins.right), bottom: twips(margins.bottom) },
        left: twips(margins.left),
        ...(headerDistance !== undefined && { header: twips(headerDistance) }),
        ...(footerDistance !== undefined && { footer: twips(footerDistance) }),
      },
    },
  }
}

function sizeOf({ width, height }: PageLayout, { PageOrientation }: Pick<Library, 'PageOrientation'>) {
  const isWide = width > height
  // The library swaps the sides of a landscape page itself.
  const [short, long] = [twips(Math.min(width, height)), twips(Math.max(width, height))]
  return { width: short, height: long, orientation: isWide ? PageOrientation.LANDSCAPE : PageOrientation.PORTRAIT }
}
