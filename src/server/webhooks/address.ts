import { checkUrl, type PrivateHosts } from '../../engines/http/guard.ts'
import { MediaprocError } from '../../errors.ts'
import { MAX_ADDRESS } from './rules.ts'

/** What the operator allows. */
export interface WebhookConfig {
  allowHttp: boolean
  /** Hosts of private networks, in lower case: names, and addresses without brackets. */
  privateHosts: readonly string[]
  /** 0 means no limit. */
  maxPerUser: number
}

/** The hosts that webhooks may be sent to, besides those of the public Internet. */
export const hostsOf = ({ privateHosts }: WebhookConfig): PrivateHosts => ({
  allows: (host) => privateHosts.includes(host.toLowerCase()),
  hint: 'WEBHOOK_PRIVATE_HOSTS lists hosts of private networks that webhooks may be sent to.',
})

/**
 * Checks the address of a webhook; its name is resolved, and checked again, with every attempt. Returns it as it is
 * stored.
 * @throws URL_REFUSED
 */
export function checkedAddress(text: string, config: WebhookConfig): string {
  if (text.length > MAX_ADDRESS) throw refuse(`The address is longer than ${MAX_ADDRESS} characters`)
  const url = checkUrl(text, undefined, hostsOf(config))
  if (url.protocol !== 'https:' && !config.allowHttp)
    throw refuse('Webhooks are sent to https addresses only', 'WEBHOOK_ALLOW_HTTP=true allows http.')
  if (url.username !== '' || url.password !== '')
    throw refuse('The address has a user name or password', 'Verify the signature of the requests instead.')
  url.hash = ''
  return url.href
}

const refuse = (message: string, hint = ''): MediaprocError => new MediaprocError('URL_REFUSED', message, { hint })
