/** Reasons of a failed single sign-on: the code in the redirect URL, and the message on the page. */
export const SIGN_IN_FAILURES = {
  oidc_provider_unreachable: 'The provider does not answer. Try again in a few minutes.',
  oidc_session_expired: 'This sign-in took too long, or was started in another window. Start again.',
  oidc_auth_failed: 'The provider did not confirm who you are.',
  oidc_user_not_authorized: 'Your account may not use this instance. Ask its administrator.',
  oidc_user_limit_reached: 'This instance has as many users as it may have. Ask its administrator.',
  saml_provider_unreachable: 'The provider does not answer. Try again in a few minutes.',
  saml_auth_failed: 'The provider did not confirm who you are.',
  saml_user_not_authorized: 'Your account may not use this instance. Ask its administrator.',
  saml_user_limit_reached: 'This instance has as many users as it may have. Ask its administrator.',
  header_auth_failed: 'The proxy in front of this server did not say who you are.',
  header_user_not_authorized: 'Your account may not use this instance. Ask its administrator.',
  header_user_limit_reached: 'This instance has as many users as it may have. Ask its administrator.',
  mfa_enrollment_required: 'This instance asks for a second factor, and you have none yet. Ask its administrator.',
} as const

export type SignInFailure = keyof typeof SIGN_IN_FAILURES

/** The page's message for a code in its URL, which is untrusted input. */
export function sentenceOf(word: string): string {
  return Object.hasOwn(SIGN_IN_FAILURES, word) ? SIGN_IN_FAILURES[word as SignInFailure] : 'Signing in did not succeed.'
}
