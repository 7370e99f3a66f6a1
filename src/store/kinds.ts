import type {
  ApiKeyRecord,
  FactorRecord,
  IdempotencyRecord,
  IdentityRecord,
  PasskeyRecord,
  PipelineRecord,
  Preferences,
  RoleRecord,
  SessionRecord,
  SettingRecord,
  TeamRecord,
  TicketRecord,
  UserRecord,
} from './records.ts'
import type { DeliveryRecord, WebhookRecord } from './webhook-records.ts'

/** All kinds of small records. */
export interface Kinds {
  users: UserRecord
  sessions: SessionRecord
  apiKeys: ApiKeyRecord
  factors: FactorRecord
  passkeys: PasskeyRecord
  identities: IdentityRecord
  tickets: TicketRecord
  teams: TeamRecord
  roles: RoleRecord
  settings: SettingRecord
  preferences: Preferences
  pipelines: PipelineRecord
  idempotencyKeys: IdempotencyRecord
  webhooks: WebhookRecord
  deliveries: DeliveryRecord
}

export type Kind = keyof Kinds

/** Names and user names are case-insensitive. */
export const sameName = (name: string): string => name.toLowerCase()

/** Words of messages about the kinds whose names are unique. */
export const NAMED: Readonly<Record<'users' | 'teams' | 'roles', { one: string; taken: string }>> = {
  users: { one: 'user', taken: 'The user name is taken' },
  teams: { one: 'team', taken: 'There is a team of this name' },
  roles: { one: 'role', taken: 'There is a role of this name' },
}
