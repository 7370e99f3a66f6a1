import { MFA_POLICIES, type MfaPolicy } from '../../accounts/credentials/mfa.ts'
import { SCIM_TOKEN_SETTING } from '../../accounts/scim/token.ts'
import type { Store } from '../../store/store.ts'
import { addressList, allowsAddress } from '../http/ip-allow-list.ts'

/** Settings that an administrator can change at runtime; all values are stored as text. */
export const KNOWN_SETTINGS = {
  disabledTools: { kind: 'list', help: 'ids of tools that are switched off, as a JSON array' },
  enableExperimentalTools: { kind: 'flag', help: 'kept for clients; there are no experimental tools' },
  loginAttemptLimit: {
    isSecurity: true,
    kind: 'number',
    help: 'sign-in attempts per minute and address; LOGIN_ATTEMPT_LIMIT when unset',
  },
  passwordMinLength: { isSecurity: true, kind: 'number', help: 'shortest password, 8 by default' },
  passwordRequireUppercase: {
    isSecurity: true,
    kind: 'flag',
    help: 'passwords need a capital letter, true by default',
  },
  passwordRequireLowercase: { isSecurity: true, kind: 'flag', help: 'passwords need a small letter, true by default' },
  passwordRequireDigit: { isSecurity: true, kind: 'flag', help: 'passwords need a digit, true by default' },
  passwordRequireSpecial: {
    isSecurity: true,
    kind: 'flag',
    help: 'passwords need a character that is neither letter nor digit',
  },
  maxSessionsPerUser: {
    isSecurity: true,
    kind: 'number',
    help: 'sessions of one user, 100 by default; the oldest ends at sign-in; 0 = no limit',
  },
  sessionIdleTimeoutMinutes: { isSecurity: true, kind: 'number', help: 'a session that idles longer ends; 0 = off' },
  rateLimitPerUser: { kind: 'number', help: 'requests of one user per minute; 0 = off' },
  maxConcurrentJobsPerUser: { kind: 'number', help: 'jobs of one user at the same time; 0 = no limit' },
  auditToolOperations: { isSecurity: true, kind: 'flag', help: 'the audit log names every run of a tool' },
  tamperResistantAudit: {
    isSecurity: true,
    kind: 'flag',
    help: 'entries of the audit log are on the disk before an answer, and the log is checked at every start',
  },
  tempFileMaxAgeHours: { kind: 'number', help: 'how long results stay downloadable; FILE_MAX_AGE_HOURS when unset' },
  startupCleanup: { kind: 'flag', help: 'expired results are removed at the start, true by default' },
  defaultLocale: { kind: 'text', help: 'reported to clients' },
  defaultTheme: { kind: 'text', help: 'reported to clients' },
  ipAllowList: {
    isSecurity: true,
    kind: 'addresses',
    help: 'addresses and networks (10.0.0.0/8) that may use the server, as a JSON array; empty: all. Health stays open',
  },
  brandName: { kind: 'name', help: 'what clients call the instance, at most 60 characters' },
  brandPrimaryColor: { kind: 'colour', help: 'as #rrggbb' },
  brandAccentColor: { kind: 'colour', help: 'as #rrggbb' },
  mfaPolicy: {
    isSecurity: true,
    kind: MFA_POLICIES,
    help: 'who must have a second factor: optional, admins_only or required',
  },
  ssoEnforcement: {
    isSecurity: true,
    kind: 'flag',
    help: 'local passwords are not taken, where there is a provider to sign in with',
  },
  ssoBreakGlassUsername: {
    isSecurity: true,
    kind: 'text',
    help: 'the one user whose local password is taken all the same',
  },
  customLogo: { kind: 'flag', help: 'whether a logo was uploaded' },
} as const

export type SettingName = keyof typeof KNOWN_SETTINGS

/** Settings of sign-in and audit: changing these requires `security:manage` as well as `settings:write`. */
export function isSecuritySetting(name: string): boolean {
  return Object.hasOwn(KNOWN_SETTINGS, name) && 'isSecurity' in KNOWN_SETTINGS[name as SettingName]
}

/** Holds the logo, as PNG in base64. */
export const LOGO_SETTING = 'logo_png'

/** Settings that clients cannot read or write. */
export const READONLY_SETTINGS: readonly string[] = ['cookie_secret', 'instance_id', LOGO_SETTING, SCIM_TOKEN_SETTING]

/** Shown instead of a secret value; sending it back changes nothing. */
export const MASK = '********'

/** Whether a client's setting is a secret, by its name: never shown, and encrypted if there is a key. */
export function isSecretSetting(name: string): boolean {
  return !Object.hasOwn(KNOWN_SETTINGS, name) && /secret|token|password|credential|(api|private)[_-]?key/i.test(name)
}

/** Whether a value is valid for a known setting; unknown settings accept any text. */
export function fitsSetting(name: string, value: string): boolean {
  if (!Object.hasOwn(KNOWN_SETTINGS, name)) return true
  const { kind } = KNOWN_SETTINGS[name as SettingName]
  if (typeof kind !== 'string') return kind.includes(value as MfaPolicy)
  if (kind === 'flag') return value === 'true' || value === 'false'
  if (kind === 'number') return /^\d{1,9}$/.test(value)
  if (kind === 'list') return isTextList(value)
  if (kind === 'addresses') return addressList(value) !== undefined
  if (kind === 'colour') return value === '' || /^#[0-9a-f]{6}$/i.test(value)
  if (kind === 'name') return value.length <= 60 && !/[\p{Cc}\p{Cs}<>]/u.test(value)
  return true
}

function isTextList(value: string): boolean {
  try {
    const list: unknown = JSON.parse(value)
    return Array.isArray(list) && list.every((item) => typeof item === 'string')
  } catch {
    return false
  }
}

/** The current settings, read from the store at each use: a change takes effect at once. */
export class InstanceSettings {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  async text(name: SettingName): Promise<string | undefined> {
    return (await this.#store.settings.get(name))?.value
  }

  async number(name: SettingName, fallback: number): Promise<number> {
    const value = await this.text(name)
    return value === undefined ? fallback : Number(value)
  }

  async flag(name: SettingName, fallback: boolean): Promise<boolean> {
    const value = await this.text(name)
    return value === undefined ? fallback : value === 'true'
  }

  /** Ids of the disabled tools. */
  async disabledTools(): Promise<ReadonlySet<string>> {
    return new Set(JSON.parse((await this.text('disabledTools')) ?? '[]') as string[])
  }

  /** Whether a client with this address may use the server. */
  async allowsAddress(address: string): Promise<boolean> {
    const value = await this.text('ipAllowList')
    return value === undefined || allowsAddress(value, address)
  }

  async isDisabled(toolId: string): Promise<boolean> {
    return (await this.disabledTools()).has(toolId)
  }
}
