/** The pages of administrators. Each is shown only to users with its permission. */
import { authConfig, may } from '../api/session.ts'
import type { IconName } from '../app/icons.tsx'

export const ADMIN_PARTS = [
  { id: 'users', permission: 'users:manage', icon: 'users', needsAccounts: true },
  { id: 'teams', permission: 'teams:manage', icon: 'team', needsAccounts: true },
  { id: 'roles', permission: 'audit:read', icon: 'shield', needsAccounts: true },
  { id: 'settings', permission: 'settings:write', icon: 'sliders', needsAccounts: false },
  { id: 'branding', permission: 'branding:manage', icon: 'palette', needsAccounts: false },
  { id: 'models', permission: 'features:manage', icon: 'box', needsAccounts: false },
  { id: 'audit', permission: 'audit:read', icon: 'list', needsAccounts: false },
  { id: 'usage', permission: 'audit:read', icon: 'chart', needsAccounts: false },
  { id: 'health', permission: 'system:health', icon: 'pulse', needsAccounts: false },
] as const satisfies readonly { id: string; permission: string; icon: IconName; needsAccounts: boolean }[]

export type AdminPart = (typeof ADMIN_PARTS)[number]['id']

export const isAdminPart = (text: string): text is AdminPart => ADMIN_PARTS.some(({ id }) => id === text)

/** The pages that the user may open. */
export const shownParts = (): readonly (typeof ADMIN_PARTS)[number][] =>
  ADMIN_PARTS.filter(
    ({ permission, needsAccounts }) => may(permission) && (authConfig.value.authEnabled || !needsAccounts),
  )
