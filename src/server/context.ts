import type { FastifyBaseLogger } from 'fastify'
import type { Caller } from '../accounts/caller.ts'
import type { AccountsContext } from '../accounts/context.ts'
import type { Permission } from '../accounts/directory/permissions.ts'
import type { ToolIdentity } from '../accounts/directory/tool-permissions.ts'
import type { Span, Telemetry } from '../engines/telemetry/telemetry.ts'
import type { Pool } from '../pool/pool.ts'
import type { SessionRecord } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import type { ServerConfig } from './config.ts'
import type { FeatureInstaller } from './features/installer.ts'
import type { Metrics } from './instance/metrics.ts'
import type { InstanceSettings } from './instance/settings.ts'
import type { JobService } from './jobs/service.ts'
import type { LibraryQuota } from './library/quota.ts'
import type { WebhookDispatcher } from './webhooks/dispatcher.ts'

/** Services shared by the routes. */
export interface ServerContext {
  config: ServerConfig
  store: Store
  accounts: AccountsContext
  jobs: JobService
  features: FeatureInstaller
  pool: Pool
  metrics: Metrics
  quota: LibraryQuota
  settings: InstanceSettings
  webhooks: WebhookDispatcher
  log: FastifyBaseLogger
  /** Undefined if nothing is traced. */
  telemetry: Telemetry | undefined
  /** URL that also ends the session at the provider, by sign-in method; from the hint that the session stores. */
  readonly signOutUrls: Partial<
    Record<SessionRecord['loginMethod'], (hint: string | undefined) => Promise<string | undefined>>
  >
  /** Set while the server refuses new work. */
  shutdown: { begun: boolean }
}

/** Who may call a route: everyone, any credential, a session (no API key), the provider of users (SCIM), or holders of a permission. */
export type Access = 'public' | 'auth' | 'session' | 'scim' | Permission

declare module 'fastify' {
  interface FastifyInstance {
    /** Name of the session cookie. */
    sessionCookie: string
  }
  interface FastifyRequest {
    /** Set by the guard on every route that is not public. */
    caller: Caller
    /** The span of the request, if it is traced. */
    span: Span | undefined
    /** Name of the workspace folder created for this request; removed when no job takes it over. */
    workFolder: string | undefined
  }
  interface FastifyContextConfig {
    /** Required on every API route: the server does not start with a route that lacks it. */
    access?: Access
    /** The tool of this route: subject to the setting `disabledTools` and to the tools of the caller's role. */
    tool?: ToolIdentity
    /** Alternative credential for the route, checked against the Authorization header. */
    withToken?: (authorization: string | undefined) => boolean
    /**
     * Schema that only documents the route; Fastify does not validate with it. Built on demand, because building it for
     * hundreds of tools would delay the start.
     */
    describes?: () => FastifySchema
    /** Accepts a form as well, although the schema of its body describes JSON. */
    takesForms?: boolean
    /** Reports failed validation as a list of paths and messages. */
    detailsAsList?: boolean
    /** Most values in a JSON body, where fewer than usual are. */
    maxJsonValues?: number
    /** Allowed for users who must set up a second factor first. */
    withEnrolment?: boolean
    /** Changes something that outlives a session: requires a recent sign-in or confirmation. */
    needsProof?: boolean
    /** May use the space reserved for a full disk, like every deletion. */
    onFullDisk?: boolean
    /** Exempt from the setting `ipAllowList`, for monitoring. */
    fromAnywhere?: boolean
    /** Allowed for users who must change their password first. */
    withOldPassword?: boolean
  }
}
