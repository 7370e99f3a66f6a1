import { readFile } from 'node:fs/promises'
import { MediaprocError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import type { ServerContext } from '../context.ts'
import { invalid } from '../http/answers.ts'
import { runOnce } from '../library/run-ephemeral.ts'
import { LOGO_SETTING } from './settings.ts'

/** Longest side of a logo as it is kept, in pixels. */
const SIDE = 128
/** Of a picture of this size hardly any PNG is longer; all settings are in one file. */
const MAX_PNG_BYTES = 100_000

/** How the instance looks; null where nothing was chosen. */
export interface Branding {
  name: string | null
  primaryColor: string | null
  accentColor: string | null
  logoUrl: string | null
}

/** Which settings hold it. */
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
    // With when it came, so that browsers do not show the one before.
    logoUrl: logo ? `/api/v1/settings/logo?at=${Date.parse(logo.updatedAt)}` : null,
  }
}

/**
 * Takes a picture as the logo: decoded and redrawn in a process of the pool, so that nothing of what came is served.
 * @throws MediaprocError VALIDATION_ERROR when it is no picture
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
