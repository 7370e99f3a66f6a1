import type { SaxesParser } from 'saxes'

/** A strict XML parser: throws if the text is not well-formed; messages start with the line and column. */
export async function strictParser(): Promise<SaxesParser> {
  const { SaxesParser } = await import('saxes')
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  return parser
}
