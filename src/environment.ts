import { readFileSync } from 'node:fs'
import { MediaprocError } from './errors.ts'

export interface EnvironmentRow {
  default: string | number
  help: string
  /** Only read by `mediaproc serve`. */
  server?: true
  /** Affects the outputs of a job, so that a change of it makes outputs outdated (--newer). */
  decides?: true
  /** Names a file or folder whose content also matters. */
  files?: true
  /** Can be given as a file: `<NAME>_FILE` holds its path. Never printed. */
  secret?: true
}

/**
 * Every environment variable that the program reads, with its default and help line. Lint checks that each is read,
 * and that no other code reads `process.env` except to pass it on (src/generate/lint/variables.ts lists it).
 */
export const ENVIRONMENT = {
  MAX_MEGAPIXELS: { default: 100, help: 'largest picture that is decoded, in millions of pixels; 0 = no limit' },
  MAX_ARCHIVE_FILES: { default: 1000, help: 'most files in a ZIP file that is unpacked; 0 = no limit' },
  MAX_UNPACKED_FILE_MB: {
    default: 200,
    help: 'largest file in a ZIP file that is unpacked, in mebibytes; 0 = no limit',
  },
  MAX_UNPACKED_SIZE_MB: { default: 500, help: 'all that a ZIP file unpacks to, in mebibytes; 0 = no limit' },
  MAX_UNPACKED_RATIO: { default: 100, help: 'how many times its own size a ZIP file unpacks to; 0 = no limit' },
  MAX_CANVAS_PIXELS: { default: 0, help: 'largest canvas that pictures are joined on, in pixels; 0 = no limit' },
  MAX_SVG_SIZE_MB: { default: 50, help: 'largest SVG file that is drawn, in megabytes' },
  MAX_PDF_PAGES: { default: 0, help: 'longest PDF that is taken, in pages; 0 = no limit' },
  MAX_VIDEO_DURATION_S: { default: 0, help: 'longest video that is taken, in seconds; 0 = no limit' },
  MAX_AUDIO_DURATION_S: { default: 0, help: 'longest audio that is taken, in seconds; 0 = no limit' },
  MAX_VIDEO_BITRATE_KBPS: { default: 0, help: 'highest video bit rate that is taken, in kbit/s; 0 = no limit' },
  MAX_DOWNLOAD_SIZE_MB: { default: 1024, help: 'largest file that is fetched from an address, in megabytes' },
  MAX_PIPELINE_STEPS: { default: 20, help: 'most steps that a file goes through in a pipeline; 0 = no limit' },
  CONCURRENT_JOBS: { default: 0, help: 'jobs at the same time in a batch; 0 = from the number of cores' },
  PROCESSING_TIMEOUT_S: { default: 0, help: "caps every tool's own time limit, in seconds; 0 = no cap" },
  MEDIAPROC_OFFLINE: { default: '', help: 'set to 1: no network connection is opened' },
  MEDIAPROC_ALLOW_PRIVATE_HOSTS: { default: '', help: 'set to 1: addresses of private networks are fetched too' },
  MEDIAPROC_MEMES: {
    default: '',
    help: 'folder of further meme templates: pictures and a manifest.json',
    decides: true,
    files: true,
  },
  MEDIAPROC_FFMPEG: { default: '', help: 'the ffmpeg program to use', decides: true },
  MEDIAPROC_FFPROBE: { default: '', help: 'the ffprobe program to use', decides: true },
  MEDIAPROC_GHOSTSCRIPT: { default: '', help: 'the Ghostscript program (gs) to use', decides: true },
  MEDIAPROC_HEIF_ENC: { default: '', help: 'the heif-enc program to use', decides: true },
  MEDIAPROC_CJXL: { default: '', help: 'the cjxl program to use', decides: true },
  MEDIAPROC_DJXL: { default: '', help: 'the djxl program to use', decides: true },
  MEDIAPROC_DCRAW: { default: '', help: 'the dcraw_emu or dcraw program to use', decides: true },
  MEDIAPROC_TESSERACT: { default: '', help: 'the Tesseract program to use', decides: true },
  MEDIAPROC_CHROMIUM: { default: '', help: 'the Chromium or Chrome program to use', decides: true },
  MEDIAPROC_CHROMIUM_SANDBOX: {
    default: 'true',
    help: 'false: root may run Chromium, which has no sandbox then; for containers that are one themselves',
  },
  MEDIAPROC_LIBREOFFICE: { default: '', help: 'the LibreOffice program (soffice) to use', decides: true },
  MEDIAPROC_UNSHARE: {
    default: '',
    help: 'the program that runs LibreOffice without a network (unshare of util-linux)',
  },
  LIBREOFFICE_TIMEOUT_S: {
    default: 120,
    help: 'most time that LibreOffice gets for a document, in seconds; 0 = the limit of the tool',
  },
  MEDIAPROC_EXIFTOOL: { default: '', help: 'the exiftool script to use', decides: true },
  MEDIAPROC_PERL: { default: '', help: 'the perl that runs exiftool', decides: true },
  MEDIAPROC_DEBUG: { default: '', help: 'set to 1: stack traces of unexpected errors are printed' },
  MEDIAPROC_JOBS: { default: 0, help: 'as -j: jobs at the same time; 0 = CONCURRENT_JOBS' },
  MEDIAPROC_OUTPUT_DIR: { default: '', help: 'as --output-dir: the folder for outputs' },
  MEDIAPROC_NAME: { default: '', help: "as --name: the pattern of output names, such as '{stem}_{tool}.{ext}'" },
  MEDIAPROC_FORCE: { default: '', help: 'set to 1: as --force, existing outputs are replaced' },
  MEDIAPROC_QUIET: { default: '', help: 'set to 1: as --quiet, only errors are printed' },
  MEDIAPROC_TIMEOUT: { default: 0, help: 'as --timeout: seconds that one job may take; 0 = the limit of the tool' },
  MEDIAPROC_NEWER: {
    default: '',
    help: 'hash: --newer compares contents always; time: only where sizes and times of this machine do not suffice',
  },
  MEDIAPROC_RECORDS: {
    default: '',
    help: 'beside: the records that --newer compares are also kept beside outputs, in .mediaproc-records; cache: only in the cache',
  },
  MEDIAPROC_CACHE_DIR: {
    default: '',
    help: 'folder of the records that --newer compares, and of compiled code (Node 22.8 and later); mediaproc in XDG_CACHE_HOME by default',
  },
  MEDIAPROC_MODELS: {
    default: '',
    help: "folder of the installed models; mediaproc/models in the user's data folder by default, in serve <data>/models",
    decides: true,
  },
  MEDIAPROC_DEVICE: {
    default: 'auto',
    help: 'what models compute on: auto (an NVIDIA GPU where the runtime has its provider), cpu or cuda',
    decides: true,
  },
  MEDIAPROC_MODEL_MEMORY_MB: {
    default: 0,
    help: 'most memory that loaded models may hold together in one process, in megabytes; 0 = half of what is free',
  },
  MAX_REMBG_PX: {
    default: 2048,
    help: 'longest side at which the edges of a cut-out subject are refined, in pixels; 0 = that of the picture',
    decides: true,
  },
  MEDIAPROC_MANIFESTS: {
    default: '',
    help: "folder of models.json, bundles.json and runtime.json in place of the package's own, such as one with addresses of a mirror",
  },
  GIF_BG_MAX_FRAMES: { default: 300, help: 'most frames of an animation whose background is removed; 0 = no limit' },
  XDG_DATA_HOME: { default: '', help: 'where models are kept without MEDIAPROC_MODELS; ~/.local/share by default' },
  LOCALAPPDATA: { default: '', help: 'on Windows: where models are kept without MEDIAPROC_MODELS' },
  HTTPS_PROXY: {
    default: '',
    help: 'the proxy that models are fetched through, also as https_proxy; npm packages go through the proxy of the configuration of npm',
  },
  HTTP_PROXY: { default: '', help: 'the same for http addresses, which only manifests of your own have' },
  NO_PROXY: {
    default: '',
    help: 'hosts that are fetched from without the proxy, separated by commas; also as no_proxy',
  },
  FONTCONFIG_FILE: {
    default: '',
    help: 'a fonts.conf to find fonts by, in place of ours with the fonts of the package',
    decides: true,
    files: true,
  },
  XDG_CACHE_HOME: {
    default: '',
    help: 'where fonts are remembered; ~/.cache by default, or a temporary folder where that cannot be written',
  },
  TERM: { default: '', help: 'dumb: no colours and no progress' },
  NO_COLOR: { default: '', help: 'set to anything: no colours' },
  FORCE_COLOR: {
    default: '',
    help: 'set to 0 or false: no colours; to anything else: colours also where the output is no terminal; NO_COLOR wins',
  },
  PORT: { default: 1349, help: 'the port that serve listens on', server: true },
  HOST: {
    default: '',
    help: 'the address that serve listens on; 127.0.0.1 when authentication is off, else 0.0.0.0',
    server: true,
  },
  BASE_PATH: {
    default: '',
    help: 'a prefix that the whole API stands under, such as /media; it is stripped before routing',
    server: true,
  },
  EXTERNAL_URL: { default: '', help: 'the public address of the server; https makes cookies Secure', server: true },
  TRUST_PROXY: {
    default: 'false',
    help: 'true, a number of hops, or addresses of proxies whose forwarding headers are believed',
    server: true,
  },
  CORS_ORIGIN: {
    default: '',
    help: 'origins of web pages that may call the API, separated by commas; *: any, without cookies',
    server: true,
  },
  LOG_LEVEL: { default: 'info', help: 'fatal, error, warn, info, debug or trace', server: true },
  LOG_DIR: { default: '', help: 'folder of the log file; <data>/logs by default', server: true },
  DATA_DIR: { default: './data', help: 'folder for accounts, library, jobs and secrets', server: true },
  WORKSPACE_PATH: { default: '', help: 'folder of uploads and results; <data>/workspace by default', server: true },
  FILES_STORAGE_PATH: { default: '', help: 'folder of the file library; <data>/files by default', server: true },
  AUTH_ENABLED: {
    default: 'true',
    help: 'false: every endpoint is open to everybody who reaches the server',
    server: true,
  },
  DEFAULT_USERNAME: {
    default: 'admin',
    help: 'name of the first administrator, made at the first start',
    server: true,
  },
  DEFAULT_PASSWORD: {
    default: '',
    help: 'password of the first administrator; by default a random one is made and shown once',
    server: true,
    secret: true,
  },
  CONFIRM_WITHIN_MIN: {
    default: 10,
    help: 'minutes after signing in for which factors, keys, addresses and passwords of others may be changed without the password; 0 = always',
    server: true,
  },
  SKIP_MUST_CHANGE_PASSWORD: {
    default: 'false',
    help: 'true: new users need not change their password (for CI only)',
    server: true,
  },
  SESSION_DURATION_HOURS: { default: 168, help: 'life of a session from sign-in, in hours', server: true },
  LOGIN_ATTEMPT_LIMIT: { default: 10, help: 'sign-in attempts per minute and address', server: true },
  MAX_USERS: { default: 0, help: 'most user accounts; 0 = no limit', server: true },
  FILE_MAX_AGE_HOURS: {
    default: 72,
    help: 'how long results stay downloadable, in hours; 0 = without expiry',
    server: true,
  },
  CLEANUP_INTERVAL_MINUTES: { default: 60, help: 'how often expired results are removed, in minutes', server: true },
  JOBS_RETENTION_DAYS: {
    default: 30,
    help: 'how long the records of finished jobs are kept, in days; 0 = without expiry',
    server: true,
  },
  MAX_FINISHED_JOBS_PER_USER: {
    default: 10_000,
    help: 'finished jobs of one user whose records are kept; the oldest go first, with their results; 0 = no limit',
    server: true,
  },
  AUDIT_RETENTION_DAYS: {
    default: 0,
    help: 'how long the audit log is kept, in days; 0 = without expiry',
    server: true,
  },
  MAX_UPLOAD_SIZE_MB: { default: 100, help: 'largest uploaded file, in megabytes; 0 = no limit', server: true },
  MAX_BATCH_SIZE: { default: 0, help: 'most files in a batch; 0 = no limit', server: true },
  MAX_QUEUED_JOBS: { default: 1000, help: 'most jobs that wait; a full queue refuses at once', server: true },
  MAX_JOB_MEMORY_MB: {
    default: 4096,
    help: "memory of a job's process, in megabytes; over it the process is ended",
    server: true,
  },
  SYNC_WAIT_MS: {
    default: 8000,
    help: 'how long a request waits for its result before it is answered 202, in milliseconds',
    server: true,
  },
  JOB_TIMEOUT_FAST_S: { default: 120, help: 'time limit of tools that are not marked long, in seconds', server: true },
  JOB_TIMEOUT_LONG_S: { default: 7200, help: 'time limit of tools that are marked long, in seconds', server: true },
  JOB_STALL_S: {
    default: 900,
    help: 'a job without progress for this many seconds is stopped; 0 = no limit',
    server: true,
  },
  RATE_LIMIT_PER_MIN: { default: 300, help: 'requests per minute and address; 0 = no limit', server: true },
  MAX_STORAGE_PER_USER_MB: { default: 5000, help: 'library of one user, in megabytes; 0 = no limit', server: true },
  MAX_WORKSPACE_SIZE_GB: {
    default: 10,
    help: 'uploads and results together, in gigabytes; 0 = no limit',
    server: true,
  },
  LEAST_FREE_MB: {
    default: 500,
    help: 'with less than this free on the disk of the workspace no work is taken, in megabytes',
    server: true,
  },
  COOKIE_SECRET: {
    default: '',
    help: 'signs what browsers keep while they sign in elsewhere; made at the first start when unset',
    server: true,
    secret: true,
  },
  AUTH_SUCCESS_REDIRECT: { default: '/', help: 'where the browser goes after signing in elsewhere', server: true },
  AUTH_ERROR_REDIRECT: {
    default: '/login',
    help: 'where the browser goes when signing in elsewhere failed, or needs a code',
    server: true,
  },
  MFA_REDIRECT_QUERY: {
    default: 'false',
    help: 'true: after signing in elsewhere the mfaToken is in the query of the address, not behind #',
    server: true,
  },
  OIDC_ENABLED: { default: 'false', help: 'true: users sign in with an OpenID provider', server: true },
  OIDC_ISSUER_URL: { default: '', help: 'the issuer, as its discovery document has it', server: true },
  OIDC_CLIENT_ID: { default: '', help: 'the id of this instance at the provider', server: true },
  OIDC_CLIENT_SECRET: { default: '', help: 'its secret there', server: true, secret: true },
  OIDC_SCOPES: { default: 'openid profile email', help: 'what is asked for, separated by blanks', server: true },
  OIDC_AUTO_CREATE_USERS: { default: 'true', help: 'false: only users who have an account sign in', server: true },
  OIDC_AUTO_LINK_USERS: {
    default: 'false',
    help: 'true: an account with the same verified e-mail address is taken',
    server: true,
  },
  OIDC_AUTO_LINK_ADMINS: { default: 'false', help: 'true: also one that manages users', server: true },
  OIDC_DEFAULT_ROLE: { default: 'user', help: 'role of new users; not admin', server: true },
  OIDC_ROLE_MAPPING: {
    default: '',
    help: 'roles by groups, as a JSON object: {"media-admins": "admin"}; the first that fits, at each sign-in',
    server: true,
  },
  OIDC_GROUPS_CLAIM: { default: 'groups', help: 'the claim that names the groups', server: true },
  OIDC_PROVIDER_NAME: { default: '', help: 'what users call the provider', server: true },
  OIDC_CLOCK_TOLERANCE: { default: 30, help: 'seconds that the clocks may differ, at most 300', server: true },
  OIDC_USERNAME_CLAIM: { default: 'preferred_username', help: 'the claim that new users are named by', server: true },
  SAML_ENABLED: { default: 'false', help: 'true: users sign in with a SAML identity provider', server: true },
  SAML_IDP_SSO_URL: { default: '', help: 'where the identity provider takes requests (HTTP-Redirect)', server: true },
  SAML_IDP_CERTIFICATE: {
    default: '',
    help: 'the certificates that it signs with, PEM; several while they are exchanged. SAML_IDP_CERTIFICATE_FILE names a file',
    server: true,
  },
  SAML_ENTITY_ID: {
    default: '',
    help: 'the name of this instance there; the address of its metadata when unset',
    server: true,
  },
  SAML_CALLBACK_URL: {
    default: '',
    help: 'where responses come; <EXTERNAL_URL>/api/auth/saml/callback when unset',
    server: true,
  },
  SAML_PRIVATE_KEY: {
    default: '',
    help: 'our key, PEM: decrypts assertions and signs requests. SAML_PRIVATE_KEY_FILE names a file',
    server: true,
    secret: true,
  },
  SAML_CERTIFICATE: {
    default: '',
    help: 'the certificate of our key, PEM, for the metadata; SAML_CERTIFICATE_FILE as well',
    server: true,
  },
  SAML_SIGN_REQUESTS: { default: 'false', help: 'true: requests are signed', server: true },
  SAML_CLOCK_TOLERANCE: { default: 30, help: 'seconds that the clocks may differ, at most 300', server: true },
  SAML_AUTO_CREATE_USERS: { default: 'true', help: 'false: only users who have an account sign in', server: true },
  SAML_AUTO_LINK_USERS: {
    default: 'false',
    help: 'true: an account with the same e-mail address is taken',
    server: true,
  },
  SAML_AUTO_LINK_ADMINS: { default: 'false', help: 'true: also one that manages users', server: true },
  SAML_DEFAULT_ROLE: { default: 'user', help: 'role of new users; not admin', server: true },
  SAML_ROLE_MAPPING: { default: '', help: 'roles by groups, as OIDC_ROLE_MAPPING', server: true },
  SAML_GROUPS_ATTRIBUTE: { default: 'groups', help: 'the attribute that names the groups', server: true },
  SAML_PROVIDER_NAME: { default: '', help: 'what users call the provider', server: true },
  SAML_USERNAME_ATTRIBUTE: {
    default: '',
    help: 'the attribute that new users are named by; else their address',
    server: true,
  },
  SAML_EMAIL_ATTRIBUTE: { default: 'email', help: 'the attribute with the e-mail address', server: true },
  MFA_ISSUER: { default: 'mediaproc', help: 'what authenticator apps call the instance', server: true },
  DATA_ENCRYPTION_KEY: {
    default: '',
    help: 'encrypts what must be read again, such as the secrets of second factors: 64 hexadecimal digits',
    server: true,
    secret: true,
  },
  DATA_ENCRYPTION_KEY_PREVIOUS: {
    default: '',
    help: 'the key before, for one start: what it encrypted is put under DATA_ENCRYPTION_KEY, or under none',
    server: true,
    secret: true,
  },
  MAX_LOGO_SIZE_KB: { default: 500, help: 'largest logo that is taken, in kilobytes', server: true },
  MEDIAPROC_FEATURES: {
    default: '*',
    help: 'features of this instance, separated by commas: mfa, saml_sso, sso_enforcement, audit_export; *: all',
    server: true,
  },
  SHUTDOWN_TIMEOUT_S: {
    default: 30,
    help: 'how long running jobs and requests may take at shutdown, in seconds',
    server: true,
  },
  DEFAULT_LOCALE: { default: 'en', help: 'reported to clients', server: true },
  DOWNLOAD_AUTH: {
    default: 'required',
    help: 'required, or capability: anyone who knows the address of a result may fetch it',
    server: true,
  },
  MODEL_OFFLINE: { default: 'false', help: 'true: no model is fetched, archives are imported', server: true },
  URL_FETCH_ENABLED: { default: 'true', help: 'false: addresses are never fetched for users', server: true },
  SOURCE_URL: {
    default: 'https://www.npmjs.com/package/mediaproc',
    help: 'where users of the server find the source of the running program (AGPL, section 13)',
    server: true,
  },
  METRICS_TOKEN: {
    default: '',
    help: 'a bearer token that reads the metrics besides administrators',
    server: true,
    secret: true,
  },
} as const satisfies Record<string, EnvironmentRow>

