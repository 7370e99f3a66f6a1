import type { Repositories } from '../../store/repositories.ts'

/** A method of the second step of a sign-in. */
export type FactorMethod = 'totp' | 'passkey'

/** The second factors that a user has set up. */
export async function factorMethods(
  { factors, passkeys }: Pick<Repositories, 'factors' | 'passkeys'>,
  userId: string,
): Promise<FactorMethod[]> {
  const hasCodes = (await factors.byId(userId))?.isOn === true
  const hasPasskey = (await passkeys.ofUser(userId)).length > 0
  return [...(hasCodes ? (['totp'] as const) : []), ...(hasPasskey ? (['passkey'] as const) : [])]
}

/** Whether a user has any second factor. */
export async function hasFactor(known: Pick<Repositories, 'factors' | 'passkeys'>, userId: string): Promise<boolean> {
  return (await factorMethods(known, userId)).length > 0
}
