/**
 * What `serve` keeps. Records are never changed in place: a repository puts another one in their place. All times are
 * ISO 8601 in UTC with milliseconds; ids are opaque.
 */

export interface UserRecord {
  readonly id: string
  readonly username: string
  /** A role's name, or `disabled:<name>`. */
  readonly role: string
  readonly teamId: string
  /** The text form of src/accounts/credentials/passwords.ts; null when the user signs in elsewhere only. */
  readonly passwordHash: string | null
  readonly mustChangePassword: boolean
  readonly authProvider: 'local' | 'oidc' | 'saml' | 'scim'
  readonly email: string | null
  readonly createdAt: string
}

export interface SessionRecord {
  /** SHA-256 of the token in hex: who reads the file cannot sign in with it. */
  readonly id: string
  readonly userId: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly lastSeenAt: string
  /** When the user last proved who they are, after the sign-in. */
  readonly confirmedAt?: string
  readonly loginMethod: 'local' | 'oidc' | 'saml'
  /** Where it began, for the list of sessions; absent in records of older versions. */
  readonly ipAddress?: string | null
  readonly userAgent?: string | null
  /** `enrolment`: good for setting up a second factor only. */
  readonly purpose?: 'enrolment'
  /** What the provider is told at sign-out; sealed. */
  readonly idToken?: string
  /** SHA-256 of the provider's name for its session (the claim `sid`), by which it ends this one. */
  readonly providerSession?: string
}

/** Recovery codes of a user, hashed with one salt. */
export interface RecoveryCodes {
  readonly salt: string
  readonly hashes: readonly string[]
}

/** The second factor of a user. */
export interface FactorRecord {
  /** The id of the user. */
  readonly id: string
  /** Of the one-time codes; sealed by src/accounts/credentials/vault.ts. */
  readonly secret: string
  readonly recovery: RecoveryCodes
  /** false: enrolled, but no code was given yet. */
  readonly isOn: boolean
  /** The last step of time whose code was taken. */
  readonly lastStep: number
  readonly createdAt: string
}

/** How a user is known to a provider of identities. */
export interface IdentityRecord {
  /** SHA-256 of provider, issuer and subject. */
  readonly id: string
  readonly userId: string
  readonly provider: 'oidc' | 'saml'
  readonly createdAt: string
}

/** Something that counts for a short while, and mostly once. */
export interface TicketRecord {
  /** A hash of what is handed out, or of what must not be taken again. */
  readonly id: string
  /** `mfa`: the second step of a sign-in; `used`: an assertion or request of a provider that was taken. */
  readonly kind: 'mfa' | 'used'
  readonly userId: string | null
  readonly tries: number
  readonly expiresAt: string
  readonly loginMethod?: SessionRecord['loginMethod']
  /** Of the account as it was then. */
  readonly proof?: string
  /** Sealed, as in sessions. */
  readonly idToken?: string
  readonly providerSession?: string
  readonly endsAt?: string
}

/** What a session keeps of the provider's own session. */
export interface ProviderSession extends Pick<SessionRecord, 'idToken' | 'providerSession'> {
  /** When the provider wants the session to end, ISO 8601. */
  readonly endsAt?: string
}

export interface ApiKeyRecord {
  readonly id: string
  readonly userId: string
  readonly name: string
  /** First 16 hex digits of the key's SHA-256, for the look-up. */
  readonly prefix: string
  readonly hash: string
  /** null: everything that the role of the user holds. */
  readonly permissions: readonly string[] | null
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly expiresAt: string | null
}

export interface TeamRecord {
  readonly id: string
  readonly name: string
  /** Bytes that the libraries of all members may hold together; null: no limit of the team's. */
  readonly storageQuota: number | null
  /** Hours that results of members stay, where the instance does not remove them earlier; null: as the instance. */
  readonly retentionHours: number | null
  readonly createdAt: string
}

/** The team of everybody who is in no other; it cannot be deleted. */
export const DEFAULT_TEAM_ID = 'default-team-00000000'

/** The tools that a role includes: whole sections, or single tools. */
export interface ToolPermissions {
  readonly mode: 'category' | 'tool'
  readonly allowed: readonly string[]
}

/** A role beside the built-in ones. */
export interface RoleRecord {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly permissions: readonly string[]
  /** null: all tools. */
  readonly toolPermissions: ToolPermissions | null
  readonly createdAt: string
  readonly updatedAt: string
}

export interface PipelineRecord {
  readonly id: string
  readonly userId: string
  readonly name: string
  readonly description: string | null
  readonly steps: readonly { toolId: string; settings: Record<string, unknown> }[]
  readonly createdAt: string
}

export interface SettingRecord {
  readonly value: string
  /** Whether the value is sealed by src/accounts/credentials/vault.ts. */
  readonly isSealed?: true
  readonly updatedAt: string
}

export interface AuditEntry {
  readonly id: string
  readonly actorId: string | null
  readonly actorUsername: string | null
  readonly action: string
  readonly targetType: string | null
  readonly targetId: string | null
  readonly details: Record<string, unknown> | null
  readonly ipAddress: string | null
  readonly createdAt: string
}

export interface LibraryItem {
  readonly id: string
  /** null: kept while authentication was switched off. */
  readonly ownerId: string | null
  readonly originalName: string
  readonly mimeType: string
  /** In bytes. */
  readonly size: number
  /** In pixels; null when it is no picture. */
  readonly width: number | null
  readonly height: number | null
  /** From 1; one more than the version before. */
  readonly version: number
  /** The version before. */
  readonly parentId: string | null
  readonly toolChain: readonly string[]
  readonly createdAt: string
}

/** What one user keeps of how clients look and behave; the server does not read it. */
export type Preferences = Readonly<Record<string, unknown>>

export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T
