import type { Store } from '../store/seam.ts'

/** What an administrator may set while the server runs; all values are kept as text. */
export const KNOWN_SETTINGS = {
  disabledTools: { kind: 'list', help: 'ids of tools that are switched off, as a JSON array' },
  enableExperimentalTools: { kind: 'flag', help: 'kept for clients; there are no experimental tools' },
  loginAttemptLimit: {
    kind: 'number',
    help: 'sign-in attempts per minute and address; LOGIN_ATTEMPT_LIMIT when unset',
  },
  passwordMinLength: { kind: 'number', help: 'shortest password, 8 by default' },
  passwordRequireUppercase: { kind: 'flag', help: 'passwords need a capital letter, true by default' },
  passwordRequireLowercase: { kind: 'flag', help: 'passwords need a small letter, true by default' },
  passwordRequireDigit: { kind: 'flag', help: 'passwords need a digit, true by default' },
  passwordRequireSpecial: { kind: 'flag', help: 'passwords need a character that is neither letter nor digit' },
  maxSessionsPerUser: { kind: 'number', help: 'sessions of one user; the oldest goes at sign-in; 0 = no limit' },
  sessionIdleTimeoutMinutes: { kind: 'number', help: 'a session that idles longer ends; 0 = off' },
  rateLimitPerUser: { kind: 'number', help: 'requests of one user per minute; 0 = off' },
  maxConcurrentJobsPerUser: { kind: 'number', help: 'jobs of one user at the same time; 0 = no limit' },
  auditToolOperations: { kind: 'flag', help: 'the audit log names every run of a tool' },
  tempFileMaxAgeHours: { kind: 'number', help: 'how long results stay downloadable; FILE_MAX_AGE_HOURS when unset' },
  startupCleanup: { kind: 'flag', help: 'expired results are removed at the start, true by default' },
  defaultLocale: { kind: 'text', help: 'reported to clients' },
  defaultTheme: { kind: 'text', help: 'reported to clients' },
  customLogo: { kind: 'flag', help: 'whether a logo was uploaded' },
} as const

export type SettingName = keyof typeof KNOWN_SETTINGS

/** Never written by clients. */
export const READONLY_SETTINGS: readonly string[] = ['cookie_secret', 'instance_id']

/** Whether an administrator's value fits a known setting; unknown ones take any text. */
export function fitsSetting(name: string, value: string): boolean {
  if (!Object.hasOwn(KNOWN_SETTINGS, name)) return true
  const { kind } = KNOWN_SETTINGS[name as SettingName]
  if (kind === 'flag') return value === 'true' || value === 'false'
  if (kind === 'number') return /^\d{1,9}$/.test(value)
  if (kind === 'list') return isTextList(value)
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

/** The settings in force, read from the store at each use: a change takes effect at once. */
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

  /** Ids of the tools that are switched off. */
  async disabledTools(): Promise<ReadonlySet<string>> {
    return new Set(JSON.parse((await this.text('disabledTools')) ?? '[]') as string[])
  }

  async isDisabled(toolId: string): Promise<boolean> {
    return (await this.disabledTools()).has(toolId)
  }
}
