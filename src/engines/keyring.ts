import { MediaprocError } from '../errors.ts'
import { shortName } from '../wording.ts'
import { installCommand } from './engine.ts'
import { importPackage, libraryEngine, packageFolder } from './library.ts'

const PACKAGE = '@napi-rs/keyring'
/** The program, as keyrings list it. */
const SERVICE = 'mediaproc'
/** On Linux the package would fall back to the keyring of the kernel, which a restart empties. */
const OPTIONS = { linux: { store: 'secret-service' } } as const
/** A keyring may ask its user for a password, in milliseconds. */
const PATIENCE_MS = 60_000
/** Characters of a reason in a message. */
const MAX_REASON = 200

export const keyringEngine = libraryEngine({
  id: 'keyring',
  purpose: 'keys of mediaproc login in the keyring of the system',
  licence: 'MIT',
  package: PACKAGE,
  pack: 'keyring',
})

/** Whether the pack is installed; the system may have no keyring all the same. */
export const hasKeyringPack = (): boolean => packageFolder(PACKAGE) !== undefined

/** The keyring of the system: Secret Service, macOS Keychain or Windows Credential Manager. All throw ENGINE_UNAVAILABLE. */
export interface Keyring {
  get(account: string): Promise<string | undefined>
  set(account: string, secret: string): Promise<void>
  /** Returns false if there was nothing. */
  remove(account: string): Promise<boolean>
}

interface Entry {
  getPassword(): Promise<string | null>
  setPassword(secret: string): Promise<void>
  deletePassword(): Promise<boolean>
}

interface Package {
  AsyncEntry: new (service: string, account: string, options: typeof OPTIONS) => Entry
}

const unavailable = (reason: string, cause?: unknown): MediaprocError =>
  new MediaprocError('ENGINE_UNAVAILABLE', `The keyring of the system cannot be used: ${reason}`, {
    hint: { shell: 'Unlock it, or keep the key in a file: mediaproc login --no-keyring' },
    fields: { engine: 'keyring' },
    cause,
  })

/** What a step of the keyring answers, unless it takes too long. @throws ENGINE_UNAVAILABLE */
async function answerOf<Answer>(step: () => Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${PATIENCE_MS / 1000} seconds`)), PATIENCE_MS)
  })
  try {
    return await Promise.race([step(), late])
  } catch (error) {
    throw unavailable(shortName(error instanceof Error ? error.message : String(error), MAX_REASON), error)
  } finally {
    clearTimeout(timer)
  }
}

/** @throws ENGINE_UNAVAILABLE without the pack, or for a system that its package does not support */
export async function openKeyring(): Promise<Keyring> {
  if (!hasKeyringPack())
    throw new MediaprocError('ENGINE_UNAVAILABLE', '--keyring needs an engine pack that is not installed', {
      hint: { shell: `Install it: ${installCommand('keyring')}` },
      fields: { engine: 'keyring', pack: 'keyring' },
    })
  const { AsyncEntry } = await answerOf(() => importPackage<Package>(PACKAGE))
  // Without a keyring, creating the entry already fails.
  const entry = (account: string): Entry => new AsyncEntry(SERVICE, account, OPTIONS)
  return {
    get: (account) => answerOf(async () => (await entry(account).getPassword()) ?? undefined),
    set: (account, secret) => answerOf(async () => entry(account).setPassword(secret)),
    remove: (account) => answerOf(async () => entry(account).deletePassword()),
  }
}
