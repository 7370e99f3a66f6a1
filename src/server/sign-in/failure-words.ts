/** Reasons of a failed single sign-on: the code in the redirect URL, and the message on the page. */
export const SIGN_IN_FAILURES = {
  oidc_provider_unreachable: 'The sign-in provider does not respond. Try again in a few minutes.',
  oidc_session_expired: 'The sign-in expired or was started in another window. Try again.',
  oidc_auth_failed: 'The sign-in provider did not confirm your identity.',
  oidc_user_not_authorized: 'Your account is not allowed to use this server. Contact your administrator.',
  oidc_user_limit_reached: 'The server has reached its user limit. Contact your administrator.',
  saml_provider_unreachable: 'The sign-in provider does not respond. Try again in a few minutes.',
  saml_auth_failed: 'The sign-in provider did not confirm your identity.',
  saml_user_not_authorized: 'Your account is not allowed to use this server. Contact your administrator.',
  saml_user_limit_reached: 'The server has reached its user limit. Contact your administrator.',
  header_auth_failed: 'The proxy in front of this server did not confirm your identity.',
  header_user_not_authorized: 'Your account is not allowed to use this server. Contact your administrator.',
  header_user_limit_reached: 'The server has reached its user limit. Contact your administrator.',
  mfa_enrollment_required:
    'This server requires a second factor, and your account has none. Contact your administrator.',
} as const

export type SignInFailure = keyof typeof SIGN_IN_FAILURES

/** The page's message for a code in its URL, which is untrusted input. */
export function sentenceOf(word: string): string {
  return Object.hasOwn(SIGN_IN_FAILURES, word) ? SIGN_IN_FAILURES[word as SignInFailure] : 'Sign-in failed.'
}
