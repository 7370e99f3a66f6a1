/** `npm run generate:console`: writes the types of the console from the OpenAPI document of a server that it starts. */
import { writeFileSync } from 'node:fs'
import { ROOT } from '../../root.ts'
import { apiDocument } from '../client/api-document.ts'
import { consoleTypes } from './types.ts'

writeFileSync(new URL('web/src/api/types.ts', ROOT), consoleTypes(await apiDocument()))
