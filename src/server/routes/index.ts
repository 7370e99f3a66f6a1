import type { FastifyInstance } from 'fastify'
import type { ServerContext } from '../context.ts'
import { adminRoutes } from './admin.ts'
import { auditRoutes } from './audit.ts'
import { batchRoutes } from './batch.ts'
import { brandingRoutes } from './branding.ts'
import { consoleRoutes } from './console.ts'
import { downloadRoutes } from './download.ts'
import { featureRoutes } from './features.ts'
import { fetchUrlRoutes } from './fetch-urls.ts'
import { healthRoutes } from './health.ts'
import { jobRoutes } from './jobs.ts'
import { libraryListRoutes } from './kept/library.ts'
import { keptPipelineRoutes } from './kept/pipelines.ts'
import { libraryRoutes } from './library.ts'
import { linkRoutes } from './links.ts'
import { mcpRoutes } from './mcp.ts'
import { memeRoutes } from './memes.ts'
import { openedFileRoutes } from './opened-files.ts'
import { pipelineRoutes } from './pipelines.ts'
import { roleRoutes } from './roles.ts'
import { scimRoutes } from './scim/index.ts'
import { settingTableRoutes } from './setting-table.ts'
import { settingsRoutes } from './settings.ts'
import { apiKeyRoutes } from './sign-in/api-keys.ts'
import { deviceRoutes } from './sign-in/device.ts'
import { machineTokenRoutes } from './sign-in/machine-token.ts'
import { mfaRoutes } from './sign-in/mfa.ts'
import { oidcRoutes } from './sign-in/oidc.ts'
import { passkeySignInRoutes } from './sign-in/passkey-sign-in.ts'
import { passkeyRoutes } from './sign-in/passkeys.ts'
import { samlRoutes } from './sign-in/saml.ts'
import { serviceAccountRoutes } from './sign-in/service-accounts.ts'
import { sessionRoutes } from './sign-in/session.ts'
import { sessionListRoutes } from './sign-in/sessions.ts'
import { signInSourceRoutes } from './sign-in/sources.ts'
import { trustedHeaderRoutes } from './sign-in/trusted-header.ts'
import { teamRoutes } from './teams.ts'
import { toolDetailRoutes } from './tool-detail.ts'
import { toolListRoutes } from './tool-list.ts'
import { toolRoutes } from './tools.ts'
import { resumableUploadRoutes } from './uploads/resumable.ts'
import { uploadRoutes } from './uploads/workspace.ts'
import { userRoutes } from './users.ts'
import { deliveryRoutes } from './webhooks/deliveries.ts'
import { webhookSecretRoutes } from './webhooks/secrets.ts'
import { webhookRoutes } from './webhooks/webhooks.ts'

/** All routes by area. To add an area, add a file and a row. */
const AREAS = [
  healthRoutes,
  sessionRoutes,
  sessionListRoutes,
  mfaRoutes,
  passkeyRoutes,
  passkeySignInRoutes,
  oidcRoutes,
  samlRoutes,
  trustedHeaderRoutes,
  machineTokenRoutes,
  deviceRoutes,
  userRoutes,
  roleRoutes,
  teamRoutes,
  apiKeyRoutes,
  serviceAccountRoutes,
  scimRoutes,
  signInSourceRoutes,
  toolListRoutes,
  toolDetailRoutes,
  toolRoutes,
  batchRoutes,
  pipelineRoutes,
  keptPipelineRoutes,
  jobRoutes,
  downloadRoutes,
  linkRoutes,
  uploadRoutes,
  resumableUploadRoutes,
  fetchUrlRoutes,
  libraryListRoutes,
  libraryRoutes,
  webhookRoutes,
  webhookSecretRoutes,
  deliveryRoutes,
  memeRoutes,
  mcpRoutes,
  settingsRoutes,
  settingTableRoutes,
  brandingRoutes,
  auditRoutes,
  featureRoutes,
  adminRoutes,
  openedFileRoutes,
  consoleRoutes,
]

/** Those of a process that only runs jobs. */
const OF_WORKERS = [healthRoutes, adminRoutes]

export async function addRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  for (const area of context.config.role === 'worker' ? OF_WORKERS : AREAS) await area(app, context)
}
