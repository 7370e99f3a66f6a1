import { createHmac, timingSafeEqual } from 'node:crypto'

/** A result that somebody may fetch without signing in. */
export interface SignedLink {
  /** The server's own id of the job. */
  jobId: string
  filename: string
  /** The user who made the link: it holds as long as they may fetch the result themselves. */
  by: string
  /** When it ends, seconds since 1970. */
  until: number
}

/** HMAC-SHA256 in base64url over everything that a link says. */
export function signatureOf({ jobId, filename, by, until }: SignedLink, secret: string): string {
  const text = JSON.stringify(['download link', jobId, filename, by, until])
  return createHmac('sha256', secret).update(text).digest('base64url')
}

/** Whether the signature of a link was made here. */
export function isSigned(link: SignedLink, signature: string, secret: string): boolean {
  const [given, wanted] = [signature, signatureOf(link, secret)].map((text) => Buffer.from(text))
  return given!.length === wanted!.length && timingSafeEqual(given!, wanted!)
}
