import type { Document, ScalarTag } from 'yaml'
import { JsonNumber, parseJson } from '../../../src/engines/json.ts'
import { MediaprocError } from '../../../src/errors.ts'

/** A number as JSON writes it. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[-+]?\d+)?$/i

/**
 * The value of a YAML document, with maps as `Map` and numbers as they are written.
 * @param warn is told of what JSON has no number for: infinity and what is no number
 * @throws INVALID_FILE naming the line
 */
export async function readYaml(text: string, name: string, warn: (message: string) => void): Promise<unknown> {
  const { parseAllDocuments, visit } = await import('yaml')
  const options = { intAsBigInt: true, merge: true, customTags: ['timestamp', 'binary', 'merge'] } as const
  const documents = parseAllDocuments(text, { ...options, customTags: [...options.customTags] })
  if (!Array.isArray(documents)) return null
  if (documents.length > 1)
    throw new MediaprocError('INVALID_FILE', `${name} holds ${documents.length} documents; JSON is one`, {
      hint: 'Split it at the lines with ---.',
    })
  const [document] = documents as Document[]
  // A tag that nobody knows is only a warning to the library.
  const [fault] = [...(document?.errors ?? []), ...(document?.warnings ?? [])]
  if (fault) throw new MediaprocError('INVALID_FILE', `${name} is not valid YAML: ${firstLine(fault.message)}`)
  let lost = 0
  if (document)
    visit(document, {
      Scalar(_key, node) {
        if (typeof node.value !== 'number') return
        const source = jsonNumber(node.source)
        if (source !== undefined) node.value = new JsonNumber(source)
        else if (!Number.isFinite(node.value)) lost += 1
      },
    })
  if (lost > 0) warn(`${name} holds infinity or what is no number (.inf, .nan) ${lost} times; JSON has null for it`)
  try {
    return document?.toJS({ mapAsMap: true }) ?? null
  } catch (error) {
    throw new MediaprocError('INVALID_FILE', `${name} cannot be read: ${firstLine((error as Error).message)}`)
  }
}

/** What YAML writes as a number in the manner of JSON: `+1.5` and `.5` are 1.5 and 0.5; undefined for other forms. */
function jsonNumber(source = ''): string | undefined {
  const text = source.replace(/^\+/, '').replace(/^(-?)\./, '$10.')
  return JSON_NUMBER.test(text) ? text : undefined
}

/** JSON as YAML in block style; keys keep their order and numbers their digits. @throws INVALID_FILE */
export async function yamlOfJson(text: string, name: string): Promise<string> {
  const value = await parseJson(text, name)
  const { Document } = await import('yaml')
  const exactNumber: ScalarTag = {
    identify: (one) => one instanceof JsonNumber,
    default: true,
    tag: 'tag:yaml.org,2002:float',
    resolve: (source) => new JsonNumber(source),
    stringify: ({ value: number }) => (number as JsonNumber).text,
  }
  const document = new Document(value, { customTags: (tags) => [exactNumber, ...tags], aliasDuplicateObjects: false })
  return document.toString({ indent: 2, lineWidth: 0 })
}

const firstLine = (text: string): string => text.split('\n')[0]!.replace(/:$/, '')
