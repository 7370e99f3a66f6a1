import { createHash, timingSafeEqual } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { MediaprocError } from '../errors.ts'

/** A file of the user that the console takes into its list. */
export interface OpenedFile {
  /** Absolute. */
  path: string
  name: string
  bytes: number
  mime: string
}

/** A server for one user on this machine, who comes with a token instead of a password. */
export interface PersonalServer {
  /** Part of the name of its session cookie: browsers have one store of cookies for all ports of a host. */
  id: string
  /** Accepted once. */
  token: string
  /** The only files of the machine that it reads. */
  files: readonly OpenedFile[]
  /** Called with the number of open pages whenever it changes. */
  onPages(count: number): void
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Compares in constant time. */
export const isToken = (given: string, token: string): boolean => timingSafeEqual(digest(given), digest(token))

/**
 * Accepts only the two names of this machine: a hostile page's own name may resolve to it as well (DNS rebinding), and that
 * page would then have the same origin.
 */
export function addPersonalHost(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers: { host } }) => {
    const { port } = app.server.address() as AddressInfo
    if (host === `127.0.0.1:${port}` || host === `localhost:${port}`) return
    throw new MediaprocError('FORBIDDEN', `The server answers only at http://127.0.0.1:${port}`, { hint: '' })
  })
}
