import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { dataFolder } from '../data-folder.ts'
import { toMediaprocError } from '../errors.ts'
import { makeFolder } from '../make-folder.ts'

/** What `mediaproc login` stored for a server. */
export interface Login {
  /** Absent for a server without authentication. */
  key?: string
  /** The id of the key, if login created it: logout deletes it. */
  keyId?: string
  username?: string
}

/** By address. */
type Logins = Record<string, Login>

/** The file with the keys, which only its owner can read. */
export const loginsFile = (): string => join(dataFolder(), 'mediaproc', 'servers.json')

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

async function write(logins: Logins): Promise<void> {
  const path = loginsFile()
  await makeFolder(dirname(path), 0o700)
  const temporary = `${path}.${process.pid}`
  writeFileSync(temporary, `${JSON.stringify(logins, null, 2)}\n`, { mode: 0o600 })
  renameSync(temporary, path)
}

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
