import type { TeamRecord, UserRecord } from '../../store/records.ts'
import { DEFAULT_TEAM_ID } from '../../store/records.ts'
import { isDisabled } from '../directory/permissions.ts'

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
export const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
export const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** Most resources of one page. */
export const MAX_PAGE = 200

export interface Meta {
  resourceType: string
  created: string
  lastModified: string
  location: string
}

/** A user as the provider sees it (RFC 7643, section 4.1). */
export interface UserResource {
  schemas: string[]
  id: string
  externalId?: string
  userName: string
  name?: { givenName?: string; familyName?: string }
  displayName?: string
  emails?: { value: string; type: string; primary: boolean }[]
  active: boolean
  groups?: { value: string; display: string; $ref: string }[]
  meta: Meta
}

/** A team as the provider sees it: a group (RFC 7643, section 4.2). */
export interface GroupResource {
  schemas: string[]
  id: string
  externalId?: string
  displayName: string
  members?: { value: string; display: string; $ref: string }[]
  meta: Meta
}

/** @param base address of the SCIM API, without a slash at the end */
export function userResource(user: UserRecord, team: TeamRecord | undefined, base: string): UserResource {
  const { id, username, email, role, createdAt, scim } = user
  const { externalId, userName = username, displayName, givenName, familyName, updatedAt = createdAt } = scim ?? {}
  return {
    schemas: [USER_SCHEMA],
    id,
    ...(externalId !== undefined && { externalId }),
    userName,
    ...((givenName !== undefined || familyName !== undefined) && {
      name: { ...(givenName !== undefined && { givenName }), ...(familyName !== undefined && { familyName }) },
    }),
    ...(displayName !== undefined && { displayName }),
    ...(email !== null && { emails: [{ value: email, type: 'work', primary: true }] }),
    active: !isDisabled(role),
    ...(team &&
      team.id !== DEFAULT_TEAM_ID && {
        groups: [{ value: team.id, display: team.name, $ref: `${base}/Groups/${team.id}` }],
      }),
    meta: { resourceType: 'User', created: createdAt, lastModified: updatedAt, location: `${base}/Users/${id}` },
  }
}

/** @param base address of the SCIM API, without a slash at the end */
export function groupResource(team: TeamRecord, members: readonly UserRecord[], base: string): GroupResource {
  const { id, name, createdAt, scim } = team
  const { externalId, updatedAt = createdAt } = scim ?? {}
  return {
    schemas: [GROUP_SCHEMA],
    id,
    ...(externalId !== undefined && { externalId }),
    displayName: name,
    ...(members.length > 0 && {
      members: members.map((user) => ({
        value: user.id,
        display: user.scim?.userName ?? user.username,
        $ref: `${base}/Users/${user.id}`,
      })),
    }),
    meta: { resourceType: 'Group', created: createdAt, lastModified: updatedAt, location: `${base}/Groups/${id}` },
  }
}

/** Which resources of a list a request wants. */
export interface WantedPage {
  /** From 1; less counts as 1. */
  startIndex?: number | undefined
  /** At most 200; less than 0 counts as 0. */
  count?: number | undefined
}

export interface ListOf<Resource> {
  schemas: string[]
  totalResults: number
  startIndex: number
  itemsPerPage: number
  Resources: Resource[]
}

/** One page of a list (RFC 7644, section 3.4.2.4); only its records become resources. */
export function listResponse<Record, Resource>(
  all: readonly Record[],
  { startIndex = 1, count = 100 }: WantedPage,
  resourceOf: (record: Record) => Resource,
): ListOf<Resource> {
  const start = Math.max(1, startIndex)
  const page = all.slice(start - 1, start - 1 + Math.min(Math.max(0, count), MAX_PAGE))
  return {
    schemas: [LIST_SCHEMA],
    totalResults: all.length,
    startIndex: start,
    itemsPerPage: page.length,
    Resources: page.map(resourceOf),
  }
}
