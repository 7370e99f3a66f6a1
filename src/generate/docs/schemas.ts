/** Build step: writes the JSON Schemas that are shipped for other programs. */
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { RECORD_SCHEMA } from '../../cli/output/record-schema.ts'
import { makeFolder } from '../../make-folder.ts'
import { builtFile } from '../../root.ts'
import { catalogue } from '../../tool/registry.ts'
import { rulesSchema } from '../schemas/rules-schema.ts'
import { pipelineSchema } from './pipeline-schema.ts'

const folder = builtFile('schemas/')
await makeFolder(fileURLToPath(folder))
const schemas = { record: RECORD_SCHEMA, pipeline: pipelineSchema(catalogue()), check: rulesSchema(catalogue()) }
for (const [name, schema] of Object.entries(schemas))
  await writeFile(new URL(`${name}.json`, folder), `${JSON.stringify(schema, null, 2)}\n`)
