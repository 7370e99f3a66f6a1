import { createHash } from 'node:crypto'

/** Against flipped bits and half-copied files, not against people: 64 bits of SHA-256, in hex. */
export const checksumOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** The last member of an object in JSON. */
const AT_END = /,?"checksum":"([0-9a-f]{16})"\}$/

/** JSON of an object with the checksum of itself as its last member. */
export function withChecksum(json: string): string {
  const isEmpty = json === '{}'
  return `${json.slice(0, -1)}${isEmpty ? '' : ','}"checksum":"${checksumOf(json)}"}`
}

/** Whether JSON of an object has a checksum, and is as it was written. */
export function isIntact(json: string): boolean {
  const found = AT_END.exec(json)
  return found !== null && checksumOf(`${json.slice(0, found.index)}}`) === found[1]
}
