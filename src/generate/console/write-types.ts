/** `npm run generate:console`: writes the types of the console from the OpenAPI document of a server that it starts. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { ROOT } from '../../root.ts'
import { readConfig } from '../../server/config.ts'
import { startServer } from '../../server/server.ts'
import { consoleTypes } from './types.ts'

const folder = mkdtempSync(join(tmpdir(), 'mediaproc-console-'))
const config = readConfig({ port: 0, host: '127.0.0.1', dataFolder: join(folder, 'data') })
const server = await startServer({ ...config, logLevel: 'silent' })
try {
  const answer = await fetch(`${server.address}/api/v1/openapi.yaml`)
  writeFileSync(new URL('web/src/api/types.ts', ROOT), consoleTypes(parse(await answer.text())))
} finally {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
}
