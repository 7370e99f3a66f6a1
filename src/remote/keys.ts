import type { Keyring } from '../engines/keyring.ts'
import { environmentFlag, environmentText } from '../environment.ts'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { type Login, loginOf, removeLogin, storeLogin } from './logins.ts'

/** Only loaded when a key is, or will be, in the keyring. */
const open = async (): Promise<Keyring> => (await import('../engines/keyring.ts')).openKeyring()

/** How `mediaproc login` keeps a key. */
export interface Keeping {
  /** As --keyring: undefined uses MEDIAPROC_KEYRING, else the keyring if its pack is installed. */
  keyring: boolean | undefined
  /** A keyring that cannot be used is an error, and not a warning. */
  isStrict: boolean
}

/** @throws INVALID_CONFIG */
async function wantsKeyring({ keyring }: Keeping): Promise<boolean> {
  if (keyring !== undefined) return keyring
  if (environmentText('MEDIAPROC_KEYRING') !== '') return environmentFlag('MEDIAPROC_KEYRING')
  return (await import('../engines/keyring.ts')).hasKeyringPack()
}

/** The key of a login, from where it is. @throws ENGINE_UNAVAILABLE when the keyring cannot be read, AUTH_REQUIRED */
export async function keyOf(address: string, login: Login): Promise<string | undefined> {
  if (!login.isInKeyring) return login.key
  const key = await (await open()).get(address)
  if (key !== undefined) return key
  throw new MediaprocError('AUTH_REQUIRED', `The keyring of the system no longer has the key for ${address}`, {
    hint: { shell: `Run mediaproc login ${address}` },
  })
}

/**
 * Keeps the key of a login: in the keyring, else in the file that only its owner can read. The former key of the address
 * is replaced.
 * @returns why the keyring was not used although it was wanted
 * @throws INVALID_CONFIG, REFUSED_BY_STRICT, and MediaprocError of the file system
 */
export async function keepLogin(address: string, login: Login, how: Keeping): Promise<MediaprocError | undefined> {
  const former = loginOf(address)
  const { key, ...rest } = login
  let failure: MediaprocError | undefined
  if (key !== undefined && (await wantsKeyring(how))) {
    failure = await putInKeyring(address, key)
    if (failure && how.isStrict)
      throw new MediaprocError('REFUSED_BY_STRICT', failure.message, { hint: failure.hint, cause: failure })
    if (!failure) {
      await storeLogin(address, { ...rest, isInKeyring: true })
      return undefined
    }
  }
  await storeLogin(address, login)
  // A keyring that is locked keeps its former key, which is not used any more.
  if (former?.isInKeyring && !failure) await forget(address).catch(() => {})
  return failure
}

const putInKeyring = (address: string, key: string): Promise<MediaprocError | undefined> =>
  open()
    .then((keyring) => keyring.set(address, key))
    .then(
      () => undefined,
      (error: unknown) => toMediaprocError(error),
    )

const forget = async (address: string): Promise<void> => void (await (await open()).remove(address))

/** Removes the key of a login from where it is. @throws ENGINE_UNAVAILABLE when that is the keyring, which cannot be used */
export async function forgetLogin(address: string, login: Login): Promise<void> {
  if (login.isInKeyring) await forget(address)
  await removeLogin(address)
}
