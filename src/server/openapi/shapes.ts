import type { JsonSchema } from '../../tool/json-schema.ts'
import { TEXT_GRAMMARS } from '../../tool/settings.ts'

const text: JsonSchema = { type: 'string' }
const flag: JsonSchema = { type: 'boolean' }
const count: JsonSchema = { type: 'integer' }
const moment: JsonSchema = { type: 'string', format: 'date-time' }
const object: JsonSchema = { type: 'object', additionalProperties: true }
const textOrNull: JsonSchema = { type: ['string', 'null'] }
const countOrNull: JsonSchema = { type: ['integer', 'null'] }
const momentOrNull: JsonSchema = { type: ['string', 'null'], format: 'date-time' }

/** An object with exactly these properties; all are required except those listed as optional. */
export function exactly(properties: Record<string, JsonSchema>, absent: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !absent.includes(name))
  return { type: 'object', required, properties, additionalProperties: false }
}

export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
/** Reference to a shared schema. */
export const the = (name: string): JsonSchema => ({ $ref: `${name}#` })
/** One page of a list, with the total length. */
export const pageOf = (name: string, items: JsonSchema): JsonSchema =>
  exactly({ [name]: listOf(items), total: count, limit: count, offset: count })

/** Response without data. */
export const DONE = exactly({ ok: { type: 'boolean', const: true } })

const USER = {
  id: text,
  username: text,
  role: text,
  mustChangePassword: flag,
  permissions: listOf(text),
  teamName: text,
}
const SIGN_IN = { authProvider: { enum: ['local', 'oidc', 'saml', 'scim', 'ldap', 'header'] }, email: textOrNull }
const LINKS = { hasLocalPassword: flag, hasOidcLink: flag }
const KEY = { id: text, name: text, permissions: listOf(text), createdAt: moment, expiresAt: momentOrNull }

/** The tools that a role includes; null for all. */
export const TOOL_PERMISSIONS: JsonSchema = {
  type: ['object', 'null'],
  required: ['mode', 'allowed'],
  properties: { mode: { enum: ['category', 'tool'] }, allowed: listOf({ type: 'string', maxLength: 100 }) },
  additionalProperties: false,
}

const BOX = exactly(
  {
    id: text,
    ...Object.fromEntries(['x', 'y', 'width', 'height'].map((name) => [name, { type: 'number' }])),
    defaultText: text,
  },
  ['defaultText'],
)

