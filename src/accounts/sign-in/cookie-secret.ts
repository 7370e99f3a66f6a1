import { randomBytes } from 'node:crypto'
import { type AccountsContext, timeText } from '../context.ts'

const NAME = 'cookie_secret'

/** The secret that signs cookies and links: the operator's, or one that is generated once and stored encrypted. */
export async function cookieSecret({ store, options, vault, now }: AccountsContext): Promise<string> {
  if (options.cookieSecret) return options.cookieSecret
  const about = `setting ${NAME}`
  return store.transaction(async ({ settings }) => {
    const kept = await settings.get(NAME)
    if (kept) return kept.isSealed ? vault.open(kept.value, about) : kept.value
    const secret = randomBytes(32).toString('base64url')
    await settings.set(NAME, { value: vault.seal(secret, about), isSealed: true, updatedAt: timeText(now()) })
    return secret
  })
}
