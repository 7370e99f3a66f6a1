import type { FastifyInstance } from 'fastify'
import { packageVersion } from '../../root.ts'
import type { ServerContext } from '../context.ts'
import { operation } from '../openapi/operations.ts'
import { exactly, flag, text, textOrNull } from '../openapi/shapes.ts'
import { offersDevice } from '../sign-in/device.ts'
import { hasRelyingParty } from '../sign-in/relying-party.ts'
import { isSsoEnforced } from '../sign-in/sso.ts'
import { hasRoom } from '../uploads/work-folder.ts'

const READINESS = exactly({ ok: flag, postgres: flag, redis: flag, disk: flag, s3: flag })

/** Addresses for single sign-on. */
const PROVIDERS = {
  ...{ oidcEnabled: flag, oidcProviderName: textOrNull, oidcLoginUrl: text },
  ...{ samlEnabled: flag, samlProviderName: textOrNull, samlLoginUrl: text },
}

/** Public routes: liveness, readiness and sign-in options. */
export async function healthRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { config, store, settings, shutdown } = context
  const version = packageVersion()
  const open = { access: 'public' as const }
  const watched = { ...open, fromAnywhere: true }
  app.get(
    '/api/v1/health',
    {
      config: watched,
      ...operation('instance', 'Whether the server lives', { answer: exactly({ status: text, version: text }) }),
    },
    async (_request, reply) =>
      (await store.ping())
        ? { status: 'healthy', version }
        : reply.code(503).send({
            ...{ status: 'unhealthy', version },
            ...(config.database
              ? { error: 'The database or the data folder cannot be written', code: 'STORE_UNAVAILABLE' }
              : { error: 'The data folder cannot be written', code: 'DISK_LOW' }),
          }),
  )
  app.get(
    '/api/v1/readyz',
    {
      config: watched,
      ...operation('instance', 'Whether the server should get traffic', {
        answer: READINESS,
        unready: READINESS,
      }),
    },
    async (_request, reply) => {
      const isWritable = await store.ping()
      const disk = (await hasRoom(config.workspaceFolder, config)) && (await hasRoom(config.libraryFolder, config))
      // The contract defines the names: with one server, the database and the queue are files, and there is no object
      // store. Until all job records are loaded, lists are incomplete and interrupted jobs wait.
      const postgres = isWritable && store.jobs.isComplete
      const parts = await store.health?.()
      const state = { postgres, redis: !shutdown.begun, disk, s3: true, ...parts }
      const ok = postgres && disk && !shutdown.begun && state.redis && state.s3
      return reply.code(ok ? 200 : 503).send({ ok, ...state })
    },
  )
  app.get(
    '/api/v1/config/auth',
    {
      config: open,
      ...operation('account', 'Whether signing in is needed', {
        answer: exactly(
          {
            authEnabled: flag,
            isPersonal: flag,
            ssoEnforced: flag,
            passkeysEnabled: flag,
            deviceEnabled: flag,
            ...PROVIDERS,
          },
          ['isPersonal', 'ssoEnforced', 'passkeysEnabled', 'deviceEnabled', ...Object.keys(PROVIDERS)],
        ),
      }),
    },
    async (request) => ({
      authEnabled: config.authEnabled,
      // The server of `mediaproc open`.
      ...(config.personal && { isPersonal: true }),
      ...(config.authEnabled && {
        ...(config.oidc && {
          ...{ oidcEnabled: true, oidcProviderName: config.oidc.providerName },
          oidcLoginUrl: '/api/auth/oidc/login',
        }),
        ...(config.saml && {
          ...{ samlEnabled: true, samlProviderName: config.saml.providerName },
          samlLoginUrl: '/api/auth/saml/login',
        }),
        ...(config.hasMfa && hasRelyingParty(config, request) && { passkeysEnabled: true }),
        deviceEnabled: await offersDevice(context),
        ssoEnforced: await isSsoEnforced(context),
      }),
    }),
  )
  app.get(
    '/api/v1/config/locale',
    {
      config: open,
      ...operation('instance', 'The language of the instance', { answer: exactly({ defaultLocale: text }) }),
    },
    async () => ({
      defaultLocale: (await settings.text('defaultLocale')) ?? config.defaultLocale,
    }),
  )
  app.get(
    '/api/v1/config/analytics',
    {
      config: open,
      ...operation('instance', 'Nothing is ever sent anywhere', {
        answer: exactly({ enabled: flag, apiKey: text, host: text }),
      }),
    },
    async () => ({ enabled: false, apiKey: '', host: '' }),
  )
}
