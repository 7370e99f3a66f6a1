import type { UserRecord } from '../../store/records.ts'
import { isDisabled } from '../directory/permissions.ts'
import { checkedEmail } from '../directory/user-rules.ts'
import { type AttributeChange, isObject } from './patch.ts'
import { scimRefusal } from './refusal.ts'

/** Longest text of an attribute, in characters. */
export const MAX_TEXT = 255
/** Most values of the attribute `emails`. */
export const MAX_EMAILS = 100

/** What a provider can set of a user; everything else that it sends is ignored, roles and passwords included. */
export interface UserAttributes {
  userName: string
  externalId?: string | undefined
  displayName?: string | undefined
  givenName?: string | undefined
  familyName?: string | undefined
  email: string | null
  active: boolean
}

const refused = (message: string) => scimRefusal('invalidValue', message)

/** A text; undefined for none. @throws VALIDATION_ERROR */
export function checkedText(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string' || value.length > MAX_TEXT || /[\p{Cc}\p{Cs}]/u.test(value))
    throw refused(`${name} is not a text of at most ${MAX_TEXT} characters`)
  return value
}

/** @throws VALIDATION_ERROR */
function checkedUserName(value: unknown): string {
  const name = checkedText(value, 'userName')?.trim()
  if (!name) throw refused('userName is missing')
  return name
}

/** Entra ID sends `"False"`. @throws VALIDATION_ERROR */
function checkedActive(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.toLowerCase() : ''
  if (word === 'true' || word === 'false') return word === 'true'
  throw refused('active is not true or false')
}

function checkedAddress(value: unknown): string | null {
  const text = checkedText(value, 'emails.value') ?? null
  try {
    return checkedEmail(text)
  } catch {
    throw refused('The e-mail address is not valid')
  }
}

/** The primary address of a list, or the first. @throws VALIDATION_ERROR */
function primaryAddress(value: unknown): string | null {
  if (value === undefined || value === null) return null
  const list = Array.isArray(value) ? value : [value]
  if (list.length > MAX_EMAILS) throw scimRefusal('tooMany', `A user has at most ${MAX_EMAILS} addresses`)
  const entries = list.map((one) => (typeof one === 'string' ? { value: one } : one))
  if (!entries.every(isObject)) throw refused('emails is not a list of objects')
  const isPrimary = ({ primary }: Record<string, unknown>) => String(primary).toLowerCase() === 'true'
  return checkedAddress((entries.find(isPrimary) ?? entries[0])?.value)
}

/** The attributes of a stored user. */
export function attributesOf({ username, email, role, scim }: UserRecord): UserAttributes {
  const { updatedAt: _time, ...attributes } = scim ?? { userName: username, updatedAt: '' }
  return { ...attributes, email, active: !isDisabled(role) }
}

/**
 * Reads a whole user as a provider sends it for POST and PUT.
 * @param active the state when the provider does not send one
 * @throws VALIDATION_ERROR
 */
export function readUser(body: Record<string, unknown>, active: boolean): UserAttributes {
  const name = body.name ?? {}
  if (!isObject(name)) throw refused('name is not an object')
  return {
    userName: checkedUserName(body.userName),
    externalId: checkedText(body.externalId, 'externalId'),
    displayName: checkedText(body.displayName, 'displayName'),
    givenName: checkedText(name.givenName, 'name.givenName'),
    familyName: checkedText(name.familyName, 'name.familyName'),
    email: primaryAddress(body.emails),
    active: body.active === undefined || body.active === null ? active : checkedActive(body.active),
  }
}

function changedName(user: UserAttributes, { op, part, value }: AttributeChange): UserAttributes {
  const parts = part === undefined ? (op === 'remove' ? {} : value) : { [part]: op === 'remove' ? undefined : value }
  if (!isObject(parts)) throw refused('name is not an object')
  const sent = new Map(Object.entries(parts).map(([name, one]) => [name.toLowerCase(), one]))
  const isWhole = part === undefined && op === 'remove'
  const next = (key: string, present: string | undefined) =>
    sent.has(key) ? checkedText(sent.get(key), `name.${key}`) : isWhole ? undefined : present
  return {
    ...user,
    givenName: next('givenname', user.givenName),
    familyName: next('familyname', user.familyName),
  }
}

function changedEmail(user: UserAttributes, { op, filter, part, value }: AttributeChange): UserAttributes {
  if (op === 'remove') return { ...user, email: null }
  if (part !== undefined && part !== 'value') return user
  // `emails[type eq "work"].value`: there is one address, whatever its type.
  if (part === 'value' || (filter !== undefined && typeof value === 'string'))
    return { ...user, email: checkedAddress(value) }
  return { ...user, email: primaryAddress(value) }
}

/** Applies one change; attributes that are not stored are ignored. @throws VALIDATION_ERROR */
export function changedUser(user: UserAttributes, change: AttributeChange): UserAttributes {
  const { op, attribute } = change
  const value = op === 'remove' ? undefined : change.value
  if (attribute === 'username') return { ...user, userName: checkedUserName(value) }
  if (attribute === 'active') return { ...user, active: checkedActive(value) }
  if (attribute === 'externalid') return { ...user, externalId: checkedText(value, 'externalId') }
  if (attribute === 'displayname') return { ...user, displayName: checkedText(value, 'displayName') }
  if (attribute === 'name') return changedName(user, change)
  if (attribute === 'emails') return changedEmail(user, change)
  return user
}
