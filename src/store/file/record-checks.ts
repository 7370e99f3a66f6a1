import type { Kind } from '../kinds.ts'
import type { Change } from './tables.ts'

type Form = 'text' | 'number' | 'list' | 'object' | 'flag' | 'text or null'

/** Required fields of each kind of record. Fields added by later versions may be absent. */
const NEEDED: Readonly<Record<Kind, Readonly<Record<string, Form>>>> = {
  users: { username: 'text', role: 'text', passwordHash: 'text or null' },
  sessions: { userId: 'text', createdAt: 'text', expiresAt: 'text', lastSeenAt: 'text', loginMethod: 'text' },
  apiKeys: { userId: 'text', prefix: 'text', hash: 'text' },
  factors: { secret: 'text', recovery: 'object', isOn: 'flag' },
  passkeys: { userId: 'text', publicKey: 'text', counter: 'number', transports: 'list', name: 'text' },
  identities: { userId: 'text' },
  tickets: { kind: 'text', expiresAt: 'text' },
  teams: { name: 'text' },
  roles: { name: 'text', permissions: 'list' },
  settings: { value: 'text' },
  preferences: {},
  pipelines: { userId: 'text', name: 'text', steps: 'list' },
  idempotencyKeys: { userId: 'text', fingerprint: 'text', runId: 'text', lockedUntil: 'text', expiresAt: 'text' },
  webhooks: { userId: 'text', url: 'text or null', events: 'list', isOn: 'flag', secret: 'text', failures: 'number' },
  deliveries: {
    userId: 'text',
    webhookId: 'text',
    payload: 'text',
    status: 'text',
    attempts: 'list',
    expiresAt: 'text',
  },
}

const HAS: Readonly<Record<Form, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  number: Number.isFinite,
  list: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  flag: (value) => typeof value === 'boolean',
  'text or null': (value) => value === null || typeof value === 'string',
}

/** Maximum number of bad records in a message. */
const MOST_NAMED = 10

/**
 * Describes which of the records to be loaded are invalid, and why; undefined if all are valid. A removal has no
 * record.
 */
export function badRecords(changes: readonly Change[]): string | undefined {
  const bad = changes.flatMap(([kind, id, record]) => {
    if (record === null) return []
    const missing = Object.entries(NEEDED[kind]).flatMap(([field, form]) =>
      HAS[form]((record as Record<string, unknown>)[field]) ? [] : [field],
    )
    return missing.length > 0 ? [`${kind} ${id} has no usable ${missing.join(', ')}`] : []
  })
  const more = bad.length > MOST_NAMED ? [`${bad.length - MOST_NAMED} more`] : []
  return bad.length > 0 ? [...bad.slice(0, MOST_NAMED), ...more].join('; ') : undefined
}