/** The records of the API by name: generated clients get a type for each. */
const RECORDS: Record<string, [description: string, schema: JsonSchema]> = {
  Upload: [
    'A resumable upload',
    exactly(
      {
        ...{ uploadId: text, name: text, size: count, offset: count, createdAt: moment, expiresAt: momentOrNull },
        sha256: text,
      },
      ['sha256'],
    ),
  ],
  LibraryItem: [
    'A version of a file that is kept',
    exactly({
      ...{ id: text, originalName: text, mimeType: text, size: count, width: countOrNull, height: countOrNull },
      ...{ version: count, parentId: textOrNull, toolChain: listOf(text), createdAt: moment },
    }),
  ],
  User: ['A user account', exactly(USER)],
  SessionUser: [
    'The signed-in user, and the way of signing in',
    exactly({
      ...USER,
      ...SIGN_IN,
      ...LINKS,
      mfaEnabled: flag,
      loginMethod: { enum: ['local', 'oidc', 'saml', 'ldap', 'header'] },
    }),
  ],
  ListedUser: [
    'A user as administrators see them',
    exactly(
      {
        ...{ id: text, username: text, role: text, team: text, ...SIGN_IN, ...LINKS },
        ...{ createdAt: moment, mustChangePassword: flag, mfaEnabled: flag, isService: flag },
      },
      ['isService'],
    ),
  ],
  ServiceAccount: [
    'The account of a program, which has API keys and cannot sign in',
    exactly({ id: text, name: text, role: text, team: text, enabled: flag, keyCount: count, createdAt: moment }),
  ],
  Branding: [
    'Branding of the server; null where nothing is set',
    exactly({ name: textOrNull, primaryColor: textOrNull, accentColor: textOrNull, logoUrl: textOrNull }),
  ],
  Session: [
    'A sign-in session',
    exactly({
      ...{ id: text, createdAt: moment, lastSeenAt: moment, expiresAt: moment },
      ...{
        loginMethod: { enum: ['local', 'oidc', 'saml', 'ldap', 'header'] },
        ipAddress: textOrNull,
        userAgent: textOrNull,
      },
      isCurrent: flag,
    }),
  ],
  Role: [
    'A role with its permissions and tools',
    exactly({
      ...{ id: text, name: text, description: text, permissions: listOf(text), toolPermissions: TOOL_PERMISSIONS },
      ...{ isBuiltin: flag, userCount: count, createdAt: momentOrNull, updatedAt: momentOrNull },
    }),
  ],
  Team: [
    'Users who share a quota',
    exactly({
      ...{ id: text, name: text, storageQuota: countOrNull, retentionHours: countOrNull },
      ...{ memberCount: count, createdAt: moment },
    }),
  ],
  ApiKey: [
    'An API key, without the key',
    exactly({ ...KEY, lastUsedAt: momentOrNull, userId: text, username: text }, ['userId', 'username']),
  ],
  NewApiKey: ['An API key; the key is shown this once', exactly({ ...KEY, key: text })],
  Job: [
    'Where a job is',
    exactly(
      {
        ...{ jobId: text, artifactJobId: text, type: { enum: ['single', 'batch', 'pipeline', 'upload', 'install'] } },
        ...{ toolId: textOrNull, status: { enum: ['queued', 'processing', 'completed', 'failed', 'canceled'] } },
        progress: exactly({ percent: { type: 'number' }, stage: text }, ['stage']),
        ...{ createdAt: moment, startedAt: momentOrNull, completedAt: momentOrNull, expiresAt: momentOrNull },
        result: { type: ['object', 'null'], additionalProperties: true },
        error: {
          type: ['object', 'null'],
          required: ['message', 'code'],
          properties: { message: text, code: text, details: {} },
          additionalProperties: false,
        },
        requestId: { ...text, description: 'X-Request-Id of the request that submitted the job' },
      },
      ['requestId'],
    ),
  ],
  KeptPipeline: [
    'A pipeline that is kept',
    exactly(
      {
        ...{ id: text, name: text, description: textOrNull, createdAt: moment, userId: text },
        steps: listOf(exactly({ toolId: text, settings: object }, ['settings'])),
      },
      ['userId'],
    ),
  ],
  ExplainedPipeline: [
    'What a pipeline would do, and what prevents it from running',
    exactly({
      accept: { ...listOf(text), description: 'groups and extensions of the files that it takes' },
      faults: {
        ...listOf(exactly({ step: count, message: text, hint: text, setting: text }, ['hint', 'setting'])),
        description: 'by step, from 1',
      },
      ignored: {
        ...listOf(exactly({ step: count, setting: text })),
        description: 'settings without an effect: the tool does not know them, or they name files',
      },
      steps: {
        ...listOf(exactly({ step: count, toolId: text, gives: listOf(text), several: flag })),
        description: 'the results of the steps, as groups and extensions; empty if there are faults',
      },
      groups: {
        ...listOf(
          exactly({
            ...{ medium: { enum: ['image', 'av', 'pdf', 'general'] }, steps: listOf(count) },
            ...{ reads: { enum: ['input', 'file'] }, writes: { enum: ['output', 'temporary file'] } },
          }),
        ),
        description: 'steps that run as one, between two files; empty if there are faults',
      },
      next: { ...listOf(text), description: 'ids of the tools that take the result; empty if there are faults' },
    }),
  ],
  ToolEntry: [
    'A tool or preset',
    exactly(
      {
        ...{ id: text, section: text, name: text, label: text, summary: text, accept: listOf(text), minFiles: count },
        ...{ maxFiles: count, batch: flag, async: flag, bundles: listOf(text), available: flag, base: text },
      },
      ['base'],
    ),
  ],
  SettingRow: [
    'A row of a settings table: type, range and default of one setting, with its label',
    {
      type: 'object',
      required: ['name', 'type', 'help', 'label'],
      properties: {
        ...{ name: text, label: text, help: text, group: text, unit: text, deprecated: text, tool: text },
        type: { enum: ['integer', 'number', 'string', 'boolean', 'enum', 'color', 'array', 'object'] },
        ...{ min: { type: 'number' }, max: { type: 'number' }, exclusiveMin: { type: 'number' } },
        ...{ minLength: count, maxLength: count, default: {}, example: {} },
        enum: listOf({ type: ['string', 'number'] }),
        when: {
          ...object,
          description: 'values of other settings for which the row has an effect; a list is any of them',
        },
        ...{ needed: flag, required: flag, secret: flag, filledByTool: flag, listed: flag },
        scales: { const: false },
        grammar: { enum: [...TEXT_GRAMMARS], description: 'what a text is written in' },
        ...{
          transparent: flag,
          alpha: flag,
          otherwise: text,
          items: the('SettingRow'),
          fields: listOf(the('SettingRow')),
        },
      },
    },
  ],
  ToolForm: [
    'A tool or preset with what a form needs',
    exactly(
      {
        ...{ id: text, section: text, label: text, summary: text, base: text, batch: flag, async: flag },
        ...{ bundles: listOf(text), available: flag, body: { enum: ['multipart', 'json', 'multipart|json'] } },
        direct: { ...flag, description: 'whether the tool has a route of its own, besides those of its actions' },
        inputs: exactly({
          ...{ accept: listOf(text), minFiles: count, maxFiles: count },
          files: listOf(
            exactly(
              { name: text, label: text, help: text, accept: listOf(text), required: flag, requiredFor: object },
              ['requiredFor'],
            ),
          ),
        }),
        outputs: exactly({ kind: { enum: ['file', 'files', 'report', 'file+report', 'files+report'] } }),
        scalable: {
          ...flag,
          description:
            'whether a small copy of a picture shows the effect, if settings in pixels are scaled with it and those with "scales": false have their defaults',
        },
        settings: listOf(the('SettingRow')),
        actions: listOf(exactly({ id: text, summary: text })),
      },
      ['base'],
    ),
  ],
  Bundle: [
    'Models that belong together',
    exactly({
      ...{ id: text, name: text, description: text, installedVersion: textOrNull, estimatedSize: text },
      status: { enum: ['not_installed', 'queued', 'installing', 'installed', 'error'] },
      ...{ downloadBytes: countOrNull, installedBytes: countOrNull, enablesTools: listOf(text) },
      ...{ compatibility: { enum: ['compatible', 'incompatible'] }, compatibilityReason: textOrNull },
      progress: {
        type: ['object', 'null'],
        required: ['percent', 'stage'],
        properties: {
          ...{ percent: { type: 'number' }, stage: text },
          jobId: { ...text, description: 'of the install, for those who manage bundles' },
        },
      },
      error: textOrNull,
    }),
  ],
  InstanceSetting: [
    'A setting of the server, with what a form needs',
    exactly(
      {
        ...{ name: text, label: text, help: text, group: text, options: listOf(text), unit: text },
        kind: { enum: ['flag', 'number', 'text', 'choice', 'list', 'addresses'] },
        value: { ...textOrNull, description: 'as text; null: not set' },
        default: { ...textOrNull, description: 'the value while it is not set' },
        ...{ updatedAt: momentOrNull, isSecurity: flag },
      },
      ['options', 'unit'],
    ),
  ],
  SignInSource: [
    'A source of accounts',
    exactly({
      kind: { enum: ['password', 'ldap', 'oidc', 'saml', 'header', 'scim', 'machine', 'device'] },
      ...{ enabled: flag, name: textOrNull, address: textOrNull, createsUsers: flag },
      since: { ...momentOrNull, description: 'when its token was made' },
    }),
  ],
  AuditEntry: [
    'Who did what',
    exactly({
      ...{ id: text, actorId: textOrNull, actorUsername: textOrNull, action: text, targetType: textOrNull },
      ...{ targetId: textOrNull, details: { type: ['object', 'null'], additionalProperties: true } },
      ...{ ipAddress: textOrNull, createdAt: moment },
    }),
  ],
  MemeTemplate: [
    'A picture with places for captions',
    exactly({
      ...{ id: text, name: text, aliases: listOf(text), tags: listOf(text), category: text, filename: text },
      ...{ width: count, height: count, popularity: { type: 'number' }, textBoxes: listOf(BOX) },
    }),
  ],
  FetchedFile: [
    'The file downloaded from a URL, or the reason of the failure',
    exactly(
      {
        ...{ success: flag, url: text, error: text, filename: text, contentType: text, size: count },
        ...{ width: countOrNull, height: countOrNull, downloadUrl: text, previewUrl: textOrNull },
      },
      ['error', 'filename', 'contentType', 'size', 'width', 'height', 'downloadUrl', 'previewUrl'],
    ),
  ],
}

