/** Build step: writes the JSON Schemas that are shipped for other programs. */
import { mkdir, writeFile } from 'node:fs/promises'
import { RECORD_SCHEMA } from '../cli/record-schema.ts'
import { builtFile } from '../root.ts'

const folder = builtFile('schemas/')
await mkdir(folder, { recursive: true })
await writeFile(new URL('record.json', folder), `${JSON.stringify(RECORD_SCHEMA, null, 2)}\n`)
