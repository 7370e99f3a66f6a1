import type { X509Certificate } from 'node:crypto'
import { decode, type Node, oidOf, TAG } from './der.ts'

/** Extensions of certificates that are evaluated, or that have no effect on who may issue (RFC 5280, 4.2). */
const OID = { basicConstraints: '2.5.29.19', keyUsage: '2.5.29.15', nameConstraints: '2.5.29.30', names: '2.5.29.17' }
const KNOWN = new Set([...Object.values(OID), '2.5.29.14', '2.5.29.31', '2.5.29.32', '2.5.29.35', '2.5.29.37'])

/** Bits of the key usage (RFC 5280, 4.2.1.3). */
const USAGE = { digitalSignature: 0, nonRepudiation: 1, keyCertSign: 5 }

/** Forms of names (RFC 5280, GeneralName). */
const EMAIL = 0x81
const DIRECTORY = 0xa4

interface Extensions {
  get(oid: string): Node | undefined
  /** One that must be understood is unknown. */
  hasUnknown: boolean
}

function extensionsOf({ raw }: X509Certificate): Extensions {
  const fields = decode(raw).children[0]?.children ?? []
  const list = fields.find(({ tag }) => tag === 0xa3)?.children[0]?.children ?? []
  const found = new Map<string, Node>()
  let hasUnknown = false
  for (const { children } of list) {
    const [id, second] = children
    const value = children.at(-1)
    if (!id || value?.tag !== TAG.octets) throw new Error('An extension of a certificate is damaged')
    const isCritical = second?.tag === 0x01 && second.content[0] !== 0
    hasUnknown ||= isCritical && !KNOWN.has(oidOf(id))
    found.set(oidOf(id), decode(value.content))
  }
  return { get: (oid) => found.get(oid), hasUnknown }
}

/** Whether the key usage, if it is given, has one of the bits. */
function allows(extensions: Extensions, bits: readonly number[]): boolean {
  const usage = extensions.get(OID.keyUsage)
  if (!usage) return true
  // The first byte is the number of unused bits.
  return bits.some((bit) => (((usage.content[1 + (bit >> 3)] ?? 0) << (bit & 7)) & 0x80) !== 0)
}

/** Whether the key of a certificate may sign documents. */
export function maySign(certificate: X509Certificate): boolean {
  const extensions = extensionsOf(certificate)
  return !extensions.hasUnknown && allows(extensions, [USAGE.digitalSignature, USAGE.nonRepudiation])
}

/**
 * Whether a certificate may issue the certificates below it (RFC 5280, 6.1): it is an authority, its key is for that, the
 * chain is not too long, and all names are among those that it may certify.
 * @param chain from the signer up, without the issuer
 * @throws Error for a certificate that cannot be read
 */
export function mayIssue(issuer: X509Certificate, chain: readonly X509Certificate[]): boolean {
  const extensions = extensionsOf(issuer)
  if (!issuer.ca || extensions.hasUnknown || !allows(extensions, [USAGE.keyCertSign])) return false
  const limit = extensions.get(OID.basicConstraints)?.children.find(({ tag }) => tag === TAG.integer)
  const between = chain.slice(1).filter((one) => one.subject !== one.issuer).length
  if (limit && (limit.content.length > 4 || limit.content.readUIntBE(0, limit.content.length) < between)) return false
  const constraints = extensions.get(OID.nameConstraints)
  return !constraints || chain.every((one) => areNamesAllowed(one, constraints))
}

interface Name {
  form: number
  node: Node
}

function areNamesAllowed(certificate: X509Certificate, constraints: Node): boolean {
  const trees = (tag: number): Name[] =>
    constraints.children
      .filter((one) => one.tag === tag)
      .flatMap(({ children }) =>
        children.flatMap(({ children: [base] }) => (base ? [{ form: base.tag, node: base }] : [])),
      )
  const [permitted, excluded] = [trees(0xa0), trees(0xa1)]
  return namesOf(certificate).every((name) => {
    const same = permitted.filter(({ form }) => form === name.form)
    return (
      (same.length === 0 || same.some((tree) => isWithin(name, tree, false))) &&
      !excluded.some((tree) => tree.form === name.form && isWithin(name, tree, true))
    )
  })
}

/** The subject and the alternative names. */
function namesOf(certificate: X509Certificate): Name[] {
  const fields = decode(certificate.raw).children[0]?.children ?? []
  const subject = fields[(fields[0]?.tag === TAG.context ? 1 : 0) + 4]
  const others = extensionsOf(certificate).get(OID.names)?.children ?? []
  const names = others.map((node) => ({ form: node.tag, node }))
  return subject && subject.children.length > 0 ? [{ form: DIRECTORY, node: subject }, ...names] : names
}

/** @param unknown the answer for forms of names that are not compared: servers, addresses */
function isWithin(name: Name, tree: Name, unknown: boolean): boolean {
  if (tree.form === DIRECTORY) {
    const [parts, base] = [partsOf(name.node), partsOf(tree.node)]
    return base.every((part, index) => part === parts[index])
  }
  if (tree.form !== EMAIL) return unknown
  const [address, base] = [name, tree].map(({ node }) => node.content.toString('latin1').toLowerCase())
  if (address === undefined || base === undefined) return unknown
  const host = address.slice(address.lastIndexOf('@') + 1)
  return base.includes('@') ? address === base : base.startsWith('.') ? host.endsWith(base) : host === base
}

/** The parts of a distinguished name, comparable: without differences of case, spaces and string types. */
function partsOf(node: Node): string[] {
  const sets = node.children[0]?.tag === TAG.sequence ? node.children[0].children : node.children
  return sets.map(({ children }) =>
    children
      .map(({ children: [id, value] }) => `${id ? oidOf(id) : ''}=${value ? textOf(value) : ''}`)
      .sort()
      .join('+'),
  )
}

function textOf({ tag, content }: Node): string {
  const isWide = tag === 0x1e
  const even = Buffer.from(content.subarray(0, content.length & ~1))
  const text = isWide ? even.swap16().toString('utf16le') : content.toString(tag === 0x0c ? 'utf8' : 'latin1')
  return text.normalize('NFKC').toLowerCase().trim().replace(/\s+/g, ' ')
}
