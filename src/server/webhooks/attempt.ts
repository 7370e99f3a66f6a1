import type { AccountsContext } from '../../accounts/context.ts'
import { signingKeys } from '../../accounts/credentials/webhook-secrets.ts'
import { isDisabled } from '../../accounts/directory/permissions.ts'
import type { post } from '../../engines/http/post.ts'
import { toMediaprocError } from '../../errors.ts'
import { isOver } from '../../store/job-record.ts'
import type { Store } from '../../store/store.ts'
import type { DeliveryRecord, WebhookRecord } from '../../store/webhook-records.ts'
import { hostsOf, type WebhookConfig } from './address.ts'
import { eventOf, jobPayload } from './payload.ts'
import { ATTEMPT_MS } from './rules.ts'
import { signedHeaders } from './signature.ts'

export interface AttemptParts {
  store: Store
  accounts: Pick<AccountsContext, 'vault' | 'now'>
  config: WebhookConfig
  send: typeof post
  /** The version of this program. */
  version: string
}

export type AttemptResult =
  /** A request was made, or its connection failed. */
  | { kind: 'made'; status: number | null; error: string | null; retryAfter?: string | undefined }
  /** The job has not ended yet. */
  | { kind: 'early' }
  /** It will not be sent. */
  | { kind: 'ended'; error: string }

/** Whether a status is a success. */
const isSuccess = (status: number): boolean => status >= 200 && status < 300

const REASONS: Readonly<Record<string, string>> = {
  TIMEOUT: `No answer within ${ATTEMPT_MS / 1000} s`,
  DOWNLOAD_FAILED: 'The connection failed',
}

/** Sentence for the log of deliveries: it reveals nothing of the network of the server. */
function reasonOf(error: unknown): string {
  const { code, message } = toMediaprocError(error)
  return REASONS[code] ?? message
}

const failureOf = (status: number): string =>
  status >= 300 && status < 400
    ? `The receiver answered with a redirect (${status}), which is not followed`
    : `The receiver answered with the status ${status}`

/** The message as the job is now: the end that was announced may not have been stored. */
async function current({ jobs }: Store, delivery: DeliveryRecord): Promise<DeliveryRecord | undefined> {
  const { jobId, attempts } = delivery
  const job = jobId === null || attempts.length > 0 ? undefined : await jobs.get(jobId)
  if (!job) return delivery
  return isOver(job) ? { ...delivery, event: eventOf(job), payload: jobPayload(job) } : undefined
}

/** Why a delivery is not sent at all. */
async function obstacle({ users }: Store, { userId, isOn }: WebhookRecord): Promise<string | undefined> {
  const user = await users.byId(userId)
  if (user && isDisabled(user.role)) return 'The account is disabled'
  return isOn ? undefined : 'The webhook is switched off'
}

/** Makes one attempt. Returns the delivery as it was sent. Never rejects for a failure of the receiver. */
export async function attempt(
  parts: AttemptParts,
  delivery: DeliveryRecord,
  stop: AbortSignal,
): Promise<{ delivery: DeliveryRecord; result: AttemptResult }> {
  const { store, accounts, config, send, version } = parts
  const ended = (error: string) => ({ delivery, result: { kind: 'ended' as const, error } })
  const webhook = await store.webhooks.byId(delivery.webhookId)
  const url = delivery.url ?? webhook?.url
  if (!webhook || !url) return ended('The webhook was deleted')
  const error = await obstacle(store, webhook)
  if (error !== undefined) return ended(error)
  const sent = await current(store, delivery)
  if (!sent) return { delivery, result: { kind: 'early' } }
  // The end that was announced was not stored: another attempt of the job ended in another way.
  const isOther = sent.event !== delivery.event
  if (isOther && delivery.url === null && !(webhook.events as readonly string[]).includes(sent.event))
    return ended(`${sent.event} is not an event of the webhook`)
  const headers = {
    ...{ 'content-type': 'application/json', 'user-agent': `mediaproc/${version}` },
    ...signedHeaders(sent.id, sent.payload, signingKeys(accounts, webhook), accounts.now()),
  }
  const signal = AbortSignal.any([stop, AbortSignal.timeout(ATTEMPT_MS)])
  try {
    const { status, retryAfter } = await send(url, { headers, body: sent.payload, signal, hosts: hostsOf(config) })
    const failure = isSuccess(status) ? null : failureOf(status)
    return { delivery: sent, result: { kind: 'made', status, error: failure, retryAfter } }
  } catch (failure) {
    return { delivery: sent, result: { kind: 'made', status: null, error: reasonOf(failure) } }
  }
}
