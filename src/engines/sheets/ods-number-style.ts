import { firstOf } from '../../lists.ts'
import { type FormatSection, type FormatToken, formatSections } from './format-sections.ts'
import { escapedText } from './ods-markup.ts'

/** The value type that a format implies (OpenDocument 1.3, part 3, 19.385). */
export type ValueKind = 'float' | 'percentage' | 'currency' | 'date' | 'time' | 'text'

/** Data styles (OpenDocument 1.3, part 3, 16.29) for an Excel number format. */
export interface NumberStyle {
  kind: ValueKind
  markup: string
  /** The currency symbol that it shows. */
  currency: string | undefined
}

export function kindOf({ tokens }: FormatSection): ValueKind {
  const dates = tokens.flatMap((token) => (token.kind === 'date' ? [token.text.toLowerCase()] : []))
  if (dates.some((text) => /^[ydeg]/.test(text)) || (dates.length > 0 && dates.every((text) => /^m/.test(text))))
    return 'date'
  if (dates.length > 0) return 'time'
  const has = (kind: FormatToken['kind']): boolean => tokens.some((token) => token.kind === kind)
  if (has('digits') && has('percent')) return 'percentage'
  if (has('digits') && has('currency')) return 'currency'
  return has('digits') || !has('text') ? 'float' : 'text'
}

const ELEMENTS: Readonly<Record<ValueKind, string>> = {
  ...{ float: 'number-style', percentage: 'percentage-style', currency: 'currency-style' },
  ...{ date: 'date-style', time: 'time-style', text: 'text-style' },
}

/** Default conditions of sections: above 0, below 0, 0. */
const USUAL = [['>=0'], ['>=0', '<0'], ['>0', '<0', '=0'], ['>0', '<0', '=0']] as const

/** @param name of the style; the names of its section styles start with it */
export function numberStyle(code: string, name: string): NumberStyle {
  const all = formatSections(code)
  const numeric = all.slice(0, 3)
  const kind = kindOf(firstOf(all))
  const currency = firstOf(all).tokens.flatMap((token) => (token.kind === 'currency' ? [token.text.trim()] : []))[0]
  if (all.length === 1) return { kind, currency, markup: sectionMarkup(firstOf(all), name, kind) }
  const usual = USUAL[Math.min(all.length, 3) - 1]!
  // The last section is the style itself, the others are selected by conditions.
  const last = numeric.length - 1
  const chosen = numeric.slice(0, last)
  const maps = chosen.map(
    ({ condition }, index) =>
      `<style:map style:condition="value()${escapedText((condition ?? usual[index]!).replace('<>', '!='))}" style:apply-style-name="${name}P${index}"/>`,
  )
  const parts = chosen.map((section, index) =>
    sectionMarkup(section, `${name}P${index}`, sectionKind(section, kind), true),
  )
  const own = sectionMarkup(numeric[last]!, name, sectionKind(numeric[last]!, kind), false, maps.join(''))
  return { kind, currency, markup: parts.join('') + own }
}

/** A section without digits, such as `"-"`, has the type of the others. */
function sectionKind(section: FormatSection, kind: ValueKind): ValueKind {
  const own = kindOf(section)
  return section.tokens.some((token) => token.kind === 'digits' || token.kind === 'date')
    ? own
    : kind === 'text'
      ? own
      : kind
}

function sectionMarkup(section: FormatSection, name: string, kind: ValueKind, isPart = false, maps = ''): string {
  const element = `number:${ELEMENTS[kind]}`
  const overflow = section.tokens.some((token) => token.kind === 'date' && token.text.startsWith('['))
  const attributes = `style:name="${name}"${isPart ? ' style:volatile="true"' : ''}${kind === 'time' && overflow ? ' number:truncate-on-overflow="false"' : ''}`
  const [language, country] = section.locale?.split('-') ?? []
  const locale =
    language === undefined || (kind !== 'date' && kind !== 'time')
      ? ''
      : ` number:language="${language}" number:country="${country}"`
  const color = section.color === undefined ? '' : `<style:text-properties fo:color="${section.color}"/>`
  const content = section.tokens.map((token, index) => tokenMarkup(token, index, section.tokens, kind)).join('')
  return `<${element} ${attributes}${locale}>${color}${content}${maps}</${element}>`
}

