import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import type { DatabaseOptions } from '../engines/postgres/database.ts'
import type { TelemetryOptions } from '../engines/telemetry/telemetry.ts'
import {
  ENVIRONMENT,
  environmentFlag,
  environmentNumber,
  environmentSecret,
  environmentText,
  environmentWord,
  unsupportedVariable,
} from '../environment.ts'
import { MediaprocError } from '../errors.ts'
import { type ClusterConfig, readCluster, roleOf, type ServerRole } from './cluster-config.ts'
import { hasFeature } from './instance/features.ts'
import type { PersonalServer } from './personal.ts'
import { type OidcConfig, readOidc, readSaml, type SamlConfig } from './sign-in/config.ts'
import { externalUrl, passkeysRpId } from './sign-in/config-values.ts'
import { type LdapConfig, readLdap } from './sign-in/ldap-config.ts'
import { type MachineTokenConfig, readMachineTokens } from './sign-in/machine-config.ts'
import { readTrustedHeader, type TrustedHeaderConfig } from './sign-in/trusted-header-config.ts'
import { readTelemetry } from './telemetry-config.ts'
import type { WebhookConfig } from './webhooks/address.ts'

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Startup configuration. Sizes are in bytes, times in milliseconds; 0 means no limit. */
export interface ServerConfig {
  host: string
  port: number
  /** Empty, or a path such as `/media`. */
  basePath: string
  externalUrl: string
  /** Domain of passkeys; empty for the host of `externalUrl`. */
  passkeysRpId: string
  /** Whether the address at a hop (counted from 0) is a trusted proxy. */
  trustProxy: boolean | string | ((address: string, hop: number) => boolean)
  corsOrigins: readonly string[]
  logLevel: LogLevel
  authEnabled: boolean
  defaultUsername: string
  defaultPassword: string
  skipMustChangePassword: boolean
  sessionMs: number
  /** See AccountsOptions. */
  confirmWithinMs: number
  loginAttemptLimit: number
  maxUsers: number
  dataFolder: string
  /** Where records are kept; undefined: in files of the data folder. */
  database: DatabaseOptions | undefined
  /** What several servers share besides the database; undefined: this server is alone. */
  cluster: ClusterConfig | undefined
  role: ServerRole
  /** A job process waits for the next job. */
  hasWarmPool: boolean
  workspaceFolder: string
  libraryFolder: string
  modelsFolder: string
  /** Models are never downloaded, only imported from archives. */
  modelsOffline: boolean
  logFolder: string
  resultAgeMs: number
  cleanupIntervalMs: number
  jobRetentionMs: number
  /** Per user; 0 means no limit. */
  maxFinishedJobs: number
  auditRetentionDays: number
  maxUploadBytes: number
  maxBatchSize: number
  /** Lifetime of resumable uploads after their last bytes. */
  uploadAgeMs: number
  /** Resumable uploads of one user at a time. */
  maxUploadsPerUser: number
  concurrentJobs: number
  maxQueuedJobs: number
  maxJobMemoryMb: number
  syncWaitMs: number
  timeoutFastS: number
  timeoutLongS: number
  /** Caps every time limit; 0 when unset. */
  timeoutCapS: number
  rateLimitPerMin: number
  userQuotaBytes: number
  workspaceBytes: number
  leastFreeBytes: number
  shutdownMs: number
  maxPipelineSteps: number
  defaultLocale: string
  /** Whether the web console is served. */
  console: boolean
  downloadAuth: 'required' | 'capability'
  urlFetchEnabled: boolean
  webhooks: WebhookConfig
  metricsToken: string
  /** Where traces are sent; undefined: nowhere. */
  telemetry: TelemetryOptions | undefined
  maxLogoBytes: number
  hasMfa: boolean
  mfaIssuer: string
  /** 64 hexadecimal digits each; empty when unset. */
  encryptionKeys: { current: string; previous: string }
  /** Empty when the server generates its own secret. */
  cookieSecret: string
  /** Redirect targets after single sign-on, for success and failure. */
  successRedirect: string
  errorRedirect: string
  mfaRedirectQuery: boolean
  oidc: OidcConfig | undefined
  saml: SamlConfig | undefined
  ldap: LdapConfig | undefined
  trustedHeader: TrustedHeaderConfig | undefined
  machineTokens: MachineTokenConfig | undefined
  /** Names of the enabled features; `*` enables all. */
  features: readonly string[]
  /** Set by `mediaproc open`: the server is for one user on this machine. */
  personal?: PersonalServer
}

