import type { FastifyRequest } from 'fastify'
import type { ServerContext } from '../context.ts'

/** All actions of the audit log. */
export const AUDIT_ACTIONS = [
  'LOGIN_SUCCESS',
  'LOGIN_FAILED',
  'LOGOUT',
  'USER_CREATED',
  'USER_UPDATED',
  'USER_DELETED',
  'PASSWORD_CHANGED',
  'PASSWORD_RESET',
  'MFA_ENROLLED',
  'MFA_DISABLED',
  'IDENTITY_CONFIRMED',
  'CONFIRMATION_FAILED',
  'MFA_VERIFIED',
  'MFA_VERIFY_FAILED',
  'MFA_CHALLENGE_ISSUED',
  'MFA_RECOVERY_USED',
  'MFA_RESET',
  'DEVICE_APPROVED',
  'DEVICE_REFUSED',
  'DEVICE_CODE_WRONG',
  'PASSKEY_ADDED',
  'PASSKEY_RENAMED',
  'PASSKEY_REMOVED',
  'PASSKEY_REFUSED',
  'OIDC_LOGIN_SUCCESS',
  'OIDC_LOGIN_FAILED',
  'OIDC_USER_CREATED',
  'OIDC_USER_LINKED',
  'OIDC_LOGOUT',
  'SAML_LOGOUT',
  'LDAP_LOGIN_SUCCESS',
  'LDAP_LOGIN_FAILED',
  'LDAP_USER_CREATED',
  'LDAP_USER_LINKED',
  'MACHINE_TOKEN_ISSUED',
  'MACHINE_TOKEN_REFUSED',
  'HEADER_LOGIN_SUCCESS',
  'HEADER_LOGIN_FAILED',
  'HEADER_USER_CREATED',
  'HEADER_USER_LINKED',
  'SAML_LOGIN_SUCCESS',
  'SAML_LOGIN_FAILED',
  'SAML_USER_CREATED',
  'SAML_USER_LINKED',
  'SESSION_REVOKED',
  'BRANDING_UPDATED',
  'AUDIT_EXPORTED',
  'ROLE_CREATED',
  'ROLE_UPDATED',
  'ROLE_DELETED',
  'TEAM_CREATED',
  'TEAM_UPDATED',
  'TEAM_DELETED',
  'SERVICE_ACCOUNT_CREATED',
  'SERVICE_ACCOUNT_UPDATED',
  'SERVICE_ACCOUNT_DELETED',
  'SCIM_TOKEN_CREATED',
  'SCIM_TOKEN_REVOKED',
  'API_KEY_CREATED',
  'API_KEY_DELETED',
  'WEBHOOK_CREATED',
  'WEBHOOK_UPDATED',
  'WEBHOOK_DELETED',
  'WEBHOOK_SECRET_ROTATED',
  'SETTINGS_UPDATED',
  'FILE_UPLOADED',
  'FILE_DELETED',
  'TOOL_EXECUTED',
  'FEATURE_INSTALLED',
  'FEATURE_UNINSTALLED',
] as const

export type AuditAction = (typeof AUDIT_ACTIONS)[number]

export interface AuditFacts {
  /** The actor, if it is not the caller. */
  actor?: { id: string | null; username: string | null }
  target?: { type: string; id: string | null }
  /** Must not contain passwords, codes or tokens. */
  details?: Record<string, unknown>
}

/** Longer setting values are logged as their length, in characters. */
const LONGEST_VALUE = 200

const noted = (value: unknown): unknown =>
  typeof value === 'string' && value.length > LONGEST_VALUE ? `${value.length} characters` : value

/** The changed fields of a record with old and new values, for `details`. */
export function changesOf<Kept extends object>(
  former: Partial<Kept>,
  now: Partial<Kept>,
  names: readonly (keyof Kept)[],
): { before: Partial<Kept>; after: Partial<Kept> } {
  const changed = names.filter((name) => JSON.stringify(former[name]) !== JSON.stringify(now[name]))
  const values = (kept: Partial<Kept>) =>
    Object.fromEntries(changed.map((name) => [name, noted(kept[name] ?? null)])) as Partial<Kept>
  return { before: values(former), after: values(now) }
}

/** Records an action with its actor and address. A failure to write the log does not undo the action. */
export async function audit(
  { store, log }: Pick<ServerContext, 'store' | 'log'>,
  request: FastifyRequest,
  action: AuditAction,
  { actor, target, details }: AuditFacts = {},
): Promise<void> {
  const who = actor ?? { id: request.caller?.userId ?? null, username: request.caller?.username ?? null }
  await store.audit
    .append({
      actorId: who.id,
      actorUsername: who.username,
      action,
      targetType: target?.type ?? null,
      targetId: target?.id ?? null,
      details: details ?? null,
      ipAddress: request.ip,
    })
    .catch((error: unknown) => log.error({ err: error, action }, 'the audit log cannot be written'))
}
