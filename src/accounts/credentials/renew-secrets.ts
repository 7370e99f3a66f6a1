import type { AccountsContext } from '../context.ts'
import { secretOf } from './webhook-secrets.ts'

/**
 * Re-encrypts all stored secrets with the current key, after a key was added, replaced or removed. All or nothing;
 * writes nothing if no secret needs it.
 *
 * @throws INVALID_CONFIG when a secret is encrypted with a key that is not configured
 */
export async function renewSecrets({ store, vault }: AccountsContext): Promise<void> {
  await store.transaction(async ({ factors, settings, webhooks }) => {
    for (const factor of await factors.list()) {
      const secret = vault.renewed(factor.secret, `totp ${factor.id}`)
      if (secret !== factor.secret) await factors.put({ ...factor, secret })
    }
    for (const webhook of await webhooks.list()) {
      const renewed = (text: string): string => vault.renewed(text, secretOf(webhook))
      const secret = renewed(webhook.secret)
      const previous = webhook.previous && { ...webhook.previous, secret: renewed(webhook.previous.secret) }
      if (secret !== webhook.secret || previous?.secret !== webhook.previous?.secret)
        await webhooks.put({ ...webhook, secret, previous })
    }
    for (const [name, setting] of Object.entries(await settings.all())) {
      if (!setting.isSealed) continue
      const value = vault.renewed(setting.value, `setting ${name}`)
      if (value !== setting.value) await settings.set(name, { ...setting, value })
    }
  })
}
