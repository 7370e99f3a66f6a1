import { readFileSync } from 'node:fs'
import { environmentSecret } from '../../environment.ts'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { printableName } from '../../media/file.ts'
import { isExposed, serverAddress } from '../../remote/address.ts'
import { keyOf } from '../../remote/keys.ts'
import { loginOf } from '../../remote/logins.ts'
import type { OpenRemote } from '../../remote/open.ts'
import type { CommandOptions } from '../input/effective-options.ts'
import type { Io } from '../output/io.ts'

/** The value of --server that runs jobs on this machine, whatever the configuration says. */
const HERE = 'local'

type ServerOptions = Pick<CommandOptions, 'server' | 'isServerFound' | 'apiKeyFile' | 'quiet'>

/** @throws MediaprocError for a file that cannot be read, USAGE if it has no key */
export function keyFromFile(path: string): string {
  let text: string
  try {
    text = readFileSync(path === '-' ? 0 : path, 'utf8')
  } catch (error) {
    throw new MediaprocError(toMediaprocError(error).code, `The key file ${printableName(path)} cannot be read`, {
      cause: error,
    })
  }
  return checkedKey(text.trim(), printableName(path))
}

/** A key is sent in a header, so it is one word. @throws USAGE */
export function checkedKey(key: string, where: string): string {
  if (/^[\x21-\x7e]{1,1000}$/.test(key)) return key
  throw new MediaprocError('USAGE', `Expected an API key in ${where}, got something else`, {
    hint: 'A key of mediaproc begins with si_ and is one line.',
  })
}

/**
 * The key for a server: from --api-key-file, the environment, or mediaproc login. A server that a configuration file
 * names must be known from mediaproc login: the file may come with a folder of others, and files would be sent to it.
 * @throws MediaprocError AUTH_REQUIRED, ENGINE_UNAVAILABLE when the key is in a keyring that cannot be read, USAGE
 */
async function keyFor(address: string, { apiKeyFile, isServerFound }: ServerOptions): Promise<string | undefined> {
  if (apiKeyFile !== undefined) return keyFromFile(apiKeyFile)
  const login = loginOf(address)
  if (isServerFound) {
    if (login) return keyOf(address, login)
    throw new MediaprocError(
      'AUTH_REQUIRED',
      `The configuration names the server ${address}, which you have not signed in to`,
      {
        hint: `Run mediaproc login ${address} if you trust it; --server ${HERE} runs the command on this machine.`,
      },
    )
  }
  const key = environmentSecret('MEDIAPROC_API_KEY').trim()
  if (key !== '') return checkedKey(key, 'MEDIAPROC_API_KEY')
  return login && keyOf(address, login)
}

/** The server that runs the jobs of a command; undefined without one. @throws MediaprocError */
export async function remoteFor(options: ServerOptions, io: Io): Promise<OpenRemote | undefined> {
  const { server, quiet } = options
  if (server === undefined || server === '' || server === HERE) return undefined
  const address = serverAddress(server)
  const key = await keyFor(address, options)
  if (isExposed(address) && !quiet)
    io.err(
      `mediaproc: warning: ${address} is not encrypted: others on the network can read the files${key === undefined ? '' : ' and the key'}\n`,
    )
  const { openRemote } = await import('../../remote/open.ts')
  return openRemote(address, key)
}
