/** Worker thread that signs users in with the directory: an answer that the library cannot read ends the thread only. */
import { answerRequests } from '../../engines/workers/worker-answers.ts'
import { Ldap, type LdapOptions, type LdapUser } from './ldap.ts'

/** A name and password for the directory. */
export interface LdapReading {
  options: LdapOptions
  username: string
  password: string
}

answerRequests<LdapReading, LdapUser | undefined>(async ({ options, username, password }) => ({
  answer: await new Ldap(options).authenticate(username, password),
}))
