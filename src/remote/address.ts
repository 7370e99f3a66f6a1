import { MediaprocError } from '../errors.ts'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/**
 * The address of a server: without a final slash, so that paths can be added. It may have a path, for servers below a
 * prefix.
 * @throws MediaprocError USAGE
 */
export function serverAddress(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new MediaprocError('USAGE', 'Expected an http or https address for the server', {
      hint: { shell: 'Such as --server https://media.example.com' },
    })
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new MediaprocError('USAGE', 'The address of the server must have no password, query or fragment', {
      hint: { shell: 'Keys are stored with mediaproc login, or read from MEDIAPROC_API_KEY or --api-key-file.' },
    })
  return url.href.replace(/\/+$/, '')
}

/** Whether a key and files would cross a network unencrypted. */
export function isExposed(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && !LOOPBACK.test(hostname)
}
