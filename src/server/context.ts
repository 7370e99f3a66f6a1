import type { FastifyBaseLogger } from 'fastify'
import type { Caller } from '../accounts/caller.ts'
import type { AccountsContext } from '../accounts/context.ts'
import type { Permission } from '../accounts/directory/permissions.ts'
import type { ToolIdentity } from '../accounts/directory/tool-permissions.ts'
import type { Pool } from '../pool/pool.ts'
import type { Store } from '../store/store.ts'
import type { ServerConfig } from './config.ts'
import type { FeatureInstaller } from './features/installer.ts'
import type { Metrics } from './instance/metrics.ts'
import type { InstanceSettings } from './instance/settings.ts'
import type { JobService } from './jobs/service.ts'
import type { LibraryQuota } from './library/quota.ts'

/** What the routes share. */
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
  log: FastifyBaseLogger
  /** Where the browser signs out of the OpenID provider, too; set where there is one. */
  signOutUrl?: (idToken: string | undefined) => Promise<string | undefined>
  /** Set while the server takes no more work. */
  shutdown: { begun: boolean }
}

/** Who may call a route: everybody, anyone with a credential, only a session (no API key), or holders of a permission. */
export type Access = 'public' | 'auth' | 'session' | Permission

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard on every route that is not public. */
    caller: Caller
    /** The name of a folder in the workspace that was made for this request; removed when no job took it over. */
    workFolder: string | undefined
  }
  interface FastifyContextConfig {
    /** Required on every route of the API: a route without it is refused at the start. */
    access?: Access
    /** The tool behind the route: switched off by the setting `disabledTools`, and for roles that do not include it. */
    tool?: ToolIdentity
    /** Another credential that opens the route, judged by the Authorization header. */
    withToken?: (authorization: string | undefined) => boolean
    /**
     * What the route says of itself, where Fastify checks nothing by it: made when somebody asks. Of hundreds of tools it
     * would keep the start.
     */
    describes?: () => FastifySchema
    /** Takes a form, too, where the schema of its body says JSON. */
    takesForms?: boolean
    /** Failed validation is answered as a list of path and message. */
    detailsAsList?: boolean
    /** Answered also to users who must set up a second factor before anything else. */
    withEnrolment?: boolean
    /** Changes what outlives a session: the sign-in or a confirmation must be of a short while ago. */
    needsProof?: boolean
    /** May use the room that is kept for a full disk; so may every deletion. */
    onFullDisk?: boolean
    /** Answered also to addresses that are not in the setting `ipAllowList`: for what watches the server. */
    fromAnywhere?: boolean
    /** Answered to users who must change their password first. */
    withOldPassword?: boolean
  }
}
