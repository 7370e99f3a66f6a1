import { MediaprocError } from '../errors.ts'
import type { Engine } from './engine.ts'
import { libraryEngine } from './library.ts'

/** Attributes under keys with this prefix, text beside them under this key (the catalogue's, which are the library's). */
export const ATTRIBUTE = '@_'
export const TEXT = '#text'

/** Elements within elements: more is an attack, or nothing that a person could read. */
const MAX_DEPTH = 256
/** What entities that a document declares itself may become; entities outside it are never loaded. */
const ENTITIES = {
  ...{ enabled: true, maxEntitySize: 10_000, maxExpansionDepth: 10, maxTotalExpansions: 1000 },
  maxExpandedLength: 1_000_000,
} as const

const COMMON = { ignoreAttributes: false, attributeNamePrefix: ATTRIBUTE, textNodeName: TEXT } as const

/**
 * XML as plain values: repeated elements are arrays, text that looks like a number or true and false becomes one, attributes
 * stay text, comments go.
 * @param textOnly numbers and true and false stay text
 * @throws MediaprocError INVALID_FILE for what is not well-formed, or too deep, or expands without end
 */
export async function parseXml(
  text: string,
  name: string,
  { textOnly = false }: { textOnly?: boolean } = {},
): Promise<Record<string, unknown>> {
  const { XMLParser, XMLValidator } = await import('fast-xml-parser')
  const checked = XMLValidator.validate(text)
  if (checked !== true)
    throw new MediaprocError('INVALID_FILE', `${name} is not well-formed XML: ${checked.err.msg}`, {
      hint: `Look at line ${checked.err.line}.`,
    })
  try {
    const parser = new XMLParser({
      ...{ ...COMMON, processEntities: ENTITIES, maxNestedTags: MAX_DEPTH },
      parseTagValue: !textOnly,
      // What is given back as undefined stays the text that it is.
      tagValueProcessor: (_name, value) => (losesDigits(value) ? undefined : value),
    })
    return parser.parse(text) as Record<string, unknown>
  } catch (error) {
    throw new MediaprocError('INVALID_FILE', `${name} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

/** Whether a number has more digits, or is nearer to 0, than JavaScript's numbers can say. */
function losesDigits(text: string): boolean {
  const [, mantissa] = /^\s*[-+]?(\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i.exec(text) ?? []
  if (mantissa === undefined) return false
  const digits = (number: string): string => number.replace(/^0+|\./g, '').replace(/^0+|0+$/g, '')
  return digits(mantissa) !== digits(String(Math.abs(Number(text))).split('e')[0]!)
}

/** Plain values as XML, the reverse of `parseXml`. The names must be names of XML. */
export async function buildXml(value: Record<string, unknown>, pretty: boolean): Promise<string> {
  const { XMLBuilder } = await import('fast-xml-parser')
  const builder = new XMLBuilder({
    ...{ ...COMMON, format: pretty, indentBy: '  ', suppressEmptyNode: true },
    suppressBooleanAttributes: false,
  })
  return builder.build(value) as string
}

/** Whether a text is well-formed XML. */
export async function isWellFormed(text: string): Promise<boolean> {
  const { XMLValidator } = await import('fast-xml-parser')
  return XMLValidator.validate(text) === true
}

export const xml: Engine = libraryEngine({
  id: 'xml',
  purpose: 'XML: reading and writing data',
  licence: 'MIT',
  package: 'fast-xml-parser',
})
