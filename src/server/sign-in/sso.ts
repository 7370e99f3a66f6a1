import type { Store } from '../../store/store.ts'
import type { ServerConfig } from '../config.ts'
import { hasFeature } from '../instance/features.ts'
import type { InstanceSettings } from '../instance/settings.ts'

/** Whether users can sign in elsewhere at all. */
export const hasSso = ({ oidc, saml }: Pick<ServerConfig, 'oidc' | 'saml'>): boolean =>
  oidc !== undefined || saml !== undefined

/**
 * Whether local passwords are not taken. Never where there is no other way in: a provider that is taken out of the
 * configuration must not lock everybody out.
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
 * Ends the sessions that began with a password, but for those of the emergency account and the one that asks: what is
 * enforced holds for everybody at once.
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
        if (session.loginMethod === 'local' && session.id !== keptSession && username.toLowerCase() !== exempt)
          await sessions.remove(session.id)
  })
}

/** Whether somebody may sign in with a password all the same: the one account that is kept for emergencies. */
export async function mayUsePassword(
  context: { config: ServerConfig; settings: InstanceSettings },
  username: string,
): Promise<boolean> {
  if (!(await isSsoEnforced(context))) return true
  const exempt = await context.settings.text('ssoBreakGlassUsername')
  return exempt !== undefined && exempt !== '' && exempt.toLowerCase() === username.toLowerCase()
}
