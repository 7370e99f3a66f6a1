import { listUsers } from '../../accounts/directory/users.ts'
import type { ServerContext } from '../context.ts'
import { hasSso } from './sso.ts'

/** Warns an administrator which users the changed settings lock out. */
export async function lockOutWarnings(
  context: Pick<ServerContext, 'accounts' | 'config' | 'settings' | 'store'>,
  changed: Readonly<Record<string, string>>,
): Promise<string[]> {
  return [...(await mfaWarnings(context, changed)), ...(await ssoWarnings(context, changed))]
}

async function ssoWarnings(
  { config, settings, store }: Pick<ServerContext, 'config' | 'settings' | 'store'>,
  changed: Readonly<Record<string, string>>,
): Promise<string[]> {
  if (changed.ssoEnforcement !== 'true') return []
  if (!hasSso(config)) return ['There is no provider to sign in with: local passwords are taken until there is one']
  const exempt = await store.users.byName((await settings.text('ssoBreakGlassUsername')) ?? '')
  if (exempt?.passwordHash) return []
  return ['ssoBreakGlassUsername names no user with a password: nobody can sign in when the provider is unavailable']
}

async function mfaWarnings(
  { accounts }: Pick<ServerContext, 'accounts'>,
  { mfaPolicy }: Readonly<Record<string, string>>,
): Promise<string[]> {
  if (mfaPolicy !== 'required' && mfaPolicy !== 'admins_only') return []
  const users = (await listUsers(accounts)).filter(({ role }) => !role.startsWith('disabled:'))
  const lacking = users.filter(({ role, mfaEnabled }) => !mfaEnabled && (mfaPolicy === 'required' || role === 'admin'))
  if (lacking.length === 0) return []
  const admins = users.filter(({ role }) => role === 'admin')
  const nobody = admins.every(({ mfaEnabled }) => !mfaEnabled)
  return [
    `${lacking.length} of ${users.length} users have no second factor: at their next sign-in they must set it up`,
    ...(nobody ? ['No administrator has one: set up yours before you sign out'] : []),
  ]
}
