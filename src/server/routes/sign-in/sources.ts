import type { FastifyInstance } from 'fastify'
import { SCIM_TOKEN_SETTING } from '../../../accounts/scim/token.ts'
import type { ServerContext } from '../../context.ts'
import { hasFeature } from '../../instance/features.ts'
import { operation } from '../../openapi/operations.ts'
import { exactly, listOf, the } from '../../openapi/shapes.ts'
import { offersDevice } from '../../sign-in/device.ts'
import { isSsoEnforced } from '../../sign-in/sso.ts'

/** Where accounts come from, for those who manage users. Contains addresses and names, and no secrets. */
export async function signInSourceRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { config, store } = context
  const none = { enabled: false, name: null, address: null, createsUsers: false, since: null }
  app.get(
    '/api/v1/admin/sign-in-sources',
    {
      config: { access: 'users:manage' },
      ...operation('account', 'Where accounts come from: passwords, directories, providers', {
        answer: exactly({ sources: listOf(the('SignInSource')) }),
      }),
    },
    async () => {
      const { oidc, saml, ldap, trustedHeader, machineTokens } = config
      const token = hasFeature(config, 'scim') ? await store.settings.get(SCIM_TOKEN_SETTING) : undefined
      const found = [
        { kind: 'password', ...(config.authEnabled && !(await isSsoEnforced(context)) && { enabled: true }) },
        { kind: 'ldap', ...(ldap && { enabled: true, address: ldap.url, createsUsers: ldap.rules.autoCreate }) },
        {
          kind: 'oidc',
          ...(oidc && {
            ...{ enabled: true, name: oidc.providerName, address: oidc.issuer, createsUsers: oidc.rules.autoCreate },
          }),
        },
        {
          kind: 'saml',
          ...(saml && { enabled: true, name: saml.providerName, createsUsers: saml.rules.autoCreate }),
        },
        {
          kind: 'header',
          ...(trustedHeader && {
            ...{ enabled: true, name: trustedHeader.userHeader, createsUsers: trustedHeader.rules.autoCreate },
          }),
        },
        { kind: 'scim', ...(token && { enabled: true, createsUsers: true, since: token.updatedAt }) },
        {
          kind: 'machine',
          ...(machineTokens && {
            ...{ enabled: true, name: machineTokens.rules.map(({ issuer }) => issuer).join(', ') },
          }),
        },
        { kind: 'device', enabled: await offersDevice(context) },
      ]
      return { sources: found.map((source) => ({ ...none, ...source })) }
    },
  )
}
