import { createHmac, timingSafeEqual } from 'node:crypto'

/** A link to a result that needs no sign-in. */
export interface SignedLink {
  /** The server's own id of the job. */
  jobId: string
  filename: string
  /** The user who created the link: it is valid while this user may download the result. */
  by: string
  /** Expiry, in seconds since 1970. */
  until: number
}

/** HMAC-SHA256 in base64url over all fields of a link. */
export function signatureOf({ jobId, filename, by, until }: SignedLink, secret: string): string {
  const text = JSON.stringify(['download link', jobId, filename, by, until])
  return createHmac('sha256', secret).update(text).digest('base64url')
}

/** Whether this server signed a link. */
export function isSigned(link: SignedLink, signature: string, secret: string): boolean {
  const [given, wanted] = [signature, signatureOf(link, secret)].map((text) => Buffer.from(text))
  return given!.length === wanted!.length && timingSafeEqual(given!, wanted!)
}
