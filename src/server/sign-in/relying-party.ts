import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { RelyingParty } from '../../accounts/passkeys/webauthn.ts'
import { MediaprocError } from '../../errors.ts'
import type { ServerConfig } from '../config.ts'

type PartyConfig = Pick<ServerConfig, 'externalUrl' | 'passkeysRpId' | 'mfaIssuer'>

/** Browsers allow passkeys only over https and on this machine, and only for names. */
const isUsable = ({ protocol, hostname }: URL): boolean =>
  hostname === 'localhost' || (protocol === 'https:' && isIP(hostname.replace(/^\[|\]$/g, '')) === 0)

function find({ externalUrl, passkeysRpId, mfaIssuer: name }: PartyConfig, request: FastifyRequest) {
  // Without EXTERNAL_URL the request names the port. Any other host name could belong to another site.
  const address = externalUrl || `${request.protocol}://${request.host}`
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  if (!isUsable(url) || (!externalUrl && url.hostname !== 'localhost')) return undefined
  return { id: passkeysRpId || url.hostname, origin: url.origin, name }
}

/** @throws AUTH_DISABLED on a server without accounts */
export function requireAccounts({ authEnabled }: Pick<ServerConfig, 'authEnabled'>): void {
  if (!authEnabled) throw new MediaprocError('AUTH_DISABLED')
}

/** The server as authenticators know it. @throws PASSKEYS_UNAVAILABLE */
export function relyingParty(config: PartyConfig, request: FastifyRequest): RelyingParty {
  const party = find(config, request)
  if (!party) throw new MediaprocError('PASSKEYS_UNAVAILABLE')
  return party
}

/** Whether browsers can use passkeys at this address. */
export const hasRelyingParty = (config: PartyConfig, request: FastifyRequest): boolean =>
  find(config, request) !== undefined
