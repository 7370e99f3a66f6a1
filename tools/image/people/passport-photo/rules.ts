import { firstOf } from '../../../../src/lists.ts'
import { invalidSettings, nearest } from '../../../../src/tool/validate.ts'
import { COUNTRIES, type Country, FALLBACK_RULES, type PhotoRules, rulesFor } from './countries.ts'

/** Country code aliases. */
const OTHER_CODES: Readonly<Record<string, string>> = { UK: 'GB' }

/** The document that a request needs the photo for. */
export interface DocumentOptions {
  countryCode: string
  documentType: string
  customWidthMm?: number | undefined
  customHeightMm?: number | undefined
}

/** The rules for a photo, and their country. */
export interface DocumentRules {
  rules: PhotoRules
  country: string
  countryCode: string
  documentType: string
}

/** Did-you-mean suggestions: a name, its beginning (GER), a three-letter code (USA), or a typo. */
function meantCountry(given: string): readonly [string, Country] | undefined {
  const wanted = given.trim().toLowerCase()
  const entries = Object.entries(COUNTRIES)
  const named = (test: (name: string) => boolean) => entries.find(([, { name }]) => test(name.toLowerCase()))
  const byName = wanted.length > 2 ? named((name) => name.startsWith(wanted)) : undefined
  const ofThree = wanted.length === 3 ? entries.find(([code]) => code.toLowerCase() === wanted.slice(0, 2)) : undefined
  if (byName ?? ofThree) return byName ?? ofThree
  const near = nearest(wanted, wanted.length > 3 ? entries.map(([, { name }]) => name) : Object.keys(COUNTRIES))
  return entries.find(([code, { name }]) => code === near || name === near)
}

function suggestion(given: string): string {
  const found = meantCountry(given)
  const all = `Supported countries: ${Object.keys(COUNTRIES).sort().join(', ')}`
  return found ? `Did you mean ${found[0]} (${found[1].name})? ${all}` : all
}

/** A country by its code, case-insensitive. */
function findCountry(given: string): [string, Country] | undefined {
  const code = given.trim().toUpperCase()
  const own = OTHER_CODES[code] ?? code
  return Object.hasOwn(COUNTRIES, own) ? [own, COUNTRIES[own]!] : undefined
}

/**
 * The rules for a request: those of its country, in a custom size if given. An unknown country with a size uses the
 * rules of most countries; an unknown document uses the country's first.
 * @throws MediaprocError INVALID_SETTINGS for an unknown country without a size
 */
export function documentRules({
  countryCode,
  documentType,
  customWidthMm,
  customHeightMm,
}: DocumentOptions): DocumentRules {
  const found = findCountry(countryCode)
  if (!found && customWidthMm === undefined)
    throw invalidSettings(`countryCode: there are no rules for ${countryCode}`, suggestion(countryCode))
  const [code, country] = found ?? ['CUSTOM', { name: 'Custom', documents: { [documentType]: FALLBACK_RULES } }]
  const [type, rules] =
    Object.entries(country.documents).find(([name]) => name === documentType.trim().toLowerCase()) ??
    firstOf(Object.entries(country.documents))
  const size = { widthMm: customWidthMm ?? rules.widthMm, heightMm: customHeightMm ?? rules.heightMm }
  return { rules: rulesFor({ ...rules, ...size }), country: country.name, countryCode: code, documentType: type }
}

/** @throws MediaprocError INVALID_SETTINGS for a document that the country has no rules for */
export function checkDocument(options: DocumentOptions): void {
  documentRules(options)
  const { documentType, countryCode } = options
  const types = Object.keys(findCountry(countryCode)?.[1].documents ?? { [documentType.toLowerCase()]: true })
  if (types.includes(documentType.trim().toLowerCase())) return
  throw invalidSettings(
    `documentType: there are no rules for ${documentType} of ${countryCode.toUpperCase()}`,
    `Supported types: ${types.join(', ')}.`,
  )
}
