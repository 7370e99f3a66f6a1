import { selfSigned } from './certificate.ts'

/** Environment of a server with every way of signing in, so that all routes exist. None of the providers is there. */
export function everySignIn(): Record<string, string> {
  const { certificate } = selfSigned('idp.example')
  return {
    ...{ OIDC_ENABLED: 'true', OIDC_ISSUER_URL: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'x' },
    ...{ SAML_ENABLED: 'true', SAML_IDP_SSO_URL: 'https://idp.example/sso', SAML_IDP_CERTIFICATE: certificate },
    EXTERNAL_URL: 'http://media.example',
    MACHINE_TOKEN_RULES: '[{"issuer":"https://ci.example","audience":"x","claims":{"sub":"x"},"account":"builds"}]',
  }
}
