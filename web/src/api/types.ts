// Generated from the OpenAPI document by npm run generate:console.

export type GetConfigAuth = {
  authEnabled: boolean
  isPersonal?: boolean
  ssoEnforced?: boolean
  passkeysEnabled?: boolean
  deviceEnabled?: boolean
  oidcEnabled?: boolean
  oidcProviderName?: string | null
  oidcLoginUrl?: string
  samlEnabled?: boolean
  samlProviderName?: string | null
  samlLoginUrl?: string
}

export type GetAuthSession = {
  user: SessionUser
  expiresAt: string | null
}

export type PostAuthLogin = {
  token?: string
  user?: User
  expiresAt?: string
  requiresMfa?: true
  mfaToken?: string
  methods?: ('totp' | 'passkey')[]
  mfaRequired?: boolean
  message?: string
}

export type PostAuthMfaEnroll = {
  uri: string
  qrCode: string
  secret: string
  recoveryCodes: string[]
}

export type PostAuthDeviceLookup = {
  client: string
  address: string
  startedAt: string
  expiresAt: string
}

export type GetAuthSessions = {
  sessions: Session[]
}

export type GetAuthPasskeys = {
  passkeys: {
    id: string
    name: string
    isBackedUp: boolean
    createdAt: string
    lastUsedAt: string | null
  }[]
}

export type GetApiKeys = {
  apiKeys: ApiKey[]
}

export type PostApiKeys = NewApiKey

export type GetTools = {
  tools: ToolEntry[]
  groups: Record<string, string[]>
}

export type GetToolsPopular = {
  tools: string[]
}

export type GetToolsBySectionByToolId = ToolForm

export type GetJobs = {
  jobs: Job[]
  total: number
  limit: number
  offset: number
}

export type GetJobsByJobId = Job

export type PostAuthLogout = {
  ok: boolean
  logoutUrl?: string
}

export type GetOpenedFiles = {
  isPersonal: boolean
  files: {
    id: string
    name: string
    size: number
    mime: string
  }[]
}

export type GetPipelineList = {
  pipelines: KeptPipeline[]
}

export type GetPipelineTools = {
  toolIds: string[]
}

export type PostPipelineExplain = ExplainedPipeline

export type GetFiles = {
  files: LibraryItem[]
  total: number
  limit: number
  offset: number
}

export type GetFilesById = {
  file: LibraryItem
  versions: LibraryItem[]
}

export type GetFilesUsage = {
  usedBytes: number
  limitBytes: number | null
  teamUsedBytes: number | null
  teamLimitBytes: number | null
}

export type GetBranding = Branding

export type GetAuthUsers = {
  users: ListedUser[]
  maxUsers: number
}

export type PostAuthRegister = {
  id: string
  username: string
  role: string
  team: string
  mustChangePassword: boolean
}

export type GetAuthUsersByIdSessions = {
  sessions: Session[]
}

export type GetAdminSignInSources = {
  sources: SignInSource[]
}

export type PostEnterpriseScimToken = {
  token: string
  message: string
}

export type GetServiceAccounts = {
  serviceAccounts: ServiceAccount[]
}

export type PostServiceAccounts = ServiceAccount

export type GetServiceAccountsByIdKeys = {
  apiKeys: ApiKey[]
}

export type PostServiceAccountsByIdKeys = NewApiKey

export type GetTeams = {
  teams: Team[]
}

export type GetRoles = {
  roles: Role[]
}

export type GetAdminSettings = {
  groups: string[]
  settings: InstanceSetting[]
}

export type PutSettings = {
  ok: boolean
  updatedCount: number
  warnings?: string[]
}

export type GetFeatures = {
  bundles: Bundle[]
}

export type PostAdminFeaturesByBundleIdInstall = {
  jobId: string
  queued: boolean
}

export type GetAdminFeaturesDiskUsage = {
  totalBytes: number
  bundles: Record<string, number>
}

export type PostAdminFeaturesImport = {
  bundleId: string | null
  version: string
}

export type GetAuditLog = {
  entries: AuditEntry[]
  total: number
  page: number
  limit: number
}

export type GetAuditLogActions = {
  actions: string[]
}

export type GetAdminUsage = {
  days: number
  jobsPerDay: {
    day: string
    total: number
    completed: number
    failed: number
  }[]
  topTools: {
    toolId: string
    runs: number
  }[]
  perUser: {
    username: string | null
    runs: number
    bytesIn: number
  }[]
  durations: {
    pool: string
    p50Ms: number
    p95Ms: number
  }[]
  storage: {
    libraryBytes: number
    libraryFiles: number
  }
}

