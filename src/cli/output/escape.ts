import { FORBIDDEN } from '../../engines/xml/characters.ts'
import { printableName } from '../../wording.ts'

const FORBIDDEN_ALL = new RegExp(FORBIDDEN, 'gu')

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
}

/** Text for XML and HTML, in content and in quoted attributes; control characters are made visible. */
export function markupText(text: string): string {
  return printableName(text)
    .replace(FORBIDDEN_ALL, '\ufffd')
    .replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '')
}

/** Text in a table cell of Markdown: every sign that Markdown or HTML interpret is an entity. */
export function markdownCell(text: string): string {
  return printableName(text).replace(/[^\p{L}\p{N} .,/-]/gu, (sign) =>
    /[\u0080-\u{10ffff}]/u.test(sign) ? sign : `&#${sign.charCodeAt(0)};`,
  )
}

/** Code in a table cell of Markdown. */
export const markdownCode = (text: string): string => `<code>${markdownCell(text)}</code>`

/** The message of a workflow command of GitHub Actions. */
export const commandData = (text: string): string =>
  text.replace(/[%\r\n]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)

/** A property of a workflow command of GitHub Actions. */
export const commandProperty = (text: string): string =>
  text.replace(/[%\r\n:,]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