/** Options of the command line that override the environment. */
export interface ServerFlags {
  port?: number
  host?: string
  dataFolder?: string
  role?: ServerRole
}

const MEGABYTE = 1_000_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE

function refuseUnknownModes(): void {
  const name = unsupportedVariable()
  if (!name) return
  throw new MediaprocError('INVALID_CONFIG', `${name} asks for something that this version does not have`, {
    hint: 'Unset it: without S3_BUCKET, files are in the data folder.',
  })
}

const commaList = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)

function proxyTrust(text: string): ServerConfig['trustProxy'] {
  if (text === 'true' || text === 'false') return text === 'true'
  if (!/^\d+$/.test(text)) return text
  const hops = Number(text)
  return (_address, hop) => hop < hops
}

function basePath(text: string): string {
  const path = text.replace(/\/+$/, '')
  if (path === '' || /^(\/[\w.~-]+)+$/.test(path)) return path
  throw new MediaprocError('INVALID_CONFIG', `Expected a path such as /media for BASE_PATH, got ${text}`)
}

/** Redirect target: the operator's own, or the default page of this server below its base path. */
function ownPage(name: 'AUTH_SUCCESS_REDIRECT' | 'AUTH_ERROR_REDIRECT'): string {
  const address = environmentWord(name)
  return address === ENVIRONMENT[name].default ? `${basePath(environmentText('BASE_PATH'))}${address}` : address
}

