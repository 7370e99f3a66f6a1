import { MediaprocError } from '../../errors.ts'

/** Longest message, in base64 characters: responses with hundreds of groups are far shorter. */
export const MAX_MESSAGE = 400_000
/** Maximum age of an assertion or request. */
export const MAX_AGE_MS = 600_000

/** Maximum nesting depth; a response has a dozen levels. Parsers and signatures take time quadratic in the depth. */
const MAX_DEPTH = 60
/** Maximum number of tags, including closing ones: a response with 2,000 groups has about 4,100. */
const MAX_TAGS = 6000
/** Maximum number of attributes of all elements. */
const MAX_ATTRIBUTES = 6000

const wrong = (reason: string): MediaprocError => new MediaprocError('INVALID_CREDENTIALS', reason)

const countOf = (text: string, what: RegExp): number => text.match(what)?.length ?? 0

/** The maximum nesting depth; arbitrary for text that is not XML. */
function depthOf(xml: string): number {
  let [depth, deepest] = [0, 0]
  for (const tag of xml.split('<').slice(1)) {
    if (tag.startsWith('/')) depth--
    else if (tag[tag.lastIndexOf('>') - 1] !== '/') depth++
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

/** Decodes a message of the HTTP-POST binding. @throws INVALID_CREDENTIALS */
export function decodeMessage(base64: string): string {
  if (base64.length > MAX_MESSAGE) throw wrong('the message is too long')
  if (!/^[A-Za-z0-9+/=\s]+$/.test(base64)) throw wrong('the message is not base64')
  return Buffer.from(base64, 'base64').toString('utf8')
}

/**
 * Returns the XML after its declaration. Refuses type and entity declarations, comments and processing instructions: valid
 * messages have none, and attacks exploit how parsers handle them. Refuses numbers of elements and depths that make
 * canonicalization slow.
 * @throws INVALID_CREDENTIALS
 */
export function checkedBody(xml: string): string {
  const body = xml.replace(/^\uFEFF?\s*<\?xml [^?<>]*\?>/, '').trimStart()
  if (/<[!?]/.test(body)) throw wrong('the message contains declarations or comments')
  // Canonicalization takes time quadratic in these.
  if (countOf(body, /</g) > MAX_TAGS) throw wrong('the message has too many elements')
  if (countOf(body, /=\s*["']/g) > MAX_ATTRIBUTES) throw wrong('the message has too many attributes')
  if (depthOf(body) > MAX_DEPTH) throw wrong('the message is nested too deep')
  return body
}
