import { MediaprocError } from '../../errors.ts'

/** Features that MEDIAPROC_FEATURES can switch off. */
export type Feature = 'mfa' | 'saml_sso' | 'sso_enforcement' | 'scim' | 'audit_export'

/** Whether a feature is enabled, by its name or by `*`. */
export function hasFeature({ features }: { features: readonly string[] }, feature: Feature): boolean {
  return features.includes('*') || features.includes(feature)
}

/** @throws MediaprocError FEATURE_NOT_LICENSED */
export function requireFeature({ config }: { config: { features: readonly string[] } }, feature: Feature): void {
  if (!hasFeature(config, feature)) throw new MediaprocError('FEATURE_NOT_LICENSED')
}
