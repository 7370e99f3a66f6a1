import type { MfaPolicy } from '../../accounts/credentials/mfa.ts'
import { SCIM_TOKEN_SETTING } from '../../accounts/scim/token.ts'
import type { Store } from '../../store/store.ts'
import { addressList, allowsAddress } from '../http/ip-allow-list.ts'
import { KNOWN_SETTINGS, type SettingName } from './known-settings.ts'

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

/** The current settings. A change takes effect at once; one that another server makes, after half a second. */
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
