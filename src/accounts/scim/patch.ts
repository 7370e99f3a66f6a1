import { scimRefusal } from './refusal.ts'

/** An operation as a provider sends it (RFC 7644, section 3.5.2). */
export interface ScimOperation {
  /** Entra ID writes it with a capital. */
  op: string
  path?: string
  value?: unknown
}

/** One change of one attribute. */
export interface AttributeChange {
  op: 'add' | 'replace' | 'remove'
  /** In small letters. */
  attribute: string
  /** The part in square brackets, which selects values of a list. */
  filter?: string
  /** In small letters; of a complex attribute, such as `givenname` of `name`. */
  part?: string
  value?: unknown
}

export const MAX_OPERATIONS = 100
/** Longest path, in characters. */
export const MAX_PATH = 500
/** Most attributes in the value of one operation without a path. */
const MAX_ATTRIBUTES = 200

const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/i
const PATH = /^([a-z$][\w$-]*)(?:\[([^[\]]*)\])?(?:\.([a-z][\w-]*))?$/i

/**
 * Splits a path. Attributes of extensions, such as those of the enterprise user, are not stored: undefined.
 * @throws VALIDATION_ERROR with the kind invalidPath
 */
function parsePath(text: string): Omit<AttributeChange, 'op' | 'value'> | undefined {
  const path = text.trim().replace(CORE, '')
  if (/^urn:/i.test(path)) return undefined
  const found = path.length <= MAX_PATH ? PATH.exec(path) : null
  if (!found) throw scimRefusal('invalidPath', 'A path is not valid')
  const [, attribute = '', filter, part] = found
  return {
    attribute: attribute.toLowerCase(),
    ...(filter !== undefined && { filter }),
    ...(part !== undefined && { part: part.toLowerCase() }),
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Splits operations into changes of single attributes, in order. Operations without a path have an object of
 * attributes, whose names may themselves be paths (Entra ID: `{"name.givenName": "Ada"}`).
 *
 * @throws VALIDATION_ERROR with the kind invalidSyntax, invalidValue, invalidPath, noTarget or tooMany
 */
export function attributeChanges(operations: readonly ScimOperation[]): AttributeChange[] {
  if (operations.length > MAX_OPERATIONS)
    throw scimRefusal('tooMany', `A request has at most ${MAX_OPERATIONS} operations`)
  return operations.flatMap(({ op, path, value }): AttributeChange[] => {
    const kind = op.toLowerCase()
    if (kind !== 'add' && kind !== 'replace' && kind !== 'remove')
      throw scimRefusal('invalidSyntax', 'op is one of add, replace and remove')
    if (path !== undefined && path !== '') {
      const target = parsePath(path)
      return target ? [{ op: kind, ...target, value }] : []
    }
    if (kind === 'remove') throw scimRefusal('noTarget', 'remove needs a path')
    if (!isObject(value)) throw scimRefusal('invalidValue', 'An operation without a path needs an object of attributes')
    const entries = Object.entries(value)
    if (entries.length > MAX_ATTRIBUTES)
      throw scimRefusal('tooMany', `An operation has at most ${MAX_ATTRIBUTES} attributes`)
    return entries.flatMap(([name, one]) => {
      const target = parsePath(name)
      return target ? [{ op: kind, ...target, value: one }] : []
    })
  })
}
