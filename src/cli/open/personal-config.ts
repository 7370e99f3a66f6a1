import { randomBytes } from 'node:crypto'
import { dropServerVariables } from '../../environment.ts'
import { storeFolder } from '../../models/store/store-folder.ts'
import type { ServerConfig } from '../../server/config.ts'
import type { OpenedFile, PersonalServer } from '../../server/personal.ts'

/** Bytes of a token: no other account of the machine can guess it. */
const TOKEN_BYTES = 32

/** The configuration of a server for one user: variables of a server on this machine do not apply. */
export async function personalConfig(
  dataFolder: string,
  port: number,
  files: readonly OpenedFile[],
  onPages: PersonalServer['onPages'],
): Promise<ServerConfig & { personal: PersonalServer }> {
  dropServerVariables()
  const { readConfig } = await import('../../server/config.ts')
  const random = (bytes: number): string => randomBytes(bytes).toString('base64url')
  return {
    ...readConfig({ host: '127.0.0.1', port, dataFolder }),
    ...{ authEnabled: true, defaultUsername: 'you', skipMustChangePassword: true, console: true },
    // Limits protect a server from its users.
    ...{ maxUploadBytes: 0, maxUploadsPerUser: 0, workspaceBytes: 0, rateLimitPerMin: 0 },
    // The log of requests would fill the terminal.
    ...{ logLevel: 'warn', modelsFolder: storeFolder() },
    personal: { id: random(6), token: random(TOKEN_BYTES), files, onPages },
  }
}
