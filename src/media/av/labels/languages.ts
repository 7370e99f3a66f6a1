/** Languages with two codes in ISO 639-2: terminological and bibliographic. */
const TWO_CODES = [
  ...['sqi alb', 'hye arm', 'eus baq', 'mya bur', 'zho chi', 'ces cze', 'nld dut', 'fra fre', 'kat geo', 'deu ger'],
  ...['ell gre', 'isl ice', 'mkd mac', 'mri mao', 'msa may', 'fas per', 'ron rum', 'slk slo', 'bod tib', 'cym wel'],
].map((pair) => pair.split(' ') as [string, string])
const TERMS: ReadonlyMap<string, string> = new Map(TWO_CODES.map(([term, other]) => [other, term]))

/** The codes by which ffmpeg knows QuickTime's languages, where they are not those of ISO 639-2/T. */
const QUICKTIME: ReadonlyMap<string, string> = new Map([
  ...TWO_CODES.filter(([term]) => !['ces', 'fra', 'ron', 'slk'].includes(term)),
  ['swe', 'sve'],
])

/** The terminological code of a language, which is its one name here. */
function termOf(code: string): string {
  const lower = code.toLowerCase()
  return lower === 'sve' ? 'swe' : (TERMS.get(lower) ?? lower)
}

/** Whether two codes name one language; undefined names none. */
export const sameLanguage = (one: string | undefined, other: string | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && termOf(one) === termOf(other))

/** A code as ffmpeg's MOV muxer knows it; others it writes as undetermined. */
export const quickTimeLanguage = (code: string): string => QUICKTIME.get(termOf(code)) ?? termOf(code)
