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

/**
 * Parses the JSON of an object, whose checksum must be valid if it has one: records of earlier versions have none.
 * @returns the object without the checksum
 * @throws Error for another checksum, SyntaxError
 */
export function parseChecked(json: string): unknown {
  const value: unknown = JSON.parse(json)
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'checksum')) return value
  if (!isIntact(json)) throw new Error('the checksum is wrong')
  const { checksum: _, ...record } = value as Record<string, unknown>
  return record
}
