import type { Document, ScalarTag } from 'yaml'
import { JsonNumber, parseJson } from '../../../src/engines/documents/json.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { firstOf } from '../../../src/lists.ts'
import { listed } from '../../../src/wording.ts'
import { needsQuotes, quoted } from './quotes.ts'

/** A number in JSON syntax. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[-+]?\d+)?$/i

/**
 * The value of a YAML document, with maps as `Map`, and numbers and dates as written.
 * @param warn called for values that JSON has no number for (infinity, NaN), and for numbers with leading zeros, which
 * stay text
 * @throws INVALID_FILE naming the line
 */
export async function readYaml(text: string, name: string, warn: (message: string) => void): Promise<unknown> {
  const { parseAllDocuments, visit } = await import('yaml')
  const options = { intAsBigInt: true, merge: true, customTags: ['timestamp', 'binary', 'merge'] } as const
  const documents = parseAllDocuments(text, { ...options, customTags: [...options.customTags] })
  if (!Array.isArray(documents)) return null
  if (documents.length > 1)
    throw new MediaprocError('INVALID_FILE', `${name} has ${documents.length} documents; JSON supports only one`, {
      hint: 'Split it at the lines with ---.',
    })
  const [document] = documents as Document[]
  // The library only warns about an unknown tag.
  const [fault] = [...(document?.errors ?? []), ...(document?.warnings ?? [])]
  if (fault) throw new MediaprocError('INVALID_FILE', `${name} is not valid YAML: ${firstLine(fault.message)}`)
  let lost = 0
  const zeros = new Set<string>()
  // In YAML 1.1, which a document can request, they are octal.
  const hasOctals = document?.directives?.yaml.version === '1.1'
  if (document)
    visit(document, {
      Scalar(_key, node) {
        // JSON has no dates, and a date may be only a text that looks like one.
        if (node.value instanceof Date) node.value = node.source
        if (typeof node.value !== 'number' && typeof node.value !== 'bigint') return
        if (!hasOctals && /^[-+]?0\d/.test(node.source ?? '')) {
          node.value = node.source
          zeros.add(node.source!)
          return
        }
        if (typeof node.value !== 'number') return
        const source = jsonNumber(node.source)
        if (source !== undefined) node.value = new JsonNumber(source)
        else if (!Number.isFinite(node.value)) lost += 1
      },
    })
  if (lost > 0) warn(`${name} has infinity or NaN (.inf, .nan) ${lost} times; JSON represents it as null`)
  if (zeros.size > 0)
    warn(
      `${name} has numbers with leading zeros, which YAML 1.1 and 1.2 read differently and which stay text: ${listed([...zeros])}`,
    )
  try {
    return document?.toJS({ mapAsMap: true }) ?? null
  } catch (error) {
    throw new MediaprocError('INVALID_FILE', `${name} cannot be read: ${firstLine((error as Error).message)}`)
  }
}

/** A YAML number in JSON syntax: `+1.5` and `.5` are 1.5 and 0.5; undefined for other forms. */
function jsonNumber(source = ''): string | undefined {
  const text = source.replace(/^\+/, '').replace(/^(-?)\./, '$10.')
  return JSON_NUMBER.test(text) ? text : undefined
}

/** Converts JSON to YAML in block style; keys keep their order and numbers their digits. @throws INVALID_FILE */
export async function yamlOfJson(text: string, name: string, warn: (message: string) => void): Promise<string> {
  const value = await parseJson(text, name, warn)
  const { Document } = await import('yaml')
  const exactNumber: ScalarTag = {
    identify: (one) => one instanceof JsonNumber,
    default: true,
    tag: 'tag:yaml.org,2002:float',
    resolve: (source) => new JsonNumber(source),
    stringify: ({ value: number }) => yamlNumber((number as JsonNumber).text),
  }
  const quotedText: ScalarTag = {
    identify: (one) => typeof one === 'string' && needsQuotes(one),
    default: true,
    tag: 'tag:yaml.org,2002:str',
    resolve: (source) => source,
    stringify: ({ value: string }) => quoted(string as string),
  }
  const document = new Document(value, {
    customTags: (tags) => [exactNumber, quotedText, ...tags],
    aliasDuplicateObjects: false,
  })
  return document.toString({ indent: 2, lineWidth: 0 })
}

/** In YAML 1.1 a number with an exponent needs a point and a sign; without them it is text. */
function yamlNumber(text: string): string {
  const [, mantissa, sign, digits] = /^([^e]+)e([-+]?)(\d+)$/i.exec(text) ?? []
  if (mantissa === undefined) return text
  return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}e${sign || '+'}${digits}`
}

const firstLine = (text: string): string => firstOf(text.split('\n')).replace(/:$/, '')