export type GetAdminHealth = {
  status: 'healthy' | 'degraded'
  version: string
  uptime: string
  database: 'ok' | 'error'
  storage: {
    mode: string
    available: number
  }
  queue: {
    active: number
    pending: number
  }
  pools: {
    jobs: {
      size: number
      active: number
      pending: number
      finished: number
      failed: number
      crashed: number
      recycled: number
      processes: {
        processId: number
        jobs: number
        isBusy: boolean
      }[]
    }
  }
  libraryStorage: string
  lastBackup: string | null
  ai: {
    gpu: boolean
    dispatcher: Record<string, unknown> | null
  }
  enterprise: {
    active: boolean
  }
  engines: Record<
    string,
    {
      available: boolean
      version: string | null
    }
  >
}

export type GetReadyz = {
  ok: boolean
  postgres: boolean
  redis: boolean
  disk: boolean
  s3: boolean
}

export type GetAdminLogLevel = {
  level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
}

export type Result = {
  jobId: string
  downloadUrl?: string
  originalSize?: number
  processedSize?: number
  warnings?: string[]
  savedFileId?: string
  [name: string]: unknown
}

export type Accepted = {
  jobId: string
  async: true
  progressJobId?: string
  artifactJobId?: string
}

export type JobEvent = SingleJobEvent | BatchJobEvent | HeartbeatEvent

export type SessionUser = {
  id: string
  username: string
  role: string
  mustChangePassword: boolean
  permissions: string[]
  teamName: string
  authProvider: 'local' | 'oidc' | 'saml' | 'scim' | 'ldap' | 'header'
  email: string | null
  hasLocalPassword: boolean
  hasOidcLink: boolean
  mfaEnabled: boolean
  loginMethod: 'local' | 'oidc' | 'saml' | 'ldap' | 'header'
}

export type User = {
  id: string
  username: string
  role: string
  mustChangePassword: boolean
  permissions: string[]
  teamName: string
}

export type Session = {
  id: string
  createdAt: string
  lastSeenAt: string
  expiresAt: string
  loginMethod: 'local' | 'oidc' | 'saml' | 'ldap' | 'header'
  ipAddress: string | null
  userAgent: string | null
  isCurrent: boolean
}

export type ApiKey = {
  id: string
  name: string
  permissions: string[]
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
  userId?: string
  username?: string
}

export type NewApiKey = {
  id: string
  name: string
  permissions: string[]
  createdAt: string
  expiresAt: string | null
  key: string
}

export type ToolEntry = {
  id: string
  section: string
  name: string
  label: string
  summary: string
  accept: string[]
  minFiles: number
  maxFiles: number
  batch: boolean
  async: boolean
  bundles: string[]
  available: boolean
  base?: string
}

export type ToolForm = {
  id: string
  section: string
  label: string
  summary: string
  base?: string
  batch: boolean
  async: boolean
  bundles: string[]
  available: boolean
  body: 'multipart' | 'json' | 'multipart|json'
  direct: boolean
  inputs: {
    accept: string[]
    minFiles: number
    maxFiles: number
    files: {
      name: string
      label: string
      help: string
      accept: string[]
      required: boolean
      requiredFor?: Record<string, unknown>
    }[]
  }
  outputs: {
    kind: 'file' | 'files' | 'report' | 'file+report' | 'files+report'
  }
  scalable: boolean
  settings: SettingRow[]
  actions: {
    id: string
    summary: string
  }[]
}

export type Job = {
  jobId: string
  artifactJobId: string
  type: 'single' | 'batch' | 'pipeline' | 'upload' | 'install'
  toolId: string | null
  status: 'queued' | 'processing' | 'completed' | 'failed' | 'canceled'
  progress: {
    percent: number
    stage?: string
  }
  createdAt: string
  startedAt: string | null
  completedAt: string | null
  expiresAt: string | null
  result: Record<string, unknown> | null
  error: {
    message: string
    code: string
    details?: unknown
  } | null
  requestId?: string
}

export type KeptPipeline = {
  id: string
  name: string
  description: string | null
  createdAt: string
  userId?: string
  steps: {
    toolId: string
    settings?: Record<string, unknown>
  }[]
}

