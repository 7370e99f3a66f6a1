type Value = Buffer | Buffer[] | string[] | string | undefined

/** Escapes a value in a filter (RFC 4515, section 3). */
export const escapeFilter = (text: string): string =>
  text.replace(/[\\*()\0]/g, (letter) => `\\${letter.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** All text values of an attribute. */
export const textsOf = (value: Value): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string' && one !== '')

export const firstText = (value: Value): string | undefined => textsOf(value)[0]

/** The value of the first RDN, such as `press` of `cn=press,ou=groups`; the DN itself if it has another form. */
export function commonName(dn: string): string {
  const value = /^[A-Za-z][\w-]*=((?:\\.|[^,\\+])*)/.exec(dn)?.[1]
  return value?.replace(/\\(.)/g, '$1') ?? dn
}

/** The stable id of an entry: its id attribute, as text or in hex, or its DN if it has none. */
export function subjectOf(entry: Readonly<Record<string, Value>> & { dn: string }, idAttribute: string): string {
  const value = entry[idAttribute]
  const first = Array.isArray(value) ? value[0] : value
  if (Buffer.isBuffer(first)) return first.length > 0 ? first.toString('hex') : entry.dn
  return first || entry.dn
}
