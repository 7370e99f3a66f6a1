import type { Caller } from '../../accounts/caller.ts'
import type { StoredTask } from '../../store/job-record.ts'
import type { Repositories } from '../../store/repositories.ts'
import type { WebhookRecord } from '../../store/webhook-records.ts'
import { invalid } from '../http/answers.ts'
import { checkedAddress, type WebhookConfig } from './address.ts'

/** The account's secret for the addresses that its jobs name. */
export const callbackSecret = async (
  { webhooks }: Pick<Repositories, 'webhooks'>,
  { userId }: Pick<Caller, 'userId'>,
): Promise<WebhookRecord | undefined> => (await webhooks.ofUser(userId)).find(({ url }) => url === null)

/**
 * The field `callbackUrl` of a request, for the task of its job.
 * @throws URL_REFUSED, VALIDATION_ERROR when the account has no secret: no message is sent without a signature
 */
export async function callbackOf(
  { store, config }: { store: Pick<Repositories, 'webhooks'>; config: { webhooks: WebhookConfig } },
  caller: Caller,
  field: unknown,
): Promise<Pick<StoredTask, 'callbackUrl'>> {
  if (field === undefined || field === '') return {}
  if (typeof field !== 'string') throw invalid('callbackUrl: Expected an https address')
  const callbackUrl = checkedAddress(field, config.webhooks)
  if (!(await callbackSecret(store, caller)))
    throw invalid('callbackUrl: Messages are signed: make a secret first, with POST /api/v1/webhooks/callback-secret')
  return { callbackUrl }
}
