import type { FastifyRequest } from 'fastify'
import { MediaprocError } from '../../errors.ts'
import type { ServerContext } from '../context.ts'
import { requireAccounts } from './relying-party.ts'

type DeviceContext = Pick<ServerContext, 'config' | 'settings'>

/** Whether programs can be signed in with a code: it needs accounts, and the console for its page. */
export async function offersDevice({ config, settings }: DeviceContext): Promise<boolean> {
  const isPossible = config.authEnabled && config.console && config.personal === undefined
  return isPossible && settings.flag('deviceSignIn', true)
}

/** @throws AUTH_DISABLED, FEATURE_NOT_LICENSED */
export async function requireDevice(context: DeviceContext): Promise<void> {
  requireAccounts(context.config)
  if (await offersDevice(context)) return
  throw new MediaprocError('FEATURE_NOT_LICENSED', 'Sign-in with a code is switched off on this server')
}

/** The page where a code is entered. The code is in the fragment, which no log has. */
export function devicePage({ config }: DeviceContext, request: FastifyRequest): string {
  return `${config.externalUrl || `${request.protocol}://${request.host}${config.basePath}`}/device`
}
