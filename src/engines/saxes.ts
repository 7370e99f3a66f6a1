import type { SaxesParser } from 'saxes'

/** A strict parser of XML: it throws where the text is not well-formed, with the line and column in front of the message. */
export async function strictParser(): Promise<SaxesParser> {
  const { SaxesParser } = await import('saxes')
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  return parser
}