export type EnvironmentName = keyof typeof ENVIRONMENT
type NumberName = {
  [N in EnvironmentName]: (typeof ENVIRONMENT)[N]['default'] extends number ? N : never
}[EnvironmentName]

/** A number from the environment: zero or more. Anything else throws INVALID_CONFIG with the variable's name. */
export function environmentNumber(name: NumberName): number {
  const given = process.env[name]
  if (given === undefined || given.trim() === '') return ENVIRONMENT[name].default
  const value = Number(given)
  if (Number.isFinite(value) && value >= 0) return value
  throw new MediaprocError(
    'INVALID_CONFIG',
    `Expected a number of at least 0 for the environment variable ${name}, got ${given}`,
  )
}

/** Text from the environment, or '' when unset. */
export function environmentText(name: EnvironmentName): string {
  return process.env[name] ?? ''
}

/** A boolean variable: only the words true and false are accepted, so that a typo never disables anything. */
export function environmentFlag(name: EnvironmentName): boolean {
  const given = process.env[name]?.trim() || String(ENVIRONMENT[name].default)
  if (given === 'true' || given === 'false') return given === 'true'
  throw new MediaprocError(
    'INVALID_CONFIG',
    `Expected true or false for the environment variable ${name}, got ${given}`,
  )
}

/** A proxy variable, or '' when unset: programs accept these names in upper and lower case. */
export function environmentProxy(name: 'HTTPS_PROXY' | 'HTTP_PROXY' | 'NO_PROXY'): string {
  return process.env[name.toLowerCase()] || environmentText(name)
}

