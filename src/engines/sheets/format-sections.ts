/** A token of an Excel number format ([ECMA-376] part 1, 18.8.31). */
import { lastOf } from '../../lists.ts'
export type FormatToken =
  | { kind: 'literal'; text: string }
  | { kind: 'currency'; text: string }
  /** Digits with their point, commas, exponent or fraction. */
  | { kind: 'digits'; text: string }
  /** Letters of a date or time: `yyyy`, `mm`, `[h]`, `AM/PM`, `.000`. */
  | { kind: 'date'; text: string }
  | { kind: 'percent' }
  | { kind: 'text' }

export interface FormatSection {
  tokens: FormatToken[]
  /** A condition such as `<100`, if the section has one. */
  condition: string | undefined
  /** A CSS colour. */
  color: string | undefined
  /** The language of day and month names, such as `de-DE`. */
  locale: string | undefined
}

const COLORS: Readonly<Record<string, string>> = {
  ...{ black: '#000000', blue: '#0000ff', cyan: '#00ffff', green: '#00ff00' },
  ...{ magenta: '#ff00ff', red: '#ff0000', white: '#ffffff', yellow: '#ffff00' },
}

/** Common languages by their format id ([MS-LCID]). */
const LOCALES: Readonly<Record<number, string>> = {
  ...{ 1029: 'cs-CZ', 1030: 'da-DK', 1031: 'de-DE', 1032: 'el-GR', 1033: 'en-US', 1035: 'fi-FI', 1036: 'fr-FR' },
  ...{ 1038: 'hu-HU', 1040: 'it-IT', 1041: 'ja-JP', 1042: 'ko-KR', 1043: 'nl-NL', 1044: 'nb-NO', 1045: 'pl-PL' },
  ...{ 1046: 'pt-BR', 1049: 'ru-RU', 1053: 'sv-SE', 1055: 'tr-TR', 1058: 'uk-UA', 2052: 'zh-CN', 2055: 'de-CH' },
  ...{ 2057: 'en-GB', 2070: 'pt-PT', 3079: 'de-AT', 3082: 'es-ES' },
}

const TOKEN =
  /"(?<quoted>[^"]*)"|\\(?<escaped>.)|_(?<room>.)|\*(?<fill>.)|\[(?<bracket>[^\]]*)\]|(?<clock>AM\/PM|A\/P)|(?<letters>[yY]+|[mM]+|[dD]+|[hH]+|[sS]+(?:\.0+)?|[eEgG](?![-+]))|(?<general>General)|(?<digits>[0#?][0#?,.]*(?:[eE][-+][0#?]+|\s*\/\s*[0-9#?]+)?|\.[0#?]+)|(?<sign>.)/gsu

/** Splits a format into sections and tokens; a semicolon in quotes does not separate sections. */
export function formatSections(code: string): FormatSection[] {
  const sections: FormatSection[] = [emptySection()]
  for (const { groups } of code.matchAll(TOKEN)) {
    const section = lastOf(sections)
    const { quoted, escaped, room, fill, bracket, clock, letters, general, digits, sign } = groups!
    const literal = quoted ?? escaped ?? (room === undefined ? undefined : ' ')
    if (literal !== undefined) add(section, literal)
    else if (bracket !== undefined) takeBracket(section, bracket)
    else if (clock !== undefined || letters !== undefined)
      section.tokens.push({ kind: 'date', text: (clock ?? letters)! })
    else if (general !== undefined) section.tokens.push({ kind: 'digits', text: 'General' })
    else if (digits !== undefined) section.tokens.push({ kind: 'digits', text: digits })
    else if (sign === ';') sections.push(emptySection())
    else if (sign === '%') section.tokens.push({ kind: 'percent' })
    else if (sign === '@') section.tokens.push({ kind: 'text' })
    else if (fill === undefined) add(section, sign!)
  }
  return sections
}

const emptySection = (): FormatSection => ({ tokens: [], condition: undefined, color: undefined, locale: undefined })

/** Currency symbols are currency tokens, quoted or not. */
function add(section: FormatSection, text: string): void {
  if (/^\s*\p{Sc}\s*$/u.test(text)) section.tokens.push({ kind: 'currency', text })
  else if (text !== '') section.tokens.push({ kind: 'literal', text })
}

function takeBracket(section: FormatSection, content: string): void {
  if (/^(?:h+|m+|s+)$/i.test(content)) section.tokens.push({ kind: 'date', text: `[${content}]` })
  else if (/^[<>=]/.test(content)) section.condition = content
  else if (content.startsWith('$')) {
    const [, symbol, locale] = /^(.*?)(?:-([\da-f]+))?$/is.exec(content.slice(1))!
    if (symbol) section.tokens.push({ kind: 'currency', text: symbol })
    section.locale ??= LOCALES[Number.parseInt(locale ?? '0', 16) & 0xffff]
  } else section.color = COLORS[content.toLowerCase()] ?? section.color
}
