import type { Repositories } from '../store/repositories.ts'

/** Reads a runtime setting that is a whole number from 0; `fallback` if it is unset or invalid. */
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
