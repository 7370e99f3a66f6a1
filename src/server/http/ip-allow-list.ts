import { BlockList, isIP } from 'node:net'

/** The last parsed list: it is checked at every request and rarely changes. */
let last: { text: string; list: BlockList | 'all' | undefined } | undefined

function parsed(text: string): BlockList | 'all' | undefined {
  let items: unknown
  try {
    items = JSON.parse(text || '[]')
  } catch {
    return undefined
  }
  if (!Array.isArray(items) || !items.every((item) => typeof item === 'string')) return undefined
  if (items.length === 0) return 'all'
  const list = new BlockList()
  for (const item of items as string[]) {
    const [address = '', bits, ...more] = item.trim().split('/')
    const family = isIP(address)
    const length = family === 4 ? 32 : 128
    const prefix = bits === undefined ? length : /^\d{1,3}$/.test(bits) ? Number(bits) : -1
    if (family === 0 || more.length > 0 || prefix < 0 || prefix > length) return undefined
    list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

/** Parses a JSON array of addresses and networks; `all` if it is empty, undefined if it is invalid. */
export function addressList(text: string): BlockList | 'all' | undefined {
  if (last?.text !== text) last = { text, list: parsed(text) }
  return last.list
}

/** Whether a list contains an address. IPv4-mapped IPv6 (::ffff:10.0.0.1) equals plain IPv4. */
export function containsAddress(list: BlockList, address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  const family = isIP(plain)
  return family !== 0 && list.check(plain, family === 4 ? 'ipv4' : 'ipv6')
}

/** Whether the setting's list contains an address. */
export function allowsAddress(text: string, address: string): boolean {
  const list = addressList(text)
  if (list === 'all') return true
  // An unreadable list allows no address: it was set to restrict access.
  return list !== undefined && containsAddress(list, address)
}
