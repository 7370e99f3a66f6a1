import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'
import { afterEveryFile } from './clean-up.ts'

export const CLIENT = { client_id: 'mediaproc', client_secret: 'the-secret-of-the-client' }

const LOGOUT = '/announce-logout'

export type Claims = Record<string, unknown>
type Tokens = Record<string, unknown>

/** A real OpenID provider (the package oidc-provider) on its own port, with a sign-in page. */
export interface TestProvider {
  issuer: string
  /** Its claims about users, by their ids. */
  users: Map<string, Claims>
  /** The key that signs its tokens. */
  key: { private: CryptoKey; jwk: JWK }
  /** Changes the response of the token endpoint, as an attacker in its place would. */
  tamper: ((tokens: Tokens) => Promise<Tokens> | Tokens) | undefined
  /** Rotates its keys: the old ones are not published any more. */
  rotate(): Promise<void>
  /** Where it announces the end of sessions. */
  logoutUri: string | undefined
  /** Requests that it received, by method and path. */
  requests: string[]
  stop(): void
}

const servers = new Set<Server>()
afterEveryFile(() => {
  for (const server of servers) server.close().closeAllConnections()
  servers.clear()
})

async function newKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' }
  return { private: privateKey as CryptoKey, jwk, public: publicKey }
}

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return new URLSearchParams(Buffer.concat(chunks).toString())
}

export async function startProvider(redirectUri: string): Promise<TestProvider> {
  const users = new Map<string, Claims>()
  let provider: Provider
  let callback: (request: IncomingMessage, response: ServerResponse) => unknown
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.add(server)
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let count = 0
  const test: TestProvider = {
    ...{ issuer, users, key: await newKey('key-0'), tamper: undefined, logoutUri: undefined, requests: [] },
    async rotate() {
      count += 1
      test.key = await newKey(`key-${count}`)
      renew()
    },
    stop: () => server.close().closeAllConnections(),
  }

  /** The sign-in page and its form. */
  async function interaction(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      const { uid } = await provider.interactionDetails(request, response)
      // Browsers do not detect a form as HTML.
      response.setHeader('content-type', 'text/html')
      response.end(`<form method="post" action="/interaction/${uid}"><input name="login"></form>`)
      return
    }
    const login = (await bodyOf(request)).get('login')
    const result = login ? { login: { accountId: login } } : { error: 'access_denied' }
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
  }

  /** Forwards the provider's own message to the server under test, whose address is known later than the provider's. */
  async function announce(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await fetch(test.logoutUri!, { method: 'POST', body: await bodyOf(request) })
    response.writeHead(answer.status).end()
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    test.requests.push(`${request.method} ${request.url!.split('?')[0]}`)
    if (request.url!.startsWith('/interaction/')) await interaction(request, response)
    else if (request.url === LOGOUT) await announce(request, response)
    else await callback(request, response)
  }

  function renew(): void {
    const configuration: Configuration = {
      clients: [
        {
          ...{ ...CLIENT, redirect_uris: [redirectUri], post_logout_redirect_uris: [] },
          ...{ backchannel_logout_uri: `${issuer}${LOGOUT}`, backchannel_logout_session_required: true },
        },
      ],
      jwks: { keys: [test.key.jwk as never] },
      cookies: { keys: ['a secret of the test'] },
      claims: {
        openid: ['sub'],
        email: ['email', 'email_verified'],
        profile: ['preferred_username', 'name', 'groups', '_claim_names', 'hasgroups'],
      },
      features: {
        devInteractions: { enabled: false },
        rpInitiatedLogout: { enabled: true },
        backchannelLogout: { enabled: true },
      },
      pkce: { required: () => true, methods: ['S256'] },
      // Grants every request: the page only asks for a name.
      loadExistingGrant: async (context) => {
        const { client, session, provider: own } = context.oidc
        const grant = new own.Grant({ clientId: client!.clientId, accountId: session!.accountId! })
        grant.addOIDCScope('openid email profile')
        await grant.save()
        return grant
      },
      findAccount: async (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, ...users.get(id) }) }),
      ttl: { Session: 600, Grant: 600, Interaction: 600, AccessToken: 600, IdToken: 600 },
    }
    provider = new Provider(issuer, configuration)
    provider.use(async (context, next) => {
      await next()
      const { tamper } = test
      if (context.path === '/token' && tamper && context.status === 200)
        context.body = await tamper(context.body as Tokens)
    })
    callback = provider.callback()
  }
  renew()
  return test
}
