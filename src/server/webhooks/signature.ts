import { createHmac } from 'node:crypto'

/**
 * Headers of a message, as Standard Webhooks defines them.
 * @param keys one signature each
 * @param at in milliseconds since 1970
 */
export function signedHeaders(id: string, body: string, keys: readonly Buffer[], at: number): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000))
  const signatures = keys.map((key) => createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64'))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.map((one) => `v1,${one}`).join(' '),
  }
}
