/** First code points of the mathematical alphanumeric symbols: capital letters, small letters, digits (Unicode 1D400). */
const STYLES: Readonly<Record<string, readonly [number, number, number?]>> = {
  bold: [0x1d400, 0x1d41a, 0x1d7ce],
  'bold-italic': [0x1d468, 0x1d482],
  script: [0x1d49c, 0x1d4b6],
  'bold-script': [0x1d4d0, 0x1d4ea],
  fraktur: [0x1d504, 0x1d51e],
  'bold-fraktur': [0x1d56c, 0x1d586],
  'double-struck': [0x1d538, 0x1d552, 0x1d7d8],
  'sans-serif': [0x1d5a0, 0x1d5ba, 0x1d7e2],
  'bold-sans-serif': [0x1d5d4, 0x1d5ee, 0x1d7ec],
  'sans-serif-italic': [0x1d608, 0x1d622],
  monospace: [0x1d670, 0x1d68a, 0x1d7f6],
}

/** Letters that Unicode had before. */
const OLDER: Readonly<Record<string, string>> = {
  script: 'BℬEℰFℱHℋIℐLℒMℳRℛeℯgℊoℴ',
  fraktur: 'CℭHℌIℑRℜZℨ',
  'double-struck': 'CℂHℍNℕPℙQℚRℝZℤ',
}

function letter(character: string, style: string): string {
  const [capital, small, digit] = STYLES[style] ?? []
  const older = OLDER[style]?.indexOf(character) ?? -1
  if (older >= 0) return OLDER[style]?.[older + 1] ?? character
  const start = /[A-Z]/.test(character) ? capital : /[a-z]/.test(character) ? small : digit
  const first = /[A-Z]/.test(character) ? 65 : /[a-z]/.test(character) ? 97 : 48
  return start === undefined || !/[A-Za-z0-9]/.test(character)
    ? character
    : String.fromCodePoint(start + (character.codePointAt(0) ?? first) - first)
}

/**
 * Replaces the attribute `mathvariant` of MathML 3, which browsers no longer read (MathML Core, 2.1.3), by letters of
 * that style. `normal` stays.
 */
const withStyledLetters = (mathml: string): string =>
  mathml.replace(
    /<(m[ion]|mtext) mathvariant="([\w-]+)">([^<&]*)</g,
    (whole, name: string, style: string, text: string) =>
      STYLES[style] === undefined ? whole : `<${name}>${Array.from(text, (one) => letter(one, style)).join('')}<`,
  )

/**
 * Writes the alignment of columns to each cell, because browsers do not read it from the table; equations that are
 * aligned at a sign have no gap there. Cells of tables in cells have the alignment of the outer column.
 */
function withAlignedCells(mathml: string): string {
  let [alignments, padding, column, depth]: [string[], string, number, number] = [[], '', 0, 0]
  return mathml.replace(/<(\/?)(mtable|mtr|mtd)\b([^>]*)>/g, (tag, close: string, name: string, attributes: string) => {
    if (name === 'mtable') {
      depth += close ? -1 : 1
      if (!close && depth === 1) {
        alignments = (/columnalign="([a-z ]+)"/.exec(attributes)?.[1] ?? '').split(' ')
        padding = /columnspacing="0em/.test(attributes) ? '; padding-left: 0; padding-right: 0' : ''
      }
    }
    if (close || depth !== 1 || name === 'mtable') return tag
    if (name === 'mtr') column = -1
    else column += 1
    const side = alignments[column] ?? alignments.at(-1)
    return name === 'mtd' && side ? `<mtd style="text-align: ${side}${padding}"${attributes}>` : tag
  })
}

/** Accents of which fonts draw another character in the right size and height. */
const ACCENTS: readonly (readonly [string, string])[] = [
  ['<mo>^</mo></mover>', '<mo>\u0302</mo></mover>'],
  ['<mo>~</mo></mover>', '<mo>\u0303</mo></mover>'],
  ['>\u203e</mo></mover>', '>\u2015</mo></mover>'],
]

/** MathML 3 in the form that browsers draw. */
export const forBrowsers = (mathml: string): string =>
  ACCENTS.reduce((text, [from, to]) => text.replaceAll(from, to), withAlignedCells(withStyledLetters(mathml)))
