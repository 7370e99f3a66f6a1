/**
 * Records stored by `serve`. A record never changes in place: repositories replace it. All times are ISO 8601 in UTC
 * with milliseconds; ids are opaque.
 */

export interface UserRecord {
  readonly id: string
  readonly username: string
  /** A role's name, or `disabled:<name>`. */
  readonly role: string
  readonly teamId: string
  /** Stored form of src/accounts/credentials/passwords.ts; null when the user signs in only with a provider. */
  readonly passwordHash: string | null
  readonly mustChangePassword: boolean
  readonly authProvider: 'local' | 'oidc' | 'saml' | 'scim' | 'ldap' | 'header'
  readonly email: string | null
  readonly createdAt: string
  /** The account of a program: it has API keys, and cannot sign in. */
  readonly isService?: true
  /** What the provider that manages the account sent, for `authProvider` scim. */
  readonly scim?: ScimAttributes
}

/** Attributes of a user that the server stores only for the provider (RFC 7643, section 4.1). */
export interface ScimAttributes {
  /** As the provider writes it, usually an e-mail address; unique among these users, in any case. */
  readonly userName: string
  readonly externalId?: string
  readonly displayName?: string
  readonly givenName?: string
  readonly familyName?: string
  readonly updatedAt: string
}

export interface SessionRecord {
  /** SHA-256 of the token in hex: reading the file is not enough to sign in. */
  readonly id: string
  readonly userId: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly lastSeenAt: string
  /** Time of the user's last confirmation after the sign-in. */
  readonly confirmedAt?: string
  readonly loginMethod: 'local' | 'oidc' | 'saml' | 'ldap' | 'header'
  /** Origin of the sign-in, for the list of sessions; absent in records of older versions. */
  readonly ipAddress?: string | null
  readonly userAgent?: string | null
  /** `enrolment`: valid only for setting up a second factor. */
  readonly purpose?: 'enrolment'
  /** What the provider needs for the sign-out there: its ID token, or the user and session as JSON (SAML); encrypted. */
  readonly logoutHint?: string
  /** SHA-256 of the provider's name for its session (`sid`, SessionIndex), by which it ends this one. */
  readonly providerSession?: string
}

/** Recovery codes of a user, hashed with a shared salt. */
export interface RecoveryCodes {
  readonly salt: string
  readonly hashes: readonly string[]
}

/** The second factor of a user. */
export interface FactorRecord {
  /** The id of the user. */
  readonly id: string
  /** Secret of the one-time codes; encrypted by src/accounts/credentials/vault.ts. */
  readonly secret: string
  readonly recovery: RecoveryCodes
  /** false: enrolled, but not yet confirmed with a code. */
  readonly isOn: boolean
  /** Time step of the last accepted code. */
  readonly lastStep: number
  readonly createdAt: string
}

/** A WebAuthn credential of a user. */
export interface PasskeyRecord {
  /** The credential id, base64url. */
  readonly id: string
  readonly userId: string
  /** COSE key, base64url. */
  readonly publicKey: string
  /** Signature counter of the last accepted assertion; 0 for authenticators without one. */
  readonly counter: number
  /** Hints for browsers: `usb`, `nfc`, `ble`, `internal`, `hybrid`, … */
  readonly transports: readonly string[]
  /** Whether the authenticator synchronizes it to other devices. */
  readonly isBackedUp: boolean
  readonly name: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

/** Links a user to an account at an identity provider. */
export interface IdentityRecord {
  /** SHA-256 of provider, issuer and subject. */
  readonly id: string
  readonly userId: string
  readonly provider: 'oidc' | 'saml' | 'ldap' | 'header'
  readonly createdAt: string
}

/** A short-lived record, usually for a single use. */
export interface TicketRecord {
  /** Hash of a token that was issued, or of an id that must not be accepted again. */
  readonly id: string
  /**
   * `mfa`: the second step of a sign-in; `used`: an accepted assertion or request of a provider, or a challenge; `device`:
   * a program that a person signs in.
   */
  readonly kind: 'mfa' | 'used' | 'device'
  readonly userId: string | null
  readonly tries: number
  readonly expiresAt: string
  readonly loginMethod?: SessionRecord['loginMethod']
  /** Fingerprint of the account at that time. */
  readonly proof?: string
  /** Encrypted, as in sessions. */
  readonly logoutHint?: string
  readonly providerSession?: string
  readonly endsAt?: string
  readonly device?: DeviceRequest
}

/** A program that waits for a key. */
export interface DeviceRequest {
  /** SHA-256 of the token that the program asks with. */
  readonly token: string
  /** Name that the program gave itself, and its address. */
  readonly client: string
  readonly address: string
  readonly startedAt: string
  readonly state: 'waiting' | 'approved' | 'refused'
}

/** What a session keeps of the provider's own session. */
export interface ProviderSession extends Pick<SessionRecord, 'logoutHint' | 'providerSession'> {
  /** When the provider wants the session to end, ISO 8601. */
  readonly endsAt?: string
}

/** The answer to a request, to be repeated for the same request with the same Idempotency-Key. */
export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** null: not stored, because it has a secret, is a file, or is too large. */
  readonly body: string | null
  /** The job that the request created, if its answer is not stored. */
  readonly jobId?: string
}

/** A request that was sent with an Idempotency-Key. */
export interface IdempotencyRecord {
  /** SHA-256 of the account, the address and the key. */
  readonly id: string
  readonly userId: string
  /** Keyed hash of the request's contents. */
  readonly fingerprint: string
  /** Identifies the request that runs, or ran, under the key. */
  readonly runId: string
  /** The request counts as running until then, unless it has an answer. */
  readonly lockedUntil: string
  readonly answer: StoredAnswer | null
  readonly createdAt: string
  readonly expiresAt: string
}

export interface ApiKeyRecord {
  readonly id: string
  readonly userId: string
  readonly name: string
  /** First 16 hex digits of the key's SHA-256, for the look-up. */
  readonly prefix: string
  readonly hash: string
  /** null: all permissions of the user's role. */
  readonly permissions: readonly string[] | null
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly expiresAt: string | null
}

export interface TeamRecord {
  readonly id: string
  readonly name: string
  /** Total size of all members' libraries in bytes; null: no team quota. */
  readonly storageQuota: number | null
  /** Hours that members' results are kept, unless the server removes them earlier; null: the server's setting. */
  readonly retentionHours: number | null
  readonly createdAt: string
  /** Present if the provider of the users made the team (SCIM). */
  readonly scim?: { readonly externalId?: string; readonly updatedAt: string }
}

/** The default team of all users without another one; it cannot be deleted. */
export const DEFAULT_TEAM_ID = 'default-team-00000000'

/** The tools that a role includes: whole sections, or single tools. */
export interface ToolPermissions {
  readonly mode: 'category' | 'tool'
  readonly allowed: readonly string[]
}

/** A custom role. */
export interface RoleRecord {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly permissions: readonly string[]
  /** null for all tools. */
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
  /** Whether the value is encrypted by src/accounts/credentials/vault.ts. */
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
  /** null: stored while authentication was disabled. */
  readonly ownerId: string | null
  readonly originalName: string
  readonly mimeType: string
  /** In bytes. */
  readonly size: number
  /** In pixels; null when it is not a picture. */
  readonly width: number | null
  readonly height: number | null
  /** From 1; one more than the previous version. */
  readonly version: number
  /** The previous version. */
  readonly parentId: string | null
  readonly toolChain: readonly string[]
  readonly createdAt: string
}

/** A user's preferences for clients; the server does not interpret them. */
export type Preferences = Readonly<Record<string, unknown>>

export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T
