/** Abbreviations keep their capitals. */
const CAPITALS = new Set(['API', 'MFA', 'OIDC', 'SAML', 'LDAP', 'SCIM', 'SSO'])

/** `OIDC_USER_CREATED` is `OIDC user created`. */
export function actionText(action: string): string {
  const words = action.split('_').map((word) => (CAPITALS.has(word) ? word : word.toLowerCase()))
  const text = words.join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
