import type { Client, Entry } from 'ldapts'
import { MediaprocError } from '../../errors.ts'
import { commonName, escapeFilter, firstText, subjectOf, textsOf } from './ldap-entries.ts'

/** The operator's configuration of a directory. */
export interface LdapOptions {
  /** `ldaps://` or, with StartTLS or on this machine, `ldap://`. */
  url: string
  startTls: boolean
  /** Certificates of the directory's authority, PEM; '' for those of Node. */
  ca: string
  /** Account that searches for users; '' for an anonymous search. */
  bindDn: string
  bindPassword: string
  userBase: string
  /** Filter for a user, with `{username}`. */
  userFilter: string
  /** Attribute that identifies a user without ever changing, such as entryUUID or objectGUID. */
  idAttribute: string
  usernameAttribute: string
  emailAttribute: string
  /** Attribute of the user with the DNs of groups; '' for none. */
  groupsAttribute: string
  /** Base of a search for groups; '' for none. */
  groupBase: string
  /** Filter for the groups of a user, with `{dn}` and `{username}`. */
  groupFilter: string
}

/** A user whose password the directory has accepted. */
export interface LdapUser {
  /** Stable id of the user. */
  subject: string
  username: string
  email: string | null
  /** Distinguished and common names of the groups. */
  groups: string[]
}

const CONNECT_MS = 5000
const OPERATION_MS = 10_000
/** Groups that are read of one user. */
const MAX_GROUPS = 1000
/** Error codes of a directory that refuses this user's password, or the account (RFC 4511, section 4.1.9). */
const REFUSALS = new Set([
  49, // invalidCredentials
  19, // constraintViolation: a password policy, such as a locked account
  50, // insufficientAccessRights
  53, // unwillingToPerform
])

const codeOf = (error: unknown): number | undefined => (error as { code?: number }).code

const unreachable = (cause: unknown): MediaprocError =>
  new MediaprocError('DIRECTORY_UNREACHABLE', undefined, { cause })

/**
 * Closes two gaps of StartTLS in the library (ldapts 8.0.17): bytes that arrived before the handshake would be read as
 * answers, and a lost connection would be opened again without encryption.
 * @throws Error for bytes before the handshake
 */
function secure(client: Client): void {
  const internals = client as unknown as { messageParser: { buffer?: Buffer }; _connect: () => void }
  if (internals.messageParser.buffer !== undefined) throw new Error('the directory sent data before the encryption')
  internals._connect = () => {
    if (!client.isConnected) throw new Error('the connection was closed')
  }
}

/** Sign-in with a directory: a search for the user, then a bind with the password. */
export class Ldap {
  readonly #options: LdapOptions

  constructor(options: LdapOptions) {
    this.#options = options
  }

  /**
   * Returns the user if the directory accepts the password; undefined for an unknown user or a wrong password.
   * @throws DIRECTORY_UNREACHABLE when the directory does not answer, or refuses the search
   */
  async authenticate(username: string, password: string): Promise<LdapUser | undefined> {
    // A bind with an empty password succeeds without a check (RFC 4513, section 5.1.2).
    if (username === '' || password === '' || username.includes('\0')) return undefined
    const found = await this.#session((client) => this.#lookUp(client, username))
    if (!found) return undefined
    const { entry, groups } = found
    const isRight = await this.#connected(async (client) => {
      try {
        await client.bind(entry.dn, password)
        return true
      } catch (error) {
        if (REFUSALS.has(codeOf(error) ?? -1)) return false
        throw error
      }
    })
    if (!isRight) return undefined
    const { idAttribute, usernameAttribute, emailAttribute } = this.#options
    return {
      subject: subjectOf(entry, idAttribute),
      username: firstText(entry[usernameAttribute]) ?? username,
      email: firstText(entry[emailAttribute]) ?? null,
      groups: [...new Set(groups.flatMap((dn) => [dn, commonName(dn)]))],
    }
  }

  /**
   * Checks connection, encryption, the searching account and the base of users.
   * @throws DIRECTORY_UNREACHABLE
   */
  async check(): Promise<void> {
    const { userBase, userFilter } = this.#options
    await this.#session(async (client) => {
      await client.search(userBase, { scope: 'base', attributes: ['1.1'], sizeLimit: 1 })
      await client.search(userBase, {
        filter: userFilter.replaceAll('{username}', 'mediaproc-sso-check'),
        sizeLimit: 1,
      })
    })
  }

  /** Finds the user and the DNs of the groups, over one connection. */
  async #lookUp(client: Client, username: string): Promise<{ entry: Entry; groups: string[] } | undefined> {
    const { groupsAttribute } = this.#options
    const entry = await this.#findUser(client, username)
    if (!entry) return undefined
    const named = groupsAttribute === '' ? [] : textsOf(entry[groupsAttribute])
    const groups = [...named, ...(await this.#searchGroups(client, entry.dn, username))]
    return { entry, groups: groups.slice(0, MAX_GROUPS) }
  }

  async #findUser(client: Client, username: string): Promise<Entry | undefined> {
    const { userBase, userFilter, idAttribute, usernameAttribute, emailAttribute, groupsAttribute } = this.#options
    const { searchEntries } = await client.search(userBase, {
      filter: userFilter.replaceAll('{username}', escapeFilter(username)),
      scope: 'sub',
      attributes: [idAttribute, usernameAttribute, emailAttribute, groupsAttribute].filter((name) => name !== ''),
      explicitBufferAttributes: idAttribute.toLowerCase() === 'objectguid' ? [idAttribute] : [],
      // With two matches it is unknown which one is meant.
      ...{ sizeLimit: 2, derefAliases: 'never' },
    })
    return searchEntries.length === 1 ? searchEntries[0] : undefined
  }

  async #searchGroups(client: Client, dn: string, username: string): Promise<string[]> {
    const { groupBase, groupFilter } = this.#options
    if (groupBase === '') return []
    const filter = groupFilter.replaceAll('{dn}', escapeFilter(dn)).replaceAll('{username}', escapeFilter(username))
    const { searchEntries } = await client.search(groupBase, {
      ...{ filter, scope: 'sub', attributes: ['1.1'], sizeLimit: MAX_GROUPS, derefAliases: 'never' },
    })
    return searchEntries.map((entry) => entry.dn)
  }

  /** Connects, encrypts and binds the searching account. */
  #session<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const { bindDn, bindPassword } = this.#options
    return this.#connected(async (client) => {
      if (bindDn !== '') await client.bind(bindDn, bindPassword)
      return work(client)
    })
  }

  async #connected<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const { url, startTls, ca } = this.#options
    const tlsOptions = { minVersion: 'TLSv1.2' as const, ...(ca !== '' && { ca }) }
    const { Client } = await import('ldapts')
    const client = new Client({
      ...{ url, timeout: OPERATION_MS, connectTimeout: CONNECT_MS, strictDN: false },
      ...(url.startsWith('ldaps:') && { tlsOptions }),
    })
    try {
      if (startTls) {
        await client.startTLS({ ...tlsOptions, host: new URL(url).hostname })
        secure(client)
      }
      return await work(client)
    } catch (error) {
      throw unreachable(error)
    } finally {
      // The connection may already be closed.
      await client.unbind().catch(() => {})
    }
  }
}
