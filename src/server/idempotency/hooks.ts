import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { cookieSecret } from '../../accounts/sign-in/cookie-secret.ts'
import { MediaprocError } from '../../errors.ts'
import type { StoredAnswer } from '../../store/records.ts'
import type { ServerContext } from '../context.ts'
import { invalid } from '../http/answers.ts'
import { type Claim, claimKey } from './claims.ts'
import { bodyContents, fingerprintOf, keyId } from './fingerprint.ts'
import { MAX_KEY, MOST_BYTES, RULES, STORED_HEADERS, usesKey } from './rules.ts'

const KEY = new RegExp(`^[\\x20-\\x7e]{1,${MAX_KEY}}$`)

/** A request with an Idempotency-Key. */
interface KeyedRequest {
  /** Set once the request has the key. */
  claim?: Claim
  /**
   * Called when the contents of the request are known, before anything is created.
   * @throws ReplayedAnswer, IDEMPOTENCY_KEY_REUSED, REQUEST_IN_PROGRESS, ANSWER_NOT_STORED
   */
  begin(contents: string): Promise<void>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on requests with an Idempotency-Key that the route uses. */
    idempotency: KeyedRequest | undefined
  }
}

/** Ends a request whose answer is stored. */
export class ReplayedAnswer extends Error {
  readonly #answer: StoredAnswer

  constructor(answer: StoredAnswer) {
    super('This request has an answer')
    this.#answer = answer
  }

  /** Sends the stored answer. */
  send(reply: FastifyReply): FastifyReply {
    const { status, headers, body } = this.#answer
    return reply.code(status).headers(headers).header('idempotency-replayed', 'true').send(body)
  }
}

/** The key of a request; undefined without one. @throws VALIDATION_ERROR */
function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !KEY.test(key))
    throw invalid(`Idempotency-Key: Expected 1 to ${MAX_KEY} printable ASCII characters`)
  return key
}

/** The account that a key belongs to; undefined where the route ignores keys. */
function accountOf({ method, routeOptions, is404, caller }: FastifyRequest): string | undefined {
  const { access } = routeOptions.config
  if (is404 || !usesKey(method, routeOptions.url ?? '', access)) return undefined
  return access === 'scim' ? 'scim' : (caller as typeof caller | undefined)?.userId
}

/** What is stored of an answer. */
function storedAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown): StoredAnswer {
  const headers: Record<string, string> = {}
  for (const name of STORED_HEADERS) {
    const value = reply.getHeader(name)
    if (value !== undefined) headers[name] = String(value)
  }
  const status = reply.statusCode
  const text = payload === null || payload === undefined ? '' : payload
  const isSecret = status < 300 && RULES[request.routeOptions.url ?? ''] === 'secret'
  if (!isSecret && typeof text === 'string' && Buffer.byteLength(text) <= MOST_BYTES)
    return { status, headers, body: text }
  return { status, headers: {}, body: null, ...(headers['x-job-id'] && { jobId: headers['x-job-id'] }) }
}

/** Answers of a fault, and of a state or limit that passes, are not stored: a repeat is a new request. */
const PASSING = new Set([409, 423, 429])
const isFinal = (status: number): boolean => status < 500 && !PASSING.has(status)

/**
 * Repeats of a POST with the same Idempotency-Key get the answer of the first one, and create nothing. Generic: routes do
 * not know of it, and forms report their contents when they have arrived.
 */
export function addIdempotency(app: FastifyInstance, { accounts, store, log }: ServerContext): void {
  let secret: Promise<string> | undefined
  const secretNow = (): Promise<string> => {
    secret ??= cookieSecret(accounts).catch((error: unknown) => {
      secret = undefined
      throw error
    })
    return secret
  }
  const begin = async (request: FastifyRequest, account: string, key: string, contents: string): Promise<Claim> => {
    const fingerprint = fingerprintOf(request, contents, await secretNow())
    const keyed = { id: keyId(request, account, key), userId: account, fingerprint }
    const found = await claimKey(store, keyed, accounts.now)
    if ('claim' in found) return found.claim
    const { body, jobId } = found.answer
    if (body !== null) throw new ReplayedAnswer(found.answer)
    throw new MediaprocError('ANSWER_NOT_STORED', undefined, jobId ? { fields: { jobId } } : {})
  }
  /** Ends the claim of a request. A failure is not the client's: the lock of the key ends by itself. */
  const end = async (request: FastifyRequest, work: (claim: Claim) => Promise<void>): Promise<void> => {
    const { idempotency } = request
    const claim = idempotency?.claim
    if (!idempotency || !claim) return
    delete idempotency.claim
    await work(claim).catch((error: unknown) =>
      log.warn({ err: error }, 'the answer to an Idempotency-Key is not stored'),
    )
  }
  app.decorateRequest('idempotency', undefined)
  app.addHook('preHandler', async (request, reply) => {
    const account = accountOf(request)
    const key = account === undefined ? undefined : keyOf(request)
    if (account === undefined || key === undefined) return
    const keyed: KeyedRequest = {
      async begin(contents) {
        keyed.claim = await begin(request, account, key, contents)
      },
    }
    request.idempotency = keyed
    if (request.isMultipart()) return
    try {
      await keyed.begin(bodyContents(request))
    } catch (error) {
      if (error instanceof ReplayedAnswer) return error.send(reply)
      throw error
    }
  })
  app.addHook('onSend', async (request, reply, payload) => {
    await end(request, (claim) =>
      isFinal(reply.statusCode) ? claim.answer(storedAnswer(request, reply, payload)) : claim.release(),
    )
    return payload
  })
  // For handlers that answer by themselves.
  app.addHook('onResponse', async (request, reply) => {
    await end(request, (claim) =>
      isFinal(reply.raw.statusCode) ? claim.answer(storedAnswer(request, reply, reply.raw)) : claim.release(),
    )
  })
}
