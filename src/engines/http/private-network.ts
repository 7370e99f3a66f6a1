import ipaddr from 'ipaddr.js'
import { firstOf } from '../../lists.ts'

type Bytes = readonly number[]

const startsWith = (bytes: Bytes, prefix: Bytes, from = 0): boolean =>
  prefix.every((byte, index) => bytes[from + index] === byte)
const zeros = (count: number): number[] => new Array<number>(count).fill(0)

/** Prefixes of IPv6 addresses that embed an IPv4 address, and its offset in bytes. */
const CARRIERS: { what: string; prefix: Bytes; at: number; inverted?: boolean }[] = [
  { what: 'IPv4-mapped, RFC 4291', prefix: [...zeros(10), 0xff, 0xff], at: 12 },
  { what: 'IPv4-translated, RFC 2765', prefix: [...zeros(8), 0xff, 0xff, 0, 0], at: 12 },
  { what: 'NAT64, RFC 6052', prefix: [0x00, 0x64, 0xff, 0x9b, ...zeros(8)], at: 12 },
  { what: '6to4, RFC 3056', prefix: [0x20, 0x02], at: 2 },
  { what: 'Teredo server, RFC 4380', prefix: [0x20, 0x01, 0x00, 0x00], at: 4 },
  { what: 'Teredo client, RFC 4380', prefix: [0x20, 0x01, 0x00, 0x00], at: 12, inverted: true },
]

/** ISATAP (RFC 5214): the interface part of any prefix is 0000:5efe or 0200:5efe and an IPv4 address. */
const ISATAP: Bytes[] = [
  [0x00, 0x00, 0x5e, 0xfe],
  [0x02, 0x00, 0x5e, 0xfe],
]

/** The IPv4 addresses embedded in an IPv6 address, as four bytes each. */
function hiddenAddresses(bytes: Bytes): number[][] {
  const carried = CARRIERS.filter(({ prefix }) => startsWith(bytes, prefix)).map(({ at, inverted }) =>
    bytes.slice(at, at + 4).map((byte) => (inverted ? byte ^ 0xff : byte)),
  )
  return ISATAP.some((mark) => startsWith(bytes, mark, 8)) ? [...carried, bytes.slice(12)] : carried
}

const isPublicIPv4 = (bytes: number[]): boolean => new ipaddr.IPv4(bytes).range() === 'unicast'

/**
 * Whether an address belongs to a public Internet host. IPv6 addresses with an embedded IPv4 address are judged by
 * that; of the others only global unicast (2000::/3) is public, without the special-purpose ranges of IANA.
 * @param address IPv4 in four decimal parts, or IPv6 without brackets; anything else is not public
 */
export function isPublicAddress(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return isPublicIPv4(ipaddr.IPv4.parse(address).octets)
  if (!ipaddr.IPv6.isValid(address)) return false
  const parsed = ipaddr.IPv6.parse(address)
  const bytes = parsed.toByteArray()
  const hidden = hiddenAddresses(bytes)
  if (hidden.length > 0) return hidden.every(isPublicIPv4)
  return (firstOf(bytes) & 0xe0) === 0x20 && parsed.range() === 'unicast'
}
