import { InputData, JSONSchemaInput, JSONSchemaStore, quicktype } from 'quicktype-core'

interface Described {
  components: { schemas: Record<string, object> }
  paths: Record<string, Record<string, Operation>>
}

interface Operation {
  operationId?: string
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}

type Content = Record<string, { schema?: object }>

const jsonOf = (content: Content | undefined): object | undefined => content?.['application/json']?.schema
const capital = (word: string): string => word[0]!.toUpperCase() + word.slice(1)

/** The document is self-contained: nothing is downloaded. */
class NoStore extends JSONSchemaStore {
  async fetch(): Promise<undefined> {
    return undefined
  }
}

/** The shapes of a document with the names from generators: records, and the requests and responses of operations. */
function shapesOf({ components, paths }: Described): Map<string, object> {
  const shapes = new Map(Object.entries(components.schemas))
  for (const { operationId, requestBody, responses } of Object.values(paths).flatMap((item) => Object.values(item))) {
    const answer = jsonOf(Object.entries(responses).find(([status]) => /^20[01]$/.test(status))?.[1].content)
    const body = jsonOf(requestBody?.content)
    if (answer) shapes.set(`${capital(operationId!)}Answer`, answer)
    if (body) shapes.set(`${capital(operationId!)}Body`, body)
  }
  return shapes
}

/** JSON Schema of a document for type generators; timestamps stay text, which needs no further library. */
function schemaOf(document: Described): string {
  const shapes = shapesOf(document)
  const definitions = Object.fromEntries([...shapes].map(([name, schema]) => [name, { title: name, ...schema }]))
  const properties = Object.fromEntries([...shapes.keys()].map((name) => [name, { $ref: `#/definitions/${name}` }]))
  return JSON.stringify({ type: 'object', properties, definitions }, (key, value) =>
    key === 'format' && value === 'date-time'
      ? undefined
      : key === '$ref'
        ? value.replace('#/components/schemas/', '#/definitions/')
        : value,
  )
}

/** The text of a Python module with a class for every shape of a document, each convertible from and to JSON. */
export async function pythonModels(document: object): Promise<string> {
  const input = new JSONSchemaInput(new NoStore())
  await input.addSource({ name: 'Document', schema: schemaOf(document as Described) })
  const inputData = new InputData()
  inputData.addInput(input)
  const { lines } = await quicktype({ inputData, lang: 'python', rendererOptions: { 'python-version': '3.7' } })
  return lines.join('\n')
}
