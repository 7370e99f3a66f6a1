import type { FastifyInstance } from 'fastify'
import type { ServerContext } from '../context.ts'
import { adminRoutes } from './admin.ts'
import { auditRoutes } from './audit.ts'
import { batchRoutes } from './batch.ts'
import { brandingRoutes } from './branding.ts'
import { downloadRoutes } from './download.ts'
import { featureRoutes } from './features.ts'
import { fetchUrlRoutes } from './fetch-urls.ts'
import { healthRoutes } from './health.ts'
import { jobRoutes } from './jobs.ts'
import { libraryRoutes } from './library.ts'
import { linkRoutes } from './links.ts'
import { memeRoutes } from './memes.ts'
import { pageRoutes } from './pages.ts'
import { pipelineRoutes } from './pipelines.ts'
import { roleRoutes } from './roles.ts'
import { scimRoutes } from './scim/index.ts'
import { settingsRoutes } from './settings.ts'
import { apiKeyRoutes } from './sign-in/api-keys.ts'
import { machineTokenRoutes } from './sign-in/machine-token.ts'
import { mfaRoutes } from './sign-in/mfa.ts'
import { oidcRoutes } from './sign-in/oidc.ts'
import { passkeySignInRoutes } from './sign-in/passkey-sign-in.ts'
import { passkeyRoutes } from './sign-in/passkeys.ts'
import { samlRoutes } from './sign-in/saml.ts'
import { serviceAccountRoutes } from './sign-in/service-accounts.ts'
import { sessionRoutes } from './sign-in/session.ts'
import { sessionListRoutes } from './sign-in/sessions.ts'
import { trustedHeaderRoutes } from './sign-in/trusted-header.ts'
import { teamRoutes } from './teams.ts'
import { toolListRoutes } from './tool-list.ts'
import { toolRoutes } from './tools.ts'
import { uploadRoutes } from './uploads.ts'
import { userRoutes } from './users.ts'

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
  userRoutes,
  roleRoutes,
  teamRoutes,
  apiKeyRoutes,
  serviceAccountRoutes,
  scimRoutes,
  toolListRoutes,
  toolRoutes,
  batchRoutes,
  pipelineRoutes,
  jobRoutes,
  downloadRoutes,
  linkRoutes,
  uploadRoutes,
  fetchUrlRoutes,
  libraryRoutes,
  memeRoutes,
  settingsRoutes,
  brandingRoutes,
  auditRoutes,
  featureRoutes,
  adminRoutes,
  pageRoutes,
]

export async function addRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  for (const area of AREAS) await area(app, context)
}