/** @throws MediaprocError INVALID_CONFIG for what is not an address of PostgreSQL */
function database(): DatabaseOptions | undefined {
  const url = environmentSecret('DATABASE_URL')
  if (url === '' || url === 'false') return undefined
  if (!/^postgres(?:ql)?:\/\//.test(url))
    throw new MediaprocError(
      'INVALID_CONFIG',
      'Expected an address such as postgres://user@host/name for DATABASE_URL',
      {
        hint: { shell: 'Without it, records are kept in the data folder.' },
      },
    )
  return { url, connections: Math.max(2, environmentNumber('DATABASE_CONNECTIONS')) }
}

function portNumber(port: number): number {
  if (Number.isInteger(port) && port <= 65_535) return port
  throw new MediaprocError('INVALID_CONFIG', `Expected a port from 0 to 65535, got ${port}`)
}

/**
 * The configuration of `mediaproc serve`: flags override the environment, which overrides the defaults.
 * @throws MediaprocError INVALID_CONFIG naming the variable
 */
export function readConfig(flags: ServerFlags = {}): ServerConfig {
  refuseUnknownModes()
  const dataFolder = resolve(flags.dataFolder ?? environmentWord('DATA_DIR'))
  const authEnabled = environmentFlag('AUTH_ENABLED')
  const features = commaList(environmentWord('MEDIAPROC_FEATURES'))
  const cluster = readCluster()
  const folder = (name: 'WORKSPACE_PATH' | 'FILES_STORAGE_PATH' | 'LOG_DIR' | 'MEDIAPROC_MODELS', own: string) =>
    resolve(environmentText(name) || join(dataFolder, own))
  return {
    // Without accounts, listen on this machine only, unless a host is set.
    host: flags.host ?? (environmentText('HOST') || (authEnabled ? '0.0.0.0' : '127.0.0.1')),
    port: portNumber(flags.port ?? environmentNumber('PORT')),
    basePath: basePath(environmentText('BASE_PATH')),
    externalUrl: externalUrl(),
    passkeysRpId: passkeysRpId(),
    trustProxy: proxyTrust(environmentWord('TRUST_PROXY')),
    corsOrigins: commaList(environmentText('CORS_ORIGIN')),
    logLevel: environmentWord('LOG_LEVEL', LOG_LEVELS),
    authEnabled,
    defaultUsername: environmentWord('DEFAULT_USERNAME'),
    defaultPassword: environmentSecret('DEFAULT_PASSWORD'),
    skipMustChangePassword: environmentFlag('SKIP_MUST_CHANGE_PASSWORD'),
    sessionMs: environmentNumber('SESSION_DURATION_HOURS') * HOUR,
    confirmWithinMs: environmentNumber('CONFIRM_WITHIN_MIN') * MINUTE,
    loginAttemptLimit: environmentNumber('LOGIN_ATTEMPT_LIMIT'),
    maxUsers: environmentNumber('MAX_USERS'),
    dataFolder,
    database: database(),
    ...{ cluster, role: roleOf(flags.role, cluster), hasWarmPool: flags.role !== 'api' },
    workspaceFolder: folder('WORKSPACE_PATH', 'workspace'),
    libraryFolder: folder('FILES_STORAGE_PATH', 'files'),
    // Every server needs the models that one of them has installed.
    modelsFolder:
      cluster?.contents.kind === 'folder' && !environmentText('MEDIAPROC_MODELS')
        ? join(cluster.contents.folder, 'models')
        : folder('MEDIAPROC_MODELS', 'models'),
    modelsOffline: environmentFlag('MODEL_OFFLINE'),
    logFolder: folder('LOG_DIR', 'logs'),
    resultAgeMs: environmentNumber('FILE_MAX_AGE_HOURS') * HOUR,
    cleanupIntervalMs: environmentNumber('CLEANUP_INTERVAL_MINUTES') * 60_000,
    jobRetentionMs: environmentNumber('JOBS_RETENTION_DAYS') * 24 * HOUR,
    maxFinishedJobs: environmentNumber('MAX_FINISHED_JOBS_PER_USER'),
    auditRetentionDays: environmentNumber('AUDIT_RETENTION_DAYS'),
    maxUploadBytes: environmentNumber('MAX_UPLOAD_SIZE_MB') * MEGABYTE,
    maxBatchSize: environmentNumber('MAX_BATCH_SIZE'),
    uploadAgeMs: environmentNumber('UPLOAD_MAX_AGE_HOURS') * HOUR,
    maxUploadsPerUser: environmentNumber('MAX_UPLOADS_PER_USER'),
    concurrentJobs: environmentNumber('CONCURRENT_JOBS') || Math.max(2, availableParallelism() - 1),
    maxQueuedJobs: environmentNumber('MAX_QUEUED_JOBS'),
    maxJobMemoryMb: environmentNumber('MAX_JOB_MEMORY_MB'),
    syncWaitMs: environmentNumber('SYNC_WAIT_MS'),
    timeoutFastS: environmentNumber('JOB_TIMEOUT_FAST_S'),
    timeoutLongS: environmentNumber('JOB_TIMEOUT_LONG_S'),
    timeoutCapS: environmentNumber('PROCESSING_TIMEOUT_S'),
    rateLimitPerMin: environmentNumber('RATE_LIMIT_PER_MIN'),
    userQuotaBytes: environmentNumber('MAX_STORAGE_PER_USER_MB') * MEGABYTE,
    workspaceBytes: environmentNumber('MAX_WORKSPACE_SIZE_GB') * 1000 * MEGABYTE,
    leastFreeBytes: environmentNumber('LEAST_FREE_MB') * MEGABYTE,
    shutdownMs: environmentNumber('SHUTDOWN_TIMEOUT_S') * 1000,
    maxPipelineSteps: environmentNumber('MAX_PIPELINE_STEPS'),
    defaultLocale: environmentWord('DEFAULT_LOCALE'),
    console: environmentFlag('CONSOLE'),
    downloadAuth: environmentWord('DOWNLOAD_AUTH', ['required', 'capability']),
    urlFetchEnabled: environmentFlag('URL_FETCH_ENABLED'),
    webhooks: {
      allowHttp: environmentFlag('WEBHOOK_ALLOW_HTTP'),
      // As URLs have them.
      privateHosts: commaList(environmentText('WEBHOOK_PRIVATE_HOSTS').toLowerCase().replace(/[[\]]/g, '')),
      maxPerUser: environmentNumber('MAX_WEBHOOKS_PER_USER'),
    },
    metricsToken: environmentSecret('METRICS_TOKEN'),
    telemetry: readTelemetry(),
    maxLogoBytes: environmentNumber('MAX_LOGO_SIZE_KB') * 1000,
    features,
    hasMfa: hasFeature({ features }, 'mfa'),
    mfaIssuer: environmentWord('MFA_ISSUER'),
    encryptionKeys: {
      current: environmentSecret('DATA_ENCRYPTION_KEY'),
      previous: environmentSecret('DATA_ENCRYPTION_KEY_PREVIOUS'),
    },
    cookieSecret: environmentSecret('COOKIE_SECRET'),
    successRedirect: ownPage('AUTH_SUCCESS_REDIRECT'),
    errorRedirect: ownPage('AUTH_ERROR_REDIRECT'),
    mfaRedirectQuery: environmentFlag('MFA_REDIRECT_QUERY'),
    oidc: readOidc(),
    saml: hasFeature({ features }, 'saml_sso') ? readSaml() : undefined,
    ldap: readLdap(),
    trustedHeader: readTrustedHeader(),
    machineTokens: readMachineTokens(),
  }
}
