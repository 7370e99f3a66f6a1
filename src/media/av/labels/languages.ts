/** Languages with two ISO 639-2 codes: terminological and bibliographic. */
const TWO_CODES = [
  ...['sqi alb', 'hye arm', 'eus baq', 'mya bur', 'zho chi', 'ces cze', 'nld dut', 'fra fre', 'kat geo', 'deu ger'],
  ...['ell gre', 'isl ice', 'mkd mac', 'mri mao', 'msa may', 'fas per', 'ron rum', 'slk slo', 'bod tib', 'cym wel'],
].map((pair) => pair.split(' ') as [string, string])
const TERMS: ReadonlyMap<string, string> = new Map(TWO_CODES.map(([term, other]) => [other, term]))

/** ffmpeg's codes for QuickTime languages, if they differ from ISO 639-2/T. */
const QUICKTIME: ReadonlyMap<string, string> = new Map([
  ...TWO_CODES.filter(([term]) => !['ces', 'fra', 'ron', 'slk'].includes(term)),
  ['swe', 'sve'],
])

/** The terminological code of a language, used as its canonical name. */
function termOf(code: string): string {
  const lower = code.toLowerCase()
  return lower === 'sve' ? 'swe' : (TERMS.get(lower) ?? lower)
}

/** Whether two codes identify the same language; undefined matches none. */
export const sameLanguage = (one: string | undefined, other: string | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && termOf(one) === termOf(other))

/** The code as known to ffmpeg's MOV muxer, which writes all others as undetermined. */
export const quickTimeLanguage = (code: string): string => QUICKTIME.get(termOf(code)) ?? termOf(code)

/** The BCP 47 code of a language, so that `de`, `deu` and `ger` are equal. */
export function shortLanguage(code: string): string {
  try {
    return Intl.getCanonicalLocales(termOf(code))[0] ?? code
  } catch {
    return code.toLowerCase()
  }
}

/** The shape of a language tag (RFC 5646, 2.1). */
const TAG = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/

/** A code that can be written into playlists and manifests, which have rules of their own; undefined for other text. */
export const languageTag = (code: string): string | undefined => (TAG.test(code) ? code : undefined)