export type ExplainedPipeline = {
  accept: string[]
  faults: {
    step: number
    message: string
    hint?: string
    setting?: string
  }[]
  ignored: {
    step: number
    setting: string
  }[]
  steps: {
    step: number
    toolId: string
    gives: string[]
    several: boolean
  }[]
  groups: {
    medium: 'image' | 'av' | 'pdf' | 'general'
    steps: number[]
    reads: 'input' | 'file'
    writes: 'output' | 'temporary file'
  }[]
  next: string[]
}

export type LibraryItem = {
  id: string
  originalName: string
  mimeType: string
  size: number
  width: number | null
  height: number | null
  version: number
  parentId: string | null
  toolChain: string[]
  createdAt: string
}

export type Branding = {
  name: string | null
  primaryColor: string | null
  accentColor: string | null
  logoUrl: string | null
}

export type ListedUser = {
  id: string
  username: string
  role: string
  team: string
  authProvider: 'local' | 'oidc' | 'saml' | 'scim' | 'ldap' | 'header'
  email: string | null
  hasLocalPassword: boolean
  hasOidcLink: boolean
  createdAt: string
  mustChangePassword: boolean
  mfaEnabled: boolean
  isService?: boolean
}

export type SignInSource = {
  kind: 'password' | 'ldap' | 'oidc' | 'saml' | 'header' | 'scim' | 'machine' | 'device'
  enabled: boolean
  name: string | null
  address: string | null
  createsUsers: boolean
  since: string | null
}

export type ServiceAccount = {
  id: string
  name: string
  role: string
  team: string
  enabled: boolean
  keyCount: number
  createdAt: string
}

export type Team = {
  id: string
  name: string
  storageQuota: number | null
  retentionHours: number | null
  memberCount: number
  createdAt: string
}

export type Role = {
  id: string
  name: string
  description: string
  permissions: string[]
  toolPermissions: {
    mode: 'category' | 'tool'
    allowed: string[]
  } | null
  isBuiltin: boolean
  userCount: number
  createdAt: string | null
  updatedAt: string | null
}

export type InstanceSetting = {
  name: string
  label: string
  help: string
  group: string
  options?: string[]
  unit?: string
  kind: 'flag' | 'number' | 'text' | 'choice' | 'list' | 'addresses'
  value: string | null
  default: string | null
  updatedAt: string | null
  isSecurity: boolean
}

export type Bundle = {
  id: string
  name: string
  description: string
  installedVersion: string | null
  estimatedSize: string
  status: 'not_installed' | 'queued' | 'installing' | 'installed' | 'error'
  downloadBytes: number | null
  installedBytes: number | null
  enablesTools: string[]
  compatibility: 'compatible' | 'incompatible'
  compatibilityReason: string | null
  progress: {
    percent: number
    stage: string
    jobId?: string
  } | null
  error: string | null
}

export type AuditEntry = {
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

export type SingleJobEvent = JobProcessingEvent | JobCompleteEvent | JobFailedEvent

export type BatchJobEvent = {
  jobId: string
  type: 'batch'
  status: 'processing' | 'completed' | 'failed'
  totalFiles: number
  completedFiles: number
  failedFiles: number
  errors: {
    filename: string
    error: string
    code?: string
    details?: string
  }[]
  currentFile?: string
  result?: Record<string, unknown>
}

export type HeartbeatEvent = {
  type: 'heartbeat'
}

export type SettingRow = {
  name: string
  label: string
  help: string
  group?: string
  unit?: string
  deprecated?: string
  tool?: string
  type: 'integer' | 'number' | 'string' | 'boolean' | 'enum' | 'color' | 'array' | 'object'
  min?: number
  max?: number
  exclusiveMin?: number
  minLength?: number
  maxLength?: number
  default?: unknown
  example?: unknown
  enum?: (string | number)[]
  when?: Record<string, unknown>
  needed?: boolean
  required?: boolean
  secret?: boolean
  filledByTool?: boolean
  listed?: boolean
  scales?: false
  grammar?: 'page-range' | 'page-list' | 'page-numbers' | 'page-area' | 'corners' | 'seconds'
  transparent?: boolean
  alpha?: boolean
  otherwise?: string
  items?: SettingRow
  fields?: SettingRow[]
}

export type JobProcessingEvent = {
  jobId: string
  type: 'single'
  phase: 'processing'
  percent: number
  stage?: string
}

export type JobCompleteEvent = {
  jobId: string
  type: 'single'
  phase: 'complete'
  percent: number
  result: Record<string, unknown> | null
}

export type JobFailedEvent = {
  jobId: string
  type: 'single'
  phase: 'failed'
  percent: number
  error: string
  code: string
  details?: string
}
