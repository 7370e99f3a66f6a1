import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { selfSigned } from './certificate.ts'
import { freePort } from './free-port.ts'

const SLAPD = '/usr/sbin/slapd'
const MODULES = '/usr/lib/ldap'

/** Whether Debian's slapd is installed. */
export const hasSlapd = existsSync(SLAPD) && existsSync(MODULES)

export const SUFFIX = 'dc=company,dc=example'
export const SEARCHER = { dn: `cn=searcher,${SUFFIX}`, password: 'Search-Secret-1' }

/** A user of the directory. */
export interface DirectoryUser {
  uid: string
  password: string
  mail?: string
  groups?: readonly string[]
}

const listens = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => done(true)).once('error', () => done(false))
    socket.once('connect', () => socket.destroy())
  })

const dnOf = (uid: string): string => `uid=${uid},ou=people,${SUFFIX}`

function ldif(users: readonly DirectoryUser[]): string {
  const groups = [...new Set(users.flatMap((user) => user.groups ?? []))]
  const entries = [
    `dn: ${SUFFIX}\nobjectClass: dcObject\nobjectClass: organization\no: Company\ndc: company`,
    `dn: ${SEARCHER.dn}\nobjectClass: organizationalRole\nobjectClass: simpleSecurityObject\ncn: searcher\nuserPassword: ${SEARCHER.password}`,
    `dn: ou=people,${SUFFIX}\nobjectClass: organizationalUnit\nou: people`,
    `dn: ou=groups,${SUFFIX}\nobjectClass: organizationalUnit\nou: groups`,
    ...users.map(({ uid, password, mail }) =>
      [
        `dn: ${dnOf(uid)}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: ${uid}\nuserPassword: ${password}`,
        ...(mail ? [`mail: ${mail}`] : []),
      ].join('\n'),
    ),
    ...groups.map((group) =>
      [
        `dn: cn=${group},ou=groups,${SUFFIX}\nobjectClass: groupOfNames\ncn: ${group}`,
        ...users.filter((user) => user.groups?.includes(group)).map(({ uid }) => `member: ${dnOf(uid)}`),
      ].join('\n'),
    ),
  ]
  return `${entries.join('\n\n')}\n`
}

const CONFIG = (folder: string) => `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath ${MODULES}
moduleload back_mdb
pidfile ${folder}/pid
TLSCertificateFile ${folder}/cert.pem
TLSCertificateKeyFile ${folder}/key.pem
database mdb
suffix "${SUFFIX}"
rootdn "cn=root,${SUFFIX}"
directory ${folder}/data
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${SEARCHER.dn}" read by * none
`

/** A real OpenLDAP server with its own data folder; a user other than the searcher may read nothing. */
export class LdapDirectory {
  readonly folder = mkdtempSync(join(tmpdir(), 'mediaproc-ldap-'))
  readonly tls = selfSigned('localhost')
  ports = { plain: 0, tls: 0 }
  #process: ChildProcess | undefined

  constructor(users: readonly DirectoryUser[]) {
    mkdirSync(join(this.folder, 'data'))
    writeFileSync(join(this.folder, 'cert.pem'), this.tls.certificate)
    writeFileSync(join(this.folder, 'key.pem'), this.tls.key)
    writeFileSync(join(this.folder, 'slapd.conf'), CONFIG(this.folder))
    writeFileSync(join(this.folder, 'users.ldif'), ldif(users))
    execFileSync('/usr/sbin/slapadd', ['-f', join(this.folder, 'slapd.conf'), '-l', join(this.folder, 'users.ldif')])
  }

  /** Starts the server, if it is not running. */
  async start(): Promise<void> {
    if (this.#process) return
    if (this.ports.plain === 0) this.ports = { plain: await freePort(), tls: await freePort() }
    const { plain, tls } = this.ports
    const addresses = `ldap://127.0.0.1:${plain}/ ldaps://127.0.0.1:${tls}/`
    this.#process = spawn(SLAPD, ['-d', '0', '-f', join(this.folder, 'slapd.conf'), '-h', addresses], {
      stdio: 'ignore',
    })
    for (let tries = 0; tries < 200 && !(await listens(tls)); tries++) await sleep(50)
  }

  async stop(): Promise<void> {
    const child = this.#process
    this.#process = undefined
    if (!child || child.exitCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  async close(): Promise<void> {
    await this.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
