import type { AccountsContext } from '../context.ts'

/**
 * Puts everything that is kept encrypted under the key of now: after a key was given, exchanged or taken away. All or none;
 * writes nothing when nothing is to do.
 *
 * @throws INVALID_CONFIG when something is under a key that is not given
 */
export async function renewSecrets({ store, vault }: AccountsContext): Promise<void> {
  await store.transaction(async ({ factors, settings }) => {
    for (const factor of await factors.list()) {
      const secret = vault.renewed(factor.secret, `totp ${factor.id}`)
      if (secret !== factor.secret) await factors.put({ ...factor, secret })
    }
    for (const [name, setting] of Object.entries(await settings.all())) {
      if (!setting.isSealed) continue
      const value = vault.renewed(setting.value, `setting ${name}`)
      if (value !== setting.value) await settings.set(name, { ...setting, value })
    }
  })
}
