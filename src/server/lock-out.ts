import type { ServerContext } from './context.ts'

/** What an administrator should know of settings that were just changed: whom they keep out. */
export async function lockOutWarnings(
  { accounts }: Pick<ServerContext, 'accounts'>,
  { mfaPolicy }: Readonly<Record<string, string>>,
): Promise<string[]> {
  if (mfaPolicy !== 'required' && mfaPolicy !== 'admins_only') return []
  const users = (await accounts.listUsers()).filter(({ role }) => !role.startsWith('disabled:'))
  const lacking = users.filter(({ role, mfaEnabled }) => !mfaEnabled && (mfaPolicy === 'required' || role === 'admin'))
  if (lacking.length === 0) return []
  const admins = users.filter(({ role }) => role === 'admin')
  const nobody = admins.every(({ mfaEnabled }) => !mfaEnabled)
  return [
    `${lacking.length} of ${users.length} users have no second factor: at their next sign-in they must set it up`,
    ...(nobody ? ['No administrator has one: set up yours before you sign out'] : []),
  ]
}