/** Text from the environment with its default; one of `words` if given. */
export function environmentWord<const Word extends string>(name: EnvironmentName, words?: readonly Word[]): Word {
  const given = process.env[name]?.trim() || String(ENVIRONMENT[name].default)
  if (!words || (words as readonly string[]).includes(given)) return given as Word
  throw new MediaprocError(
    'INVALID_CONFIG',
    `Expected ${words.join(', ')} for the environment variable ${name}, got ${given}`,
  )
}

/** A secret: `<NAME>`, or the first line of the file named by `<NAME>_FILE`; '' when neither is set. */
export function environmentSecret(name: EnvironmentName): string {
  const file = process.env[`${name}_FILE`]
  if (process.env[name] || !file) return process.env[name] ?? ''
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/, 1)[0]!
  } catch (error) {
    throw new MediaprocError('INVALID_CONFIG', `The file that ${name}_FILE names cannot be read`, { cause: error })
  }
}

/**
 * Text of several lines, such as a PEM key: `<NAME>`, with \\n for a line break, or the file named by `<NAME>_FILE`.
 */
export function environmentPem(name: EnvironmentName): string {
  const file = process.env[`${name}_FILE`]
  if (process.env[name] || !file) return (process.env[name] ?? '').replaceAll('\\n', '\n').trim()
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new MediaprocError('INVALID_CONFIG', `The file that ${name}_FILE names cannot be read`, { cause: error })
  }
}

/** Variables of larger installations. Silently ignoring them would suggest that they are in effect. */
export const UNSUPPORTED = ['DATABASE_URL', 'REDIS_URL', 'STORAGE_MODE'] as const

/** The first set variable that requires a feature this version does not have. */
export function unsupportedVariable(): string | undefined {
  return UNSUPPORTED.find((name) => {
    const given = process.env[name] ?? ''
    return given !== '' && given !== (name === 'STORAGE_MODE' ? 'local' : 'false')
  })
}