export const RECORD_SCHEMAS: readonly JsonSchema[] = Object.entries(RECORDS).map(([name, [description, schema]]) => ({
  $id: name,
  description,
  ...schema,
}))

const PROCESS = exactly({ processId: count, jobs: count, isBusy: flag })
const POOL = exactly({
  ...Object.fromEntries(
    ['size', 'active', 'pending', 'finished', 'failed', 'crashed', 'recycled'].map((name) => [name, count]),
  ),
  processes: listOf(PROCESS),
})

/** GET /api/v1/admin/health */
export const INSTANCE_STATE = exactly({
  ...{ status: { enum: ['healthy', 'degraded'] }, version: text, uptime: text, database: { enum: ['ok', 'error'] } },
  storage: exactly({ mode: text, available: count }),
  queue: exactly({ active: count, pending: count }),
  pools: exactly({ jobs: POOL }),
  ...{ libraryStorage: text, lastBackup: momentOrNull },
  ai: exactly({ gpu: flag, dispatcher: { type: ['object', 'null'], additionalProperties: true } }),
  enterprise: exactly({ active: flag }),
  engines: {
    type: 'object',
    additionalProperties: exactly({ available: flag, version: textOrNull }),
    description: 'by their names',
  },
})

/** GET /api/v1/admin/usage */
export const USAGE = exactly({
  days: count,
  jobsPerDay: listOf(exactly({ day: text, total: count, completed: count, failed: count })),
  topTools: listOf(exactly({ toolId: text, runs: count })),
  perUser: listOf(exactly({ username: textOrNull, runs: count, bytesIn: count })),
  durations: listOf(exactly({ pool: text, p50Ms: { type: 'number' }, p95Ms: { type: 'number' } })),
  storage: exactly({ libraryBytes: count, libraryFiles: count }),
})

export { count, countOrNull, flag, moment, momentOrNull, object, text, textOrNull }
