import type { Repositories } from '../store/repositories.ts'

/** A setting that an administrator may change at any time: a whole number from 0; `fallback` when it is not set or is none. */
export async function settingNumber(
  { settings }: Pick<Repositories, 'settings'>,
  name: string,
  fallback: number,
): Promise<number> {
  const value = (await settings.get(name))?.value
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : fallback
}

export async function settingFlag(
  { settings }: Pick<Repositories, 'settings'>,
  name: string,
  fallback: boolean,
): Promise<boolean> {
  const value = (await settings.get(name))?.value
  return value === 'true' || value === 'false' ? value === 'true' : fallback
}
