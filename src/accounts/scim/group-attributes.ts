import { type AttributeChange, isObject } from './patch.ts'
import { scimRefusal } from './refusal.ts'
import { checkedText } from './user-attributes.ts'

/** Longest id, in characters. */
const MAX_ID = 100
/** Most members that one request adds to a group. */
export const MAX_MEMBERS = 1000

/** What a provider can set of a group. */
export interface GroupAttributes {
  displayName: string
  externalId?: string | undefined
  /** Ids of users. */
  members: Set<string>
}

const refused = (message: string) => scimRefusal('invalidValue', message)

function checkedName(value: unknown): string {
  const name = checkedText(value, 'displayName')
  if (name === undefined) throw refused('displayName is missing')
  return name
}

/** Ids in a list of members; one member may also come alone. @throws VALIDATION_ERROR */
function memberIds(value: unknown): string[] {
  if (value === undefined || value === null) return []
  const list: unknown[] = Array.isArray(value) ? value : [value]
  if (list.length > MAX_MEMBERS) throw scimRefusal('tooMany', `A list has at most ${MAX_MEMBERS} members`)
  return list.map((one) => {
    const id = isObject(one) ? one.value : one
    if (typeof id !== 'string' || id === '' || id.length > MAX_ID) throw refused('A member has no valid id')
    return id
  })
}

/** The id of `members[value eq "ID"]`. @throws VALIDATION_ERROR */
function selectedMember(filter: string): string {
  const [, id] = /^ *value +eq +"([^"\\]{1,100})" *$/i.exec(filter) ?? []
  if (id === undefined) throw scimRefusal('invalidFilter', 'Members are selected by members[value eq "ID"]')
  return id
}

/** Reads a whole group as a provider sends it for POST and PUT. @throws VALIDATION_ERROR */
export function readGroup(body: Record<string, unknown>): GroupAttributes {
  return {
    displayName: checkedName(body.displayName),
    externalId: checkedText(body.externalId, 'externalId'),
    members: new Set(memberIds(body.members)),
  }
}

/** Changes the set in place: a copy for each of a hundred operations would be slow. */
function changeMembers(members: Set<string>, { op, filter, value }: AttributeChange): void {
  if (op === 'remove') {
    if (filter !== undefined) members.delete(selectedMember(filter))
    // Entra ID names the members in the value.
    else if (value === undefined || value === null) members.clear()
    else for (const id of memberIds(value)) members.delete(id)
    return
  }
  if (filter !== undefined) throw scimRefusal('invalidPath', 'Members are added and replaced by their list')
  const ids = memberIds(value)
  if (op === 'replace') members.clear()
  for (const id of ids) members.add(id)
}

/** Applies one change; attributes that are not stored are ignored. @throws VALIDATION_ERROR */
export function changedGroup(group: GroupAttributes, change: AttributeChange): GroupAttributes {
  const value = change.op === 'remove' ? undefined : change.value
  if (change.attribute === 'displayname') return { ...group, displayName: checkedName(value) }
  if (change.attribute === 'externalid') return { ...group, externalId: checkedText(value, 'externalId') }
  if (change.attribute === 'members') changeMembers(group.members, change)
  return group
}
