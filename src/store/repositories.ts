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
import type { DeliveryRecord, DeliveryStatus, WebhookRecord } from './webhook-records.ts'

/**
 * Accounts, settings and pipelines: one repository per kind of record. A write is durable when its promise resolves.
 * Lists are in insertion order. Rules that span several records, such as "the last administrator stays", are checked
 * within `Store.transaction`.
 */
export interface Repositories {
  readonly users: Users
  readonly sessions: Sessions
  readonly apiKeys: ApiKeys
  readonly factors: Factors
  readonly passkeys: Passkeys
  readonly identities: Identities
  readonly tickets: Tickets
  readonly teams: Teams
  readonly roles: Roles
  readonly settings: Settings
  readonly preferences: PreferencesOfUsers
  readonly pipelines: Pipelines
  readonly idempotencyKeys: IdempotencyKeys
  readonly webhooks: Webhooks
  readonly deliveries: Deliveries
}

/** One page of a list: a limit and an offset. */
export interface Page {
  limit: number
  offset: number
}

/** The fields of a record that may change: all but its id. */
export type Patch<T> = Partial<Omit<T, 'id'>>

export interface Users {
  byId(id: string): Promise<UserRecord | undefined>
  /** Names are case-insensitive. */
  byName(username: string): Promise<UserRecord | undefined>
  /** The user that was added first. */
  first(): Promise<UserRecord | undefined>
  list(page?: Page): Promise<UserRecord[]>
  count(): Promise<number>
  /** Members of a team. */
  ofTeam(teamId: string): Promise<UserRecord[]>
  /** Number of users with exactly this role, without service accounts. */
  countOfRole(role: string): Promise<number>
  /** @throws CONFLICT when the name is taken */
  add(user: UserRecord): Promise<void>
  /** @throws NOT_FOUND, CONFLICT when the new name is taken */
  update(id: string, patch: Patch<UserRecord>): Promise<UserRecord>
  remove(id: string): Promise<void>
}

export interface Sessions {
  /** @param id the SHA-256 of the token in hex */
  find(id: string): Promise<SessionRecord | undefined>
  /** Oldest first. */
  ofUser(userId: string): Promise<SessionRecord[]>
  add(session: SessionRecord): Promise<void>
  /** Updates the time of last use; may be lost in a crash, and causes no separate write. */
  touch(id: string, lastSeenAt: string): Promise<void>
  /** Updates the time of the user's last confirmation; written like `touch`. */
  confirm(id: string, confirmedAt: string): Promise<void>
  remove(id: string): Promise<void>
  /** Removes all sessions of a user except one. */
  removeOfUser(userId: string, keptId?: string): Promise<void>
  /** Removes sessions that expired before a given time or were idle since another; returns their number. */
  removeDead(expiredAt: string, idleSince: string | undefined): Promise<number>
}

export interface ApiKeys {
  byId(id: string): Promise<ApiKeyRecord | undefined>
  /** Usually one key: prefixes are short, so they may collide. */
  byPrefix(prefix: string): Promise<ApiKeyRecord[]>
  ofUser(userId: string): Promise<ApiKeyRecord[]>
  list(page?: Page): Promise<ApiKeyRecord[]>
  add(key: ApiKeyRecord): Promise<void>
  /** As `Sessions.touch`. */
  touch(id: string, lastUsedAt: string): Promise<void>
  remove(id: string): Promise<void>
  /** Removes all keys of a user; returns their ids. */
  removeOfUser(userId: string): Promise<string[]>
}

/** Second factors, by the ids of their users. */
export interface Factors {
  byId(userId: string): Promise<FactorRecord | undefined>
  list(page?: Page): Promise<FactorRecord[]>
  /** Replaces the existing record. */
  put(factor: FactorRecord): Promise<void>
  remove(userId: string): Promise<void>
}

/** WebAuthn credentials, by their credential ids. */
export interface Passkeys {
  byId(id: string): Promise<PasskeyRecord | undefined>
  /** Oldest first. */
  ofUser(userId: string): Promise<PasskeyRecord[]>
  list(page?: Page): Promise<PasskeyRecord[]>
  /** Replaces the existing record. */
  put(passkey: PasskeyRecord): Promise<void>
  remove(id: string): Promise<void>
  removeOfUser(userId: string): Promise<void>
}

