import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { EXIT, type ExitCode, MediaprocError } from '../../errors.ts'
import { printableName } from '../../media/file.ts'
import { isExposed, serverAddress } from '../../remote/address.ts'
import { Connection } from '../../remote/connection.ts'
import { forgetLogin, keepLogin, keyOf } from '../../remote/keys.ts'
import { type Login, loginOf, loginsFile, storedLogins } from '../../remote/logins.ts'
import { loadConfig } from '../input/config.ts'
import { parseOwnOptions } from '../input/own-options.ts'
import type { Io } from '../output/io.ts'
import { table } from '../output/text.ts'
import { LOGIN_OPTIONS, LOGIN_SETTINGS } from '../remote/options.ts'
import { keyFromFile } from '../remote/server.ts'
import { checkKey, deleteKey, signIn } from '../remote/sign-in.ts'

const noAddress = (command: string): MediaprocError =>
  new MediaprocError('USAGE', 'Expected the address of a server, got nothing', {
    hint: `Such as: mediaproc ${command} https://media.example.com`,
  })

/** The address that a command names, else that of the environment or the configuration. @throws USAGE */
async function addressOf(command: string, given: string | undefined): Promise<string> {
  const address = given ?? (await loadConfig('.')).server
  if (address === undefined) throw noAddress(command)
  return serverAddress(address)
}

/**
 * The address to sign in to. A configuration file may come with a folder of others, and its server would get the password:
 * only that of the home folder counts as the user's own.
 * @throws USAGE
 */
async function addressToSignIn(given: string | undefined): Promise<string> {
  if (given !== undefined) return serverAddress(given)
  const { server, sources } = await loadConfig('.')
  if (server === undefined) throw noAddress('login')
  const [address, source] = [serverAddress(server), sources.server ?? '']
  if (source === 'MEDIAPROC_SERVER' || dirname(source) === homedir()) return address
  throw new MediaprocError(
    'USAGE',
    `Only the configuration file ${printableName(source)} names the server ${address}`,
    {
      hint: `If you trust it, run mediaproc login ${address}`,
    },
  )
}

const placeOf = (address: string): string =>
  loginOf(address)?.isInKeyring ? 'the keyring of the system' : loginsFile()

/** `mediaproc login [URL]`: stores a key for a server, after the server has accepted it. */
export async function loginCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { operands, values, common } = parseOwnOptions('login', args, LOGIN_SETTINGS, 1, LOGIN_OPTIONS)
  const address = await addressToSignIn(operands[0])
  if (isExposed(address))
    io.err(`mediaproc: warning: ${address} is not encrypted: others on the network can read the key\n`)
  const server = new Connection(address, undefined)
  try {
    const { apiKeyFile, web } = values
    const login = apiKeyFile === undefined ? await signIn(server, io, web) : { key: keyFromFile(apiKeyFile) }
    await checkKey(address, login.key)
    const failure = await keepLogin(address, login, { keyring: values.keyring, isStrict: common.strict === true })
    if (failure) io.err(`mediaproc: warning: ${failure.message}\n${failure.hint ? `mediaproc: ${failure.hint}\n` : ''}`)
    io.err(`mediaproc: the key for ${address} is stored in ${placeOf(address)}\n`)
    return EXIT.ok
  } finally {
    await server.close()
  }
}

/** A key that its user removed from the keyring is no reason to keep the login. */
function withoutKey(error: unknown): undefined {
  if (!(error instanceof MediaprocError) || error.code !== 'AUTH_REQUIRED') throw error
}

/** `mediaproc logout [URL]`: removes the stored key, and deletes it on the server if login created it. */
export async function logoutCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { operands } = parseOwnOptions('logout', args, {}, 1)
  const address = await addressOf('logout', operands[0])
  const login = loginOf(address)
  if (!login) {
    io.err(`mediaproc: no key is stored for ${address}\n`)
    return EXIT.ok
  }
  const hasKey = login.key !== undefined || login.isInKeyring === true
  const isDeleted = await deleteKey(address, login.keyId, await keyOf(address, login).catch(withoutKey))
  await forgetLogin(address, login)
  const rest = isDeleted || !hasKey ? '' : '; it stays valid on the server until it is deleted there'
  io.err(`mediaproc: the key for ${address} is removed${rest}\n`)
  return EXIT.ok
}

/** `mediaproc whoami [URL]`: the stored logins, and whether their servers accept them. */
export async function whoamiCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { operands } = parseOwnOptions('whoami', args, {}, 1)
  const [given] = operands
  const logins = Object.entries(storedLogins())
  const shown = given === undefined ? logins : logins.filter(([address]) => address === serverAddress(given))
  if (shown.length === 0)
    throw new MediaprocError('AUTH_REQUIRED', 'You are not signed in to a server', {
      hint: 'mediaproc login URL stores a key.',
    })
  const rows: string[][] = []
  let code: ExitCode = EXIT.ok
  for (const [address, login] of shown) {
    const { key, state } = await stateOf(address, login)
    if (state !== 'accepted') code = EXIT.unauthorised
    const place = login.isInKeyring ? 'keyring' : key === undefined ? '-' : 'file'
    rows.push([address, login.username ?? '-', key === undefined ? 'none' : `${key.slice(0, 7)}…`, place, state])
  }
  io.out(table(['SERVER', 'NAME', 'KEY', 'FROM', 'STATE'], rows))
  return code
}

/** The key of a login, and whether its server accepts it. */
async function stateOf(address: string, login: Login): Promise<{ key?: string | undefined; state: string }> {
  let key: string | undefined
  try {
    key = await keyOf(address, login)
  } catch {
    return { state: 'keyring not readable' }
  }
  const state = await checkKey(address, key).then(
    () => 'accepted',
    ({ code }: MediaprocError) => (code === 'SERVER_UNREACHABLE' ? 'does not answer' : 'refused'),
  )
  return { key, state }
}
