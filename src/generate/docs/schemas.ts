/** Build step: writes the JSON Schemas that are shipped for other programs. */
import { mkdir, writeFile } from 'node:fs/promises'
import { RECORD_SCHEMA } from '../../cli/record-schema.ts'
import { builtFile } from '../../root.ts'
import { catalogue } from '../../tool/registry.ts'
import { pipelineSchema } from './pipeline-schema.ts'

const folder = builtFile('schemas/')
await mkdir(folder, { recursive: true })
const schemas = { record: RECORD_SCHEMA, pipeline: pipelineSchema(catalogue()) }
for (const [name, schema] of Object.entries(schemas))
  await writeFile(new URL(`${name}.json`, folder), `${JSON.stringify(schema, null, 2)}\n`)
