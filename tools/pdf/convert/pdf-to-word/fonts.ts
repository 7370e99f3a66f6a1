import type { Font } from '../../../../src/engines/mupdf.ts'

/** Style suffixes of font names. */
const STYLE =
  /[-,\s]*(regular|roman|normal|book|bold|semibold|demibold|demi|medium|light|black|heavy|italic|oblique|it|bd|psmt|ps|mt)+$/i

/** PDF font names of families known to word processors. */
const KNOWN: readonly [pattern: RegExp, family: string][] = [
  [/^(arial|helvetica|nimbussan|liberationsans)/i, 'Arial'],
  [/^(times|nimbusrom|liberationserif|cmr|cmb|cmti|cmsl|sfrm|lmroman|latinmodern)/i, 'Times New Roman'],
  [/^(courier|nimbusmon|liberationmono|cmtt|lmmono)/i, 'Courier New'],
  [/^carlito/i, 'Calibri'],
  [/^caladea/i, 'Cambria'],
]

/** The font family as word processors name it: `ABCDEF+TimesNewRomanPS-BoldMT` is Times New Roman. */
export function fontFamily(font: Font): string {
  const name = font.getName().replace(/^[A-Z]{6}\+/, '')
  const known = KNOWN.find(([pattern]) => pattern.test(name.replace(/[\s-]/g, '')))
  if (known) return known[1]
  let family = name
  while (STYLE.test(family) && family.replace(STYLE, '') !== '') family = family.replace(STYLE, '')
  // PDF font names have no spaces: OpenSans.
  family = family
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim()
  const isPlain = /^[A-Za-z][A-Za-z0-9 ]{2,40}$/.test(family) && !/^(type3|unnamed|f\d+|t\d+)$/i.test(family)
  if (isPlain) return family
  return font.isMono() ? 'Courier New' : font.isSerif() ? 'Times New Roman' : 'Arial'
}

/** Whether a font is monospaced; many fonts do not declare it. */
export const isMonospaced = (font: Font): boolean =>
  font.isMono() ||
  /mono|nimbusmon|courier|consol|typewriter|cmtt|lmtt|inconsolata|menlo|sourcecode/i.test(font.getName())
