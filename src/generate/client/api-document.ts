import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { readConfig } from '../../server/config.ts'
import { startServer } from '../../server/server.ts'
import type { JsonSchema } from '../../tool/json-schema.ts'

export interface Operation {
  operationId?: string
  summary?: string
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: JsonSchema }[]
  requestBody?: { required?: boolean; content: Record<string, { schema?: JsonSchema }> }
  responses?: Record<string, { content?: Record<string, { schema?: JsonSchema }> }>
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, JsonSchema> }
}

/** The OpenAPI document of a server that is started for it. */
export async function apiDocument(): Promise<ApiDocument> {
  const folder = mkdtempSync(join(tmpdir(), 'mediaproc-document-'))
  const config = readConfig({ port: 0, host: '127.0.0.1', dataFolder: join(folder, 'data') })
  const server = await startServer({ ...config, logLevel: 'silent' })
  try {
    return parse(await (await fetch(`${server.address}/api/v1/openapi.yaml`)).text()) as ApiDocument
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
