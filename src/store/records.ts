/**
 * What `serve` keeps, and the seam for larger stores: the accounts, the routes and the jobs know these types only. All
 * times are ISO 8601 in UTC with milliseconds; ids are opaque.
 */

export interface UserRecord {
  id: string
  username: string
  /** A role's name, or `disabled:<name>`. */
  role: string
  teamId: string
  /** The text form of src/accounts/passwords.ts; null when the user signs in elsewhere only. */
  passwordHash: string | null
  mustChangePassword: boolean
  authProvider: 'local' | 'oidc' | 'saml' | 'scim'
  email: string | null
  createdAt: string
}

export interface SessionRecord {
  /** SHA-256 of the token in hex: who reads the file cannot sign in with it. */
  id: string
  userId: string
  createdAt: string
  expiresAt: string
  lastSeenAt: string
  loginMethod: 'local' | 'oidc' | 'saml'
}

export interface ApiKeyRecord {
  id: string
  userId: string
  name: string
  /** First 16 hex digits of the key's SHA-256, for the look-up. */
  prefix: string
  hash: string
  /** null: everything that the role of the user holds. */
  permissions: readonly string[] | null
  createdAt: string
  lastUsedAt: string | null
  expiresAt: string | null
}

export interface TeamRecord {
  id: string
  name: string
  /** In bytes; null: the limit of the instance. */
  storageQuota: number | null
  retentionHours: number | null
  createdAt: string
}

/** The team of everybody who is in no other; it cannot be deleted. */
export const DEFAULT_TEAM_ID = 'default-team-00000000'

/** A role beside the built-in ones. */
export interface RoleRecord {
  id: string
  name: string
  description: string
  permissions: readonly string[]
  /** null: all tools. */
  toolPermissions: { mode: 'category' | 'tool'; allowed: readonly string[] } | null
  createdAt: string
  updatedAt: string
}

export interface PipelineRecord {
  id: string
  userId: string
  name: string
  description: string | null
  steps: readonly { toolId: string; settings: Record<string, unknown> }[]
  createdAt: string
}

export interface SettingRecord {
  value: string
  updatedAt: string
}

export interface AuditEntry {
  id: string
  actorId: string | null
  actorUsername: string | null
  action: string
  targetType: string | null
  targetId: string | null
  details: Record<string, unknown> | null
  ipAddress: string | null
  createdAt: string
}

export interface LibraryItem {
  id: string
  /** null: kept while authentication was switched off. */
  ownerId: string | null
  originalName: string
  mimeType: string
  /** In bytes. */
  size: number
  /** In pixels; null when it is no picture. */
  width: number | null
  height: number | null
  /** From 1; one more than the version before. */
  version: number
  /** The version before. */
  parentId: string | null
  toolChain: readonly string[]
  createdAt: string
}

export interface AccountsData {
  users: UserRecord[]
  sessions: SessionRecord[]
  apiKeys: ApiKeyRecord[]
  teams: TeamRecord[]
  roles: RoleRecord[]
}

export interface SettingsData {
  settings: Record<string, SettingRecord>
  /** By user id. */
  preferences: Record<string, Record<string, unknown>>
}

export interface PipelinesData {
  pipelines: PipelineRecord[]
}

export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T
