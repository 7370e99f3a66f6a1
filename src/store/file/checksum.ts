import { createHash } from 'node:crypto'

/** Detects flipped bits and incomplete copies, not tampering: 64 bits of SHA-256, in hex. */
export const checksumOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** The last member of a JSON object. */
const AT_END = /,?"checksum":"([0-9a-f]{16})"\}$/

/** Serializes an object with its own checksum as the last member. */
export function withChecksum(json: string): string {
  const isEmpty = json === '{}'
  return `${json.slice(0, -1)}${isEmpty ? '' : ','}"checksum":"${checksumOf(json)}"}`
}

/** Whether the JSON of an object has a valid checksum. */
export function isIntact(json: string): boolean {
  const found = AT_END.exec(json)
  return found !== null && checksumOf(`${json.slice(0, found.index)}}`) === found[1]
}
