import { CheckThreads } from './check-threads.ts'
import type { LogoutExpectations, LogoutMessage, LogoutRequest } from './saml-logout.ts'
import type { SamlExpectations, SamlUser } from './saml-response.ts'

/** A response to a sign-in, in base64. */
export interface ResponseReading {
  response: string
  expected: SamlExpectations
}

/** A logout request of the provider. */
export interface LogoutReading {
  logout: LogoutMessage
  expected: LogoutExpectations
}

export type SamlReading = ResponseReading | LogoutReading

/**
 * Timeout. A response takes about 10 ms to check, the first one 200, and one with the maximum of elements half a
 * second.
 */
const CHECK_MS = 5_000

/** Worker threads that check messages: the main thread never parses untrusted XML. */
export class SamlReaders {
  readonly #threads = new CheckThreads<SamlReading, SamlUser | LogoutRequest>(
    'src/accounts/sso/saml-worker.js',
    CHECK_MS,
  )

  /** @throws as {@link CheckThreads.ask} */
  read(reading: ResponseReading, from: string): Promise<SamlUser>
  read(reading: LogoutReading, from: string): Promise<LogoutRequest>
  read(reading: SamlReading, from: string): Promise<SamlUser | LogoutRequest> {
    return this.#threads.ask(reading, from)
  }

  /** Ends idle threads. */
  close(): Promise<void> {
    return this.#threads.close()
  }
}
