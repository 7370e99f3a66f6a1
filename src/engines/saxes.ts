import type { SaxesParser } from 'saxes'

/** The name of an element without its prefix. */
export const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/** A strict XML parser: throws if the text is not well-formed; messages start with the line and column. */
export async function strictParser(): Promise<SaxesParser> {
  const { SaxesParser } = await import('saxes')
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  return parser
}
