import { readFileSync } from 'node:fs'
import { userFile, writeUserFile } from '../data-folder.ts'
import { toMediaprocError } from '../errors.ts'

/** What `mediaproc login` stored for a server. */
export interface Login {
  /** Absent for a server without authentication. */
  key?: string
  /** The key is in the keyring of the system, and not here. */
  isInKeyring?: boolean
  /** The id of the key, if login created it: logout deletes it. */
  keyId?: string
  username?: string
}

/** By address. */
type Logins = Record<string, Login>

const FILE = 'servers.json'

/** The file with the keys, which only its owner can read. */
export const loginsFile = (): string => userFile(FILE)

/** @throws MediaprocError of the file system; a damaged file counts as empty */
export function storedLogins(): Logins {
  let text: string
  try {
    text = readFileSync(loginsFile(), 'utf8')
  } catch (error) {
    const known = toMediaprocError(error)
    if (known.code === 'FILE_NOT_FOUND') return {}
    throw known
  }
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Logins) : {}
  } catch {
    return {}
  }
}

const write = (logins: Logins): Promise<void> => writeUserFile(FILE, logins)

/** The login of exactly this address. */
export function loginOf(address: string): Login | undefined {
  const logins = storedLogins()
  return Object.hasOwn(logins, address) ? logins[address] : undefined
}

export const storeLogin = (address: string, login: Login): Promise<void> =>
  write({ ...storedLogins(), [address]: login })

export async function removeLogin(address: string): Promise<void> {
  const { [address]: _gone, ...rest } = storedLogins()
  await write(rest)
}
