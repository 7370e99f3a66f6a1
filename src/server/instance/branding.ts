import { readFile } from 'node:fs/promises'
import { MediaprocError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import type { ServerContext } from '../context.ts'
import { invalid } from '../http/answers.ts'
import { runOnce } from '../library/run-ephemeral.ts'
import { LOGO_SETTING } from './settings.ts'

/** Longest side of the stored logo, in pixels. */
const SIDE = 128
/** Nearly every PNG of that size fits in this limit, which exists because all settings share one file. */
const MAX_PNG_BYTES = 100_000

/** Branding of the server; null where nothing is set. */
export interface Branding {
  name: string | null
  primaryColor: string | null
  accentColor: string | null
  logoUrl: string | null
}

/** The settings that hold the branding. */
export const BRANDING_SETTINGS = {
  name: 'brandName',
  primaryColor: 'brandPrimaryColor',
  accentColor: 'brandAccentColor',
} as const

export async function branding({ settings }: Pick<Store, 'settings'>): Promise<Branding> {
  const value = async (name: string): Promise<string | null> => (await settings.get(name))?.value || null
  const { name, primaryColor, accentColor } = BRANDING_SETTINGS
  const logo = await settings.get(LOGO_SETTING)
  return {
    name: await value(name),
    primaryColor: await value(primaryColor),
    accentColor: await value(accentColor),
    // The upload time in the address makes browsers load a new logo.
    logoUrl: logo ? `/api/v1/settings/logo?at=${Date.parse(logo.updatedAt)}` : null,
  }
}

/**
 * Stores a picture as the logo. A process of the pool decodes and redraws it, so that no uploaded bytes are served.
 * @throws MediaprocError VALIDATION_ERROR when it is not a picture
 */
export async function keepLogo(context: ServerContext, file: { path: string; name: string }, ownerId: string) {
  const steps = [
    {
      toolId: 'image/resize',
      settings: { width: SIDE, height: SIDE, fit: 'inside', withoutEnlargement: true },
    },
    { toolId: 'image/convert', settings: { format: 'png' } },
    { toolId: 'image/strip-metadata', settings: {} },
  ]
  const png = await runOnce(context, ownerId, file, steps, ({ path }) => readFile(path)).catch((error: unknown) => {
    const isOurs = error instanceof MediaprocError && error.status >= 500
    throw isOurs ? error : invalid('The logo is not a picture that can be read')
  })
  if (png.length > MAX_PNG_BYTES) throw invalid('The logo has too many frames or colours to be kept')
  const updatedAt = new Date().toISOString()
  await context.store.transaction(async ({ settings }) => {
    await settings.set(LOGO_SETTING, { value: png.toString('base64'), updatedAt })
    await settings.set('customLogo', { value: 'true', updatedAt })
  })
}

export async function removeLogo({ store }: Pick<ServerContext, 'store'>): Promise<void> {
  await store.transaction(async ({ settings }) => {
    await settings.remove(LOGO_SETTING)
    await settings.set('customLogo', { value: 'false', updatedAt: new Date().toISOString() })
  })
}
