import { MediaprocError } from '../../errors.ts'
import { Connection } from '../../remote/connection.ts'
import type { Login } from '../../remote/logins.ts'
import type { Io } from '../output/io.ts'
import { withSignals } from '../signals.ts'
import { keyName, signInWithCode } from './sign-in-with-code.ts'

/** How long a request may take, in milliseconds. */
const LIMIT_MS = 30_000

const limit = (): AbortSignal => AbortSignal.timeout(LIMIT_MS)

/**
 * Signs in to a server: in the browser, or on the terminal. Without accounts there is nothing to sign in to.
 * @param web as --web: undefined chooses
 * @throws MediaprocError SERVER_UNREACHABLE for an address that is not of mediaproc, USAGE if the server has no such sign-in
 */
export async function signIn(server: Connection, io: Io, web: boolean | undefined): Promise<Login> {
  const { authEnabled, deviceEnabled } = await server.json('GET', '/api/v1/config/auth', { signal: limit() })
  if (authEnabled === false) return {}
  // Older servers do not have it.
  const isOffered = deviceEnabled === true
  if (web && !isOffered)
    throw new MediaprocError('USAGE', `${server.address} does not offer to sign in in the browser`, {
      hint: 'Create an API key in its console, and give it with --api-key-file FILE; - is standard input.',
    })
  if (isOffered && (web ?? (io.stdinIsTerminal && io.stderrIsTerminal)))
    return withSignals(io, (signal) => signInWithCode(server, io, signal))
  return signInOnTerminal(server, io)
}

/** @throws MediaprocError SESSION_INVALID for a key that the server refuses */
export async function checkKey(address: string, key: string | undefined): Promise<void> {
  const server = new Connection(address, key)
  try {
    await server.json('GET', '/api/v1/tools/popular', { signal: limit() })
  } finally {
    await server.close()
  }
}

/** The session of a user; with a second factor, its code is asked for. */
async function sessionOf(server: Connection, username: string): Promise<string> {
  const { password, input } = await import('@inquirer/prompts')
  const secret = await password({ message: 'Password', mask: true })
  const data = { username, password: secret }
  let answer = await server.json('POST', '/api/auth/login', { data, signal: limit(), isOnce: true })
  if (answer.requiresMfa === true) {
    const code = await input({ message: 'Code of the second factor' })
    const second = { mfaToken: answer.mfaToken, code: code.trim() }
    answer = await server.json('POST', '/api/auth/mfa/complete', { data: second, signal: limit(), isOnce: true })
  }
  return String(answer.token)
}

/** Signs in on the terminal, and creates a key of this machine; the session ends at once. */
async function signInOnTerminal(server: Connection, io: Io): Promise<Login> {
  if (!io.stdinIsTerminal || !io.stderrIsTerminal)
    throw new MediaprocError('USAGE', 'There is no terminal to ask for a name and a password', {
      hint: 'Sign in in the browser with --web, or give an API key with --api-key-file FILE; - is standard input.',
    })
  const { input } = await import('@inquirer/prompts')
  const username = (await input({ message: `Name on ${server.address}` })).trim()
  const session = new Connection(server.address, await sessionOf(server, username))
  try {
    const data = { name: keyName() }
    const made = await session.json('POST', '/api/v1/api-keys', { data, signal: limit(), isOnce: true })
    await session.json('POST', '/api/auth/logout', { signal: limit(), isOnce: true })
    return { key: String(made.key), keyId: String(made.id), username }
  } finally {
    await session.close()
  }
}

/** Deletes a key that login created. Returns false if the server does not know it any more, or is away. */
export async function deleteKey(address: string, keyId: string | undefined, key: string | undefined): Promise<boolean> {
  if (key === undefined || keyId === undefined) return false
  const server = new Connection(address, key)
  try {
    const signal = limit()
    await server.json('DELETE', `/api/v1/api-keys/${encodeURIComponent(keyId)}`, { signal, isOnce: true })
    return true
  } catch {
    return false
  } finally {
    await server.close()
  }
}
