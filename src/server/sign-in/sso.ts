import type { Store } from '../../store/store.ts'
import type { ServerConfig } from '../config.ts'
import { hasFeature } from '../instance/features.ts'
import type { InstanceSettings } from '../instance/settings.ts'

/** Whether single sign-on is configured. */
export const hasSso = ({ oidc, saml }: Pick<ServerConfig, 'oidc' | 'saml'>): boolean =>
  oidc !== undefined || saml !== undefined

/**
 * Whether local passwords are refused. Never without a provider: removing it from the configuration must not lock out
 * all users.
 */
export async function isSsoEnforced({
  config,
  settings,
}: {
  config: ServerConfig
  settings: InstanceSettings
}): Promise<boolean> {
  return hasSso(config) && hasFeature(config, 'sso_enforcement') && settings.flag('ssoEnforcement', false)
}

/**
 * Ends the sessions that started with a password, so that enforcement applies to all users at once. Exempt are those of
 * the emergency account and the caller's own.
 */
export async function endPasswordSessions(
  context: { config: ServerConfig; settings: InstanceSettings; store: Store },
  keptSession?: string,
): Promise<void> {
  if (!(await isSsoEnforced(context))) return
  const exempt = (await context.settings.text('ssoBreakGlassUsername'))?.toLowerCase()
  await context.store.transaction(async ({ users, sessions }) => {
    for (const { id, username } of await users.list())
      for (const session of await sessions.ofUser(id))
        if (
          ['local', 'ldap'].includes(session.loginMethod) &&
          session.id !== keptSession &&
          username.toLowerCase() !== exempt
        )
          await sessions.remove(session.id)
  })
}

/** Whether this is the emergency account, which may still sign in with a password. */
export async function mayUsePassword(
  context: { config: ServerConfig; settings: InstanceSettings },
  username: string,
): Promise<boolean> {
  if (!(await isSsoEnforced(context))) return true
  const exempt = await context.settings.text('ssoBreakGlassUsername')
  return exempt !== undefined && exempt !== '' && exempt.toLowerCase() === username.toLowerCase()
}
