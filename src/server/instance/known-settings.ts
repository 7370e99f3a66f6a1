import { MFA_POLICIES } from '../../accounts/credentials/mfa.ts'

/** Values of the settings that have a few: the order is that of a form. */
type Kind = 'flag' | 'number' | 'text' | 'name' | 'list' | 'addresses' | 'colour' | readonly string[]

/** Groups of the settings, in the order of a form. */
export const SETTING_GROUPS = [
  'signIn',
  'passwords',
  'access',
  'limits',
  'audit',
  'results',
  'tools',
  'clients',
] as const

interface Declaration {
  label: string
  help: string
  kind: Kind
  /** Absent: another page or route changes it. */
  group?: (typeof SETTING_GROUPS)[number]
  /** The value without the setting, as text; absent if none or the environment decides. */
  default?: string
  /** Environment variable that decides without the setting. */
  variable?: 'LOGIN_ATTEMPT_LIMIT' | 'FILE_MAX_AGE_HOURS' | 'DEFAULT_LOCALE'
  unit?: string
  /** Changing it requires `security:manage` as well. */
  isSecurity?: true
}

const PASSWORDS = { group: 'passwords', isSecurity: true } as const
const SIGN_IN = { group: 'signIn', isSecurity: true } as const

/** Settings that an administrator can change at runtime; all values are stored as text. */
export const KNOWN_SETTINGS = {
  mfaPolicy: {
    ...SIGN_IN,
    kind: MFA_POLICIES,
    label: 'Second factor',
    help: 'who must have a second factor',
    default: 'optional',
  },
  loginAttemptLimit: {
    ...SIGN_IN,
    kind: 'number',
    label: 'Sign-in attempts',
    help: 'sign-in attempts per minute and address; 0 = no limit',
    variable: 'LOGIN_ATTEMPT_LIMIT',
    unit: 'per minute',
  },
  maxSessionsPerUser: {
    ...SIGN_IN,
    kind: 'number',
    label: 'Sessions per user',
    help: 'sessions of one user; the oldest ends at sign-in; 0 = no limit',
    default: '100',
  },
  sessionIdleTimeoutMinutes: {
    ...SIGN_IN,
    kind: 'number',
    label: 'Idle timeout',
    help: 'a session that idles longer ends; 0 = off',
    default: '0',
    unit: 'minutes',
  },
  ssoEnforcement: {
    ...SIGN_IN,
    kind: 'flag',
    label: 'Require single sign-on',
    help: 'local passwords are not taken, where there is a provider to sign in with',
    default: 'false',
  },
  ssoBreakGlassUsername: {
    ...SIGN_IN,
    kind: 'text',
    label: 'Emergency user',
    help: 'the one user whose local password is taken all the same',
  },
  deviceSignIn: {
    ...SIGN_IN,
    kind: 'flag',
    label: 'Sign-in of programs with a code',
    help: 'mediaproc login shows a code, which its user approves in the console',
    default: 'true',
  },
  passwordMinLength: {
    ...PASSWORDS,
    kind: 'number',
    label: 'Shortest password',
    help: 'the least length of new passwords',
    default: '8',
    unit: 'characters',
  },
  passwordRequireUppercase: {
    ...PASSWORDS,
    kind: 'flag',
    label: 'Capital letter',
    help: 'new passwords need a capital letter',
    default: 'true',
  },
  passwordRequireLowercase: {
    ...PASSWORDS,
    kind: 'flag',
    label: 'Small letter',
    help: 'new passwords need a small letter',
    default: 'true',
  },
  passwordRequireDigit: {
    ...PASSWORDS,
    kind: 'flag',
    label: 'Digit',
    help: 'new passwords need a digit',
    default: 'true',
  },
  passwordRequireSpecial: {
    ...PASSWORDS,
    kind: 'flag',
    label: 'Special character',
    help: 'new passwords need a character that is neither letter nor digit',
    default: 'false',
  },
  ipAllowList: {
    group: 'access',
    isSecurity: true,
    kind: 'addresses',
    label: 'Allowed addresses',
    help: 'addresses and networks (10.0.0.0/8) that may use the server; empty: all. Health stays open',
    default: '[]',
  },
  rateLimitPerUser: {
    group: 'limits',
    kind: 'number',
    label: 'Requests per user',
    help: 'requests of one user per minute; 0 = off',
    default: '0',
    unit: 'per minute',
  },
  maxConcurrentJobsPerUser: {
    group: 'limits',
    kind: 'number',
    label: 'Jobs per user',
    help: 'jobs of one user at the same time; 0 = no limit',
    default: '0',
  },
  auditToolOperations: {
    group: 'audit',
    isSecurity: true,
    kind: 'flag',
    label: 'Record tool runs',
    help: 'the audit log names every run of a tool',
    default: 'false',
  },
  tamperResistantAudit: {
    group: 'audit',
    isSecurity: true,
    kind: 'flag',
    label: 'Tamper-resistant log',
    help: 'entries of the audit log are on the disk before an answer, and the log is checked at every start',
    default: 'false',
  },
  tempFileMaxAgeHours: {
    group: 'results',
    kind: 'number',
    label: 'Life of results',
    help: 'how long results stay downloadable; 0 = without expiry',
    variable: 'FILE_MAX_AGE_HOURS',
    unit: 'hours',
  },
  startupCleanup: {
    group: 'results',
    kind: 'flag',
    label: 'Clean up at the start',
    help: 'expired results are removed at the start',
    default: 'true',
  },
  disabledTools: {
    group: 'tools',
    kind: 'list',
    label: 'Disabled tools',
    help: 'ids of tools that are switched off',
    default: '[]',
  },
  enableExperimentalTools: {
    group: 'clients',
    kind: 'flag',
    label: 'Experimental tools',
    help: 'kept for clients; there are no experimental tools',
    default: 'false',
  },
  defaultLocale: {
    group: 'clients',
    kind: 'text',
    label: 'Language',
    help: 'reported to clients',
    variable: 'DEFAULT_LOCALE',
  },
  defaultTheme: { group: 'clients', kind: 'text', label: 'Theme', help: 'reported to clients' },
  brandName: { kind: 'name', label: 'Name', help: 'what clients call the instance, at most 60 characters' },
  brandPrimaryColor: { kind: 'colour', label: 'Main colour', help: 'as #rrggbb' },
  brandAccentColor: { kind: 'colour', label: 'Second colour', help: 'as #rrggbb' },
  customLogo: { kind: 'flag', label: 'Logo', help: 'whether a logo was uploaded' },
} as const satisfies Record<string, Declaration>

export type SettingName = keyof typeof KNOWN_SETTINGS

/** The settings with all facts that any of them may have. */
export const SETTING_ROWS: readonly (readonly [SettingName, Declaration])[] = Object.entries(KNOWN_SETTINGS).map(
  ([name, row]) => [name as SettingName, row],
)

/** A setting in a sentence: its name, values and default. */
export function describeSetting([
  name,
  { help, kind, default: text, variable },
]: (typeof SETTING_ROWS)[number]): string {
  const values =
    typeof kind !== 'string' ? kind.join(', ') : kind === 'list' || kind === 'addresses' ? 'a JSON array' : ''
  const without = variable ? `${variable} when unset` : text ? `${text} by default` : ''
  return [`${name}: ${help}`, values, without].filter(Boolean).join('; ')
}
