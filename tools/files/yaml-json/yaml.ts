import type { Document } from 'yaml'
import { MediaprocError } from '../../../src/errors.ts'

/** The value of a YAML document, with maps as `Map` and whole numbers exact. @throws INVALID_FILE naming the line */
export async function readYaml(text: string, name: string): Promise<unknown> {
  const { parseAllDocuments } = await import('yaml')
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
  try {
    return document?.toJS({ mapAsMap: true }) ?? null
  } catch (error) {
    throw new MediaprocError('INVALID_FILE', `${name} cannot be read: ${firstLine((error as Error).message)}`)
  }
}

/** JSON as YAML in block style; keys keep their order and numbers their digits. @throws INVALID_FILE */
export async function yamlOfJson(text: string, name: string): Promise<string> {
  try {
    JSON.parse(text)
  } catch (error) {
    const detail = (error as Error).message
    throw new MediaprocError('INVALID_FILE', `${name} is not valid JSON`, { cause: error, detail })
  }
  const { isCollection, isScalar, parseDocument, visit } = await import('yaml')
  // JSON is YAML, too: read as such, nothing passes through objects that would sort keys or round numbers.
  const document = parseDocument(text, { intAsBigInt: true, uniqueKeys: false })
  visit(document, (_key, node) => {
    if (isCollection(node)) node.flow = false
    if (isScalar(node)) delete node.type
  })
  return document.toString({ indent: 2, lineWidth: 0 })
}

const firstLine = (text: string): string => text.split('\n')[0]!.replace(/:$/, '')
