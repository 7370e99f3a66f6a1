/** Who uses the console, and what the server offers for signing in. */
import { signal } from '@preact/signals'
import { OF_TAB, store, stored } from '../app/storage.ts'
import { ApiError, addressOf, call } from './call.ts'
import type { GetAuthSession, GetConfigAuth, PostAuthLogout, SessionUser } from './types.ts'

export const authConfig = signal<GetConfigAuth>({ authEnabled: true })
export const user = signal<SessionUser | undefined>(undefined)

/** Whether the user holds a permission; actions without it are not shown. */
export const may = (permission: string): boolean => user.value?.permissions.includes(permission) ?? false

/** Where the user wanted to go before signing in; kept for one visit of this tab. */
const NEXT = 'mediaproc:next'

/** Reads the configuration and the session. Without a usable session `user` stays undefined. */
export async function loadSession(): Promise<void> {
  authConfig.value = await call<GetConfigAuth>('api/v1/config/auth')
  try {
    const session = await call<GetAuthSession>('api/auth/session', { mayBeSignedOut: true })
    user.value = session.user.mustChangePassword ? undefined : session.user
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    user.value = undefined
  }
}

/** Leaves for the sign-in page, through the server: a proxy in front of it may sign the user in. */
export function leaveForSignIn(path: string): void {
  // The fragment can be a pipeline that was shared.
  if (path && path !== 'login') store(NEXT, path + location.hash, OF_TAB)
  location.replace(addressOf('login'))
}

/** The page to open after the sign-in. */
export function takeNext(): string {
  const next = stored(NEXT, OF_TAB) ?? ''
  store(NEXT, undefined, OF_TAB)
  return next
}

export async function signOut(): Promise<void> {
  const { logoutUrl } = await call<PostAuthLogout>('api/auth/logout', { method: 'POST' })
  location.assign(logoutUrl ?? addressOf('login'))
}
