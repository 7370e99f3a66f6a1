import { scimRefusal } from './refusal.ts'

/** Attributes that a filter may compare. */
export type Comparable = 'userName' | 'externalId' | 'displayName'

export interface Comparison {
  attribute: Comparable
  value: string
}

/** Longest filter, in characters. */
export const MAX_FILTER = 1000

const FILTER = /^ *(?:urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):)?([a-z]+) +eq +("(?:[^"\\]|\\.)*") *$/i

/**
 * Reads a filter of the form `attribute eq "value"`; the value is a JSON string.
 *
 * @throws VALIDATION_ERROR with the kind invalidFilter
 */
export function parseFilter(text: string, allowed: readonly Comparable[]): Comparison {
  const [, name = '', quoted = ''] = (text.length <= MAX_FILTER && FILTER.exec(text)) || []
  const attribute = allowed.find((one) => one.toLowerCase() === name.toLowerCase())
  const value = attribute && jsonText(quoted)
  if (attribute === undefined || value === undefined)
    throw scimRefusal('invalidFilter', `Expected a filter ${allowed.join(' or ')} eq "value"`)
  return { attribute, value }
}

function jsonText(quoted: string): string | undefined {
  try {
    const value: unknown = JSON.parse(quoted)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether a record fits: names in any case, ids of the provider exactly (RFC 7643, sections 3.1 and 4.1). */
export function fitsFilter(
  filter: Comparison | undefined,
  record: Partial<Record<Comparable, string | undefined>>,
): boolean {
  if (!filter) return true
  const { attribute, value } = filter
  const found = record[attribute]
  if (found === undefined) return false
  return attribute === 'externalId' ? found === value : found.toLowerCase() === value.toLowerCase()
}
