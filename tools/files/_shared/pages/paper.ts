import type { SettingsOf } from '../../../../src/tool/settings.ts'
import { choice, number, text } from '../../../../src/tool/settings.ts'
import { invalidSettings } from '../../../../src/tool/validate.ts'

/** Settings of pages that are printed with our own style. */
export const PAPER_SETTINGS = {
  pageSize: choice(['A3', 'A4', 'A5', 'Letter', 'Legal'], 'paper size', { group: 'Page', default: 'A4' }),
  orientation: choice(['portrait', 'landscape'], 'orientation of the pages', { group: 'Page', default: 'portrait' }),
  margin: number('margin on all sides', { group: 'Page', default: 20, min: 0, max: 100, unit: 'mm' }),
  header: text('text above each page; {title}, {page} and {pages} are replaced', {
    group: 'Page',
    maxLength: 200,
    example: '{title}',
  }),
  footer: text('text below each page; {title}, {page} and {pages} are replaced', {
    group: 'Page',
    maxLength: 200,
    example: '{page} / {pages}',
  }),
} as const

export type PaperSettings = SettingsOf<typeof PAPER_SETTINGS>

/** Least margin that holds a line of text, mm. */
const LEAST_MARGIN = 8

/** @throws INVALID_SETTINGS if the margin has no space for the header or footer */
export function checkPaper({ margin, header, footer }: PaperSettings): void {
  if ((header || footer) && margin < LEAST_MARGIN)
    throw invalidSettings(
      `A header or footer needs a margin of at least ${LEAST_MARGIN} mm, got ${margin} mm`,
      'It is printed in the margin of the page.',
    )
}

/** A CSS string; characters that could end it or the style element are escaped. */
const quoted = (words: string): string =>
  `"${words.replace(/[^\p{L}\p{N}\p{M} .,;:!?()/-]/gu, (character) => `\\${(character.codePointAt(0) ?? 0).toString(16)} `)}"`

const COUNTERS: Readonly<Record<string, string>> = { page: 'counter(page)', pages: 'counter(pages)' }

function content(line: string, title: string): string {
  const parts = line.split(/\{(title|page|pages)\}/)
  return parts
    .map((part, index) => (index % 2 === 0 ? quoted(part) : (COUNTERS[part] ?? quoted(title))))
    .filter((part) => part !== '""')
    .join(' ')
}

/** The pages as CSS (Paged Media: page margin boxes, in Chromium from 131 on). */
export function paperStyle({ pageSize, orientation, margin, header, footer }: PaperSettings, title: string): string {
  const line = (place: string, words: string | undefined): string =>
    words
      ? `@${place} { content: ${content(words, title)}; font: 9pt 'Noto Sans', sans-serif; color: #555; white-space: nowrap; } `
      : ''
  return `@page { size: ${pageSize} ${orientation}; margin: ${margin}mm; ${line('top-center', header)}${line('bottom-center', footer)}}`
}