export interface Identities {
  byId(id: string): Promise<IdentityRecord | undefined>
  ofUser(userId: string): Promise<IdentityRecord[]>
  list(page?: Page): Promise<IdentityRecord[]>
  add(identity: IdentityRecord): Promise<void>
  removeOfUser(userId: string): Promise<void>
}

export interface Tickets {
  byId(id: string): Promise<TicketRecord | undefined>
  /** Oldest first. */
  ofUser(userId: string): Promise<TicketRecord[]>
  /** Replaces the existing record. */
  put(ticket: TicketRecord): Promise<void>
  remove(id: string): Promise<void>
  /** Removes records that have expired at a given time; returns their number. */
  removeDead(at: string): Promise<number>
}

/** Records with unique, case-insensitive names. */
export interface Named<T> {
  byId(id: string): Promise<T | undefined>
  byName(name: string): Promise<T | undefined>
  list(page?: Page): Promise<T[]>
  /** @throws CONFLICT when the name is taken */
  add(record: T): Promise<void>
  /** @throws NOT_FOUND, CONFLICT when the new name is taken */
  update(id: string, patch: Patch<T>): Promise<T>
  remove(id: string): Promise<void>
}

export type Teams = Named<TeamRecord>
export type Roles = Named<RoleRecord>

export interface Settings {
  get(name: string): Promise<SettingRecord | undefined>
  all(): Promise<Record<string, SettingRecord>>
  set(name: string, setting: SettingRecord): Promise<void>
  remove(name: string): Promise<void>
}

export interface PreferencesOfUsers {
  /** Empty when there are none. */
  of(userId: string): Promise<Preferences>
  set(userId: string, preferences: Preferences): Promise<void>
  remove(userId: string): Promise<void>
}

export interface Pipelines {
  byId(id: string): Promise<PipelineRecord | undefined>
  /** @param userId undefined: all users */
  ofOwner(userId: string | undefined, page?: Page): Promise<PipelineRecord[]>
  countOf(userId: string): Promise<number>
  /** Adds a pipeline, or replaces the one with the same id. */
  add(pipeline: PipelineRecord): Promise<void>
  remove(id: string): Promise<void>
  removeOfOwner(userId: string): Promise<void>
}

export interface IdempotencyKeys {
  byId(id: string): Promise<IdempotencyRecord | undefined>
  /** Oldest first. */
  list(page?: Page): Promise<IdempotencyRecord[]>
  /** Replaces the existing record, which keeps its age. */
  put(record: IdempotencyRecord): Promise<void>
  remove(id: string): Promise<void>
  removeOfUser(userId: string): Promise<void>
  /** Removes the oldest records of a user, except the given number of newest ones; returns how many it removed. */
  removeSurplus(userId: string, kept: number): Promise<number>
  /** Removes records that have expired at a given time; returns their number. */
  removeDead(at: string): Promise<number>
}

export interface Webhooks {
  byId(id: string): Promise<WebhookRecord | undefined>
  /** Oldest first. */
  ofUser(userId: string): Promise<WebhookRecord[]>
  list(page?: Page): Promise<WebhookRecord[]>
  /** Replaces the existing record. */
  put(webhook: WebhookRecord): Promise<void>
  remove(id: string): Promise<void>
  removeOfUser(userId: string): Promise<void>
}

export interface DeliveryFilter {
  userId?: string
  webhookId?: string
  status?: DeliveryStatus
}

/** Messages for webhooks. */
export interface Deliveries {
  byId(id: string): Promise<DeliveryRecord | undefined>
  /** Oldest first. */
  list(page?: Page): Promise<DeliveryRecord[]>
  /** Newest first; `total` counts all pages. */
  query(filter: DeliveryFilter, page: Page): Promise<{ deliveries: DeliveryRecord[]; total: number }>
  /** Those that are due at a given time, the most overdue first, except those of some users. */
  due(at: string, limit: number, exceptUsers: readonly string[]): Promise<DeliveryRecord[]>
  /** Replaces the existing record, which keeps its age. */
  put(delivery: DeliveryRecord): Promise<void>
  removeOfUser(userId: string): Promise<void>
  removeOfWebhook(webhookId: string): Promise<void>
  /** As `IdempotencyKeys.removeSurplus`. */
  removeSurplus(userId: string, kept: number): Promise<number>
  /** Removes records that have expired at a given time; returns their number. */
  removeDead(at: string): Promise<number>
}
