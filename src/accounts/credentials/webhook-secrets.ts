import { randomBytes } from 'node:crypto'
import type { WebhookRecord } from '../../store/webhook-records.ts'
import { type AccountsContext, timeText } from '../context.ts'

/** The form of Standard Webhooks: this, and base64. */
const PREFIX = 'whsec_'
/** Between the 24 and 64 that Standard Webhooks allows. */
const SECRET_BYTES = 32
/** How long the former secret of a webhook signs as well after a rotation, in milliseconds. */
export const ROTATION_MS = 24 * 3_600_000

/** What the secret is encrypted for. */
export const secretOf = ({ id }: Pick<WebhookRecord, 'id'>): string => `webhook ${id}`

/** A new secret: in the form for the user, and as it is stored. */
export function newSecret(
  { vault }: Pick<AccountsContext, 'vault'>,
  webhook: Pick<WebhookRecord, 'id'>,
): { shown: string; sealed: string } {
  const shown = PREFIX + randomBytes(SECRET_BYTES).toString('base64')
  return { shown, sealed: vault.seal(shown, secretOf(webhook)) }
}

/** A webhook with a new secret; the former one signs as well for `ROTATION_MS`. */
export function rotated(
  context: Pick<AccountsContext, 'vault' | 'now'>,
  webhook: WebhookRecord,
): { shown: string; record: WebhookRecord } {
  const { shown, sealed } = newSecret(context, webhook)
  const previous = { secret: webhook.secret, expiresAt: timeText(context.now() + ROTATION_MS) }
  return { shown, record: { ...webhook, secret: sealed, previous, updatedAt: timeText(context.now()) } }
}

/** The keys that sign now: of the secret, and of the former one after a rotation. */
export function signingKeys(
  { vault, now }: Pick<AccountsContext, 'vault' | 'now'>,
  webhook: Pick<WebhookRecord, 'id' | 'secret' | 'previous'>,
): Buffer[] {
  const { secret, previous } = webhook
  const isValid = previous !== null && previous.expiresAt > timeText(now())
  return [secret, ...(isValid ? [previous.secret] : [])].map((sealed) =>
    Buffer.from(vault.open(sealed, secretOf(webhook)).slice(PREFIX.length), 'base64'),
  )
}