const text = (content: string): string => `<number:text>${escapedText(content)}</number:text>`

function tokenMarkup(token: FormatToken, index: number, all: readonly FormatToken[], kind: ValueKind): string {
  switch (token.kind) {
    case 'literal':
      return text(token.text)
    case 'currency':
      return kind === 'currency'
        ? `<number:currency-symbol>${escapedText(token.text)}</number:currency-symbol>`
        : text(token.text)
    case 'percent':
      return text('%')
    case 'text':
      return '<number:text-content/>'
    case 'digits':
      return kind === 'date' || kind === 'time' ? '' : digitsMarkup(token.text)
    case 'date':
      return dateMarkup(token.text, isMinute(index, all))
  }
}

/** An `m` means minutes after an hour and before a second. */
function isMinute(index: number, all: readonly FormatToken[]): boolean {
  const dates = all.flatMap((token, at) => (token.kind === 'date' ? [{ at, text: token.text.toLowerCase() }] : []))
  const own = dates.findIndex(({ at }) => at === index)
  return /^\[?h/.test(dates[own - 1]?.text ?? '') || /^\[?s/.test(dates[own + 1]?.text ?? '')
}

function dateMarkup(letters: string, isMinute: boolean): string {
  const lower = letters.toLowerCase().replace(/[[\]]/g, '')
  const [first = ''] = lower
  const long = (least: number): string => (lower.length >= least ? ' number:style="long"' : '')
  if (lower.startsWith('am') || lower === 'a/p') return '<number:am-pm/>'
  if (first === 'y' || first === 'e') return `<number:year${first === 'e' ? ' number:style="long"' : long(3)}/>`
  if (first === 'g') return '<number:era/>'
  if (first === 'd') return lower.length > 2 ? `<number:day-of-week${long(4)}/>` : `<number:day${long(2)}/>`
  if (first === 'h') return `<number:hours${long(2)}/>`
  if (first === 's') {
    const decimals = lower.split('.')[1]?.length ?? 0
    return `<number:seconds${lower.startsWith('ss') ? ' number:style="long"' : ''}${decimals > 0 ? ` number:decimal-places="${decimals}"` : ''}/>`
  }
  if (isMinute) return `<number:minutes${long(2)}/>`
  if (lower.length > 2)
    return `<number:month number:textual="true"${lower.length === 4 ? ' number:style="long"' : ''}/>`
  return `<number:month${long(2)}/>`
}

const count = (part: string, digits: RegExp): number => part.match(digits)?.length ?? 0

function digitsMarkup(code: string): string {
  if (code === 'General') return '<number:number number:min-integer-digits="1"/>'
  const fraction = /^([0#?,]*?)\s*([0#?]+)\s*\/\s*([0-9#?]+)$/.exec(code)
  if (fraction) {
    const [, , numerator = '', denominator = ''] = fraction
    const fixed = /^[1-9]\d*$/.test(denominator)
    return `<number:fraction number:min-integer-digits="0" number:min-numerator-digits="${numerator.length}" ${fixed ? `number:denominator-value="${denominator}"` : `number:min-denominator-digits="${denominator.length}"`}/>`
  }
  const [mantissa = '', exponent] = code.split(/[eE][-+]/)
  const [whole = '', decimals = ''] = mantissa.split('.')
  const thousands = /,+$/.exec(mantissa)?.[0].length ?? 0
  const attributes = [
    `number:decimal-places="${count(decimals, /[0#?]/g)}"`,
    `number:min-decimal-places="${count(decimals, /0/g)}"`,
    `number:min-integer-digits="${count(whole, /0/g)}"`,
    ...(/,[0#?]/.test(whole) ? ['number:grouping="true"'] : []),
    ...(thousands > 0 ? [`number:display-factor="${1000 ** thousands}"`] : []),
  ]
  return exponent === undefined
    ? `<number:number ${attributes.join(' ')}/>`
    : `<number:scientific-number ${attributes.join(' ')} number:min-exponent-digits="${exponent.length}"/>`
}
