import type { PDFPage, Quad } from '../../../engines/mupdf.ts'
import { firstOf } from '../../../lists.ts'
import { occurrences, type Terms } from './terms.ts'

/** A character and its position on the page; a character without a position separates lines. */
interface Glyph {
  character: string
  page: number
  quad?: Quad
}

/** An area covered by a term, on one line. */
export interface Area {
  /** From 0. */
  page: number
  quad: Quad
}

/**
 * Ways of reading the text of a page: the drawn text, and the replacement text in the file (/ActualText); both split
 * ligatures. Hidden, clipped and off-page text is included.
 */
const READINGS = ['', 'ignore-actualtext'] as const

/** All texts of the document in every order that is searched: content order and position on the page. */
export function readings(pages: readonly PDFPage[]): Glyph[][] {
  return READINGS.flatMap((options) => {
    const written = pages.map((page, index) => glyphsOf(page, index, options))
    return [written.flat(), written.flatMap(byPlace)]
  })
}

/** The plain texts of all readings. */
export function textsOf(pages: readonly PDFPage[]): string[] {
  return readings(pages).map((glyphs) => glyphs.map(({ character }) => character).join(''))
}

/** The areas covered by terms in any of the readings. */
export function areasOf(pages: readonly PDFPage[], terms: Terms): Area[] {
  const areas = new Map<string, Area>()
  for (const glyphs of readings(pages)) {
    const characters = glyphs.map(({ character }) => character)
    for (const [first, end] of occurrences(terms, characters))
      for (const area of areasBetween(glyphs.slice(first, end))) areas.set(keyOf(area), area)
  }
  return [...areas.values()]
}

const keyOf = ({ page, quad }: Area): string => `${page} ${quad.map((value) => Math.round(value)).join(' ')}`

function glyphsOf(page: PDFPage, index: number, options: string): Glyph[] {
  const glyphs: Glyph[] = []
  const text = page.toStructuredText(options)
  text.walk({
    onChar: (character, _origin, _font, _size, quad) => void glyphs.push({ character, page: index, quad }),
    endLine: () => void glyphs.push({ character: '\n', page: index }),
  })
  text.destroy()
  return glyphs
}

const top = (quad: Quad): number => Math.min(quad[1], quad[3], quad[5], quad[7])
const bottom = (quad: Quad): number => Math.max(quad[1], quad[3], quad[5], quad[7])
const left = (quad: Quad): number => Math.min(quad[0], quad[2], quad[4], quad[6])
const right = (quad: Quad): number => Math.max(quad[0], quad[2], quad[4], quad[6])

/** The glyphs of a page in rows, left to right, regardless of drawing order. */
function byPlace(glyphs: readonly Glyph[]): Glyph[] {
  const placed = glyphs.filter(
    (glyph): glyph is Glyph & { quad: Quad } => glyph.quad !== undefined && glyph.character.trim() !== '',
  )
  placed.sort((one, other) => bottom(one.quad) - bottom(other.quad))
  const rows: Array<typeof placed> = []
  for (const glyph of placed) {
    const row = rows.at(-1)
    const height = bottom(glyph.quad) - top(glyph.quad)
    if (row && bottom(glyph.quad) - bottom(firstOf(row).quad) < height / 2) row.push(glyph)
    else rows.push([glyph])
  }
  return rows.flatMap((row) => {
    row.sort((one, other) => left(one.quad) - left(other.quad))
    const spaced: Glyph[] = []
    row.forEach((glyph, index) => {
      const before = row[index - 1]
      const gap = before ? left(glyph.quad) - right(before.quad) : 0
      if (gap > (bottom(glyph.quad) - top(glyph.quad)) / 6) spaced.push({ character: ' ', page: glyph.page })
      spaced.push(glyph)
    })
    return [...spaced, { character: '\n', page: firstOf(row).page }]
  })
}

/** One area for each run of glyphs on one line. */
function areasBetween(glyphs: readonly Glyph[]): Area[] {
  const areas: Area[] = []
  let isOpen = false
  for (const { page, quad, character } of glyphs) {
    if (!quad) {
      if (character === '\n') isOpen = false
      continue
    }
    const last = areas.at(-1)
    // The upper and lower right corners advance with each glyph (also along a rotated line).
    if (isOpen && last)
      last.quad = [last.quad[0], last.quad[1], quad[2], quad[3], last.quad[4], last.quad[5], quad[6], quad[7]]
    else areas.push({ page, quad: [...quad] })
    isOpen = true
  }
  return areas
}
