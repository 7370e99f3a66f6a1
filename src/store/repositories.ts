import type {
  ApiKeyRecord,
  FactorRecord,
  IdentityRecord,
  PipelineRecord,
  Preferences,
  RoleRecord,
  SessionRecord,
  SettingRecord,
  TeamRecord,
  TicketRecord,
  UserRecord,
} from './records.ts'

/**
 * What is known of accounts, settings and pipelines: one repository for each kind of record. A write is kept for good when
 * its promise resolves. Lists are in the order in which the records were added. What spans several records, such as "the
 * last administrator stays", is done within `Store.transaction`.
 */
export interface Repositories {
  readonly users: Users
  readonly sessions: Sessions
  readonly apiKeys: ApiKeys
  readonly factors: Factors
  readonly identities: Identities
  readonly tickets: Tickets
  readonly teams: Teams
  readonly roles: Roles
  readonly settings: Settings
  readonly preferences: PreferencesOfUsers
  readonly pipelines: Pipelines
}

/** A part of a list: so many records, after so many others. */
export interface Page {
  limit: number
  offset: number
}

/** What may be changed of a record: everything but its id. */
export type Patch<T> = Partial<Omit<T, 'id'>>

export interface Users {
  byId(id: string): Promise<UserRecord | undefined>
  /** Names are the same without regard to case. */
  byName(username: string): Promise<UserRecord | undefined>
  /** The user that was added first. */
  first(): Promise<UserRecord | undefined>
  list(page?: Page): Promise<UserRecord[]>
  count(): Promise<number>
  /** Members of a team. */
  ofTeam(teamId: string): Promise<UserRecord[]>
  /** How many have exactly this role. */
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
  /** The oldest first. */
  ofUser(userId: string): Promise<SessionRecord[]>
  add(session: SessionRecord): Promise<void>
  /** Notes when a session was last used; may be lost in a crash, and costs no write of its own. */
  touch(id: string, lastSeenAt: string): Promise<void>
  /** Notes when its user proved who they are; as `touch`. */
  confirm(id: string, confirmedAt: string): Promise<void>
  remove(id: string): Promise<void>
  /** Ends the sessions of a user, but for one. */
  removeOfUser(userId: string, keptId?: string): Promise<void>
  /** Forgets those that had expired at a moment, or were last seen at or before another; says how many. */
  removeDead(expiredAt: string, idleSince: string | undefined): Promise<number>
}

export interface ApiKeys {
  byId(id: string): Promise<ApiKeyRecord | undefined>
  /** Mostly one: prefixes are short. */
  byPrefix(prefix: string): Promise<ApiKeyRecord[]>
  ofUser(userId: string): Promise<ApiKeyRecord[]>
  list(page?: Page): Promise<ApiKeyRecord[]>
  add(key: ApiKeyRecord): Promise<void>
  /** As `Sessions.touch`. */
  touch(id: string, lastUsedAt: string): Promise<void>
  remove(id: string): Promise<void>
  /** Removes all keys of a user; gives their ids. */
  removeOfUser(userId: string): Promise<string[]>
}

/** Second factors, by the ids of their users. */
export interface Factors {
  byId(userId: string): Promise<FactorRecord | undefined>
  list(page?: Page): Promise<FactorRecord[]>
  /** Takes the place of what is there. */
  put(factor: FactorRecord): Promise<void>
  remove(userId: string): Promise<void>
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
  /** The oldest first. */
  ofUser(userId: string): Promise<TicketRecord[]>
  /** Takes the place of what is there. */
  put(ticket: TicketRecord): Promise<void>
  remove(id: string): Promise<void>
  /** Forgets those whose time is over at a moment; says how many. */
  removeDead(at: string): Promise<number>
}

/** Records with a name of their own, which no two of them share in any case. */
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
  /** @param userId undefined: everybody's */
  ofOwner(userId: string | undefined, page?: Page): Promise<PipelineRecord[]>
  countOf(userId: string): Promise<number>
  add(pipeline: PipelineRecord): Promise<void>
  remove(id: string): Promise<void>
  removeOfOwner(userId: string): Promise<void>
}
