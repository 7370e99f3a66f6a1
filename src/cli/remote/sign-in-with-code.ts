import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { missingDesktop, openFile } from '../../engines/desktop.ts'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { type Connection, isLost } from '../../remote/connection.ts'
import type { Login } from '../../remote/logins.ts'
import type { Io } from '../output/io.ts'

/** Name of the key of this machine: at most 100 characters. */
export const keyName = (): string => `mediaproc on ${hostname()}`.slice(0, 100)

/** In seconds: an answer of a server is not trusted to be within it. */
const INTERVAL = { usual: 5, least: 0.05, most: 60 }
const LIFETIME = { usual: 600, least: 1, most: 3600 }
/** What RFC 8628 adds to the interval when the server asks for it, in seconds. */
const SLOWER_S = 5

/** Sign-in of this machine, as the server began it. Times in seconds. */
interface Started {
  deviceCode: string
  userCode: string
  page: string
  address: string
  interval: number
  lifetime: number
}

const seconds = (value: unknown, { usual, least, most }: typeof INTERVAL): number =>
  typeof value === 'number' && Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : usual

/** An address is printed and opened: one that is not of a web page is refused. @throws SERVER_UNREACHABLE */
function webAddress(text: unknown): string {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol)) return url.href
  throw new MediaprocError('SERVER_UNREACHABLE', 'The server answered with an address that is not of a web page')
}

async function begin(server: Connection, signal: AbortSignal): Promise<Started> {
  const data = { client_name: keyName() }
  const answer = await server.json('POST', '/api/v1/auth/device', { data, signal, isOnce: true })
  const userCode = String(answer.user_code)
  if (!/^[\w-]{1,20}$/.test(userCode))
    throw new MediaprocError('SERVER_UNREACHABLE', 'The server answered with a code that cannot be typed')
  return {
    ...{ deviceCode: String(answer.device_code), userCode },
    ...{ page: webAddress(answer.verification_uri), address: webAddress(answer.verification_uri_complete) },
    ...{ interval: seconds(answer.interval, INTERVAL), lifetime: seconds(answer.expires_in, LIFETIME) },
  }
}

/** Prints the code and the address. On a terminal of a desktop, the page is opened as well: the code is typed there. */
async function show({ userCode, page, address, lifetime }: Started, io: Io): Promise<void> {
  const isOpen = io.stdinIsTerminal && io.stderrIsTerminal && missingDesktop() === undefined && (await openFile(page))
  io.err(`mediaproc: ${isOpen ? 'the browser shows' : 'open'} ${page}\n`)
  io.err(`mediaproc: enter the code ${io.errColours.bold(userCode)} there, or open this address, which has it:\n`)
  io.err(`${address}\n`)
  const minutes = Math.max(1, Math.round(lifetime / 60))
  io.err(`mediaproc: waiting for up to ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}; Ctrl-C ends\n`)
}

const expired = (): MediaprocError =>
  new MediaprocError('EXPIRED_TOKEN', 'The sign-in was not approved in time', {
    hint: { shell: 'Run mediaproc login again, and approve its new code in the browser.' },
  })

/** How much longer to wait after a failed question, in seconds; undefined if the failure is final. */
function slowerBy(error: unknown): number | undefined {
  if (isLost(error)) return SLOWER_S
  const { code } = toMediaprocError(error)
  if (code === 'SLOW_DOWN') return SLOWER_S
  return code === 'AUTHORIZATION_PENDING' ? 0 : undefined
}

/** Asks until the code was decided. @throws ACCESS_DENIED, EXPIRED_TOKEN, CANCELED */
async function decision(server: Connection, { deviceCode, interval, lifetime }: Started, signal: AbortSignal) {
  const end = AbortSignal.timeout(lifetime * 1000)
  const either = AbortSignal.any([signal, end])
  const data = { device_code: deviceCode }
  for (let pause = interval; ; ) {
    try {
      await wait(pause * 1000, undefined, { signal: either })
      return await server.json('POST', '/api/v1/auth/device/token', { data, signal: either, isOnce: true })
    } catch (error) {
      if (signal.aborted) throw toMediaprocError(signal.reason, 'CANCELED')
      if (end.aborted) throw expired()
      const slower = slowerBy(error)
      if (slower === undefined) throw error
      pause += slower
    }
  }
}

/** Signs in in the browser (RFC 8628): the server gives a key of this machine after a person has approved its code. */
export async function signInWithCode(server: Connection, io: Io, signal: AbortSignal): Promise<Login> {
  const started = await begin(server, signal)
  await show(started, io)
  const { access_token: key, key_id: keyId, username } = await decision(server, started, signal)
  return { key: String(key), keyId: String(keyId), username: String(username) }
}
