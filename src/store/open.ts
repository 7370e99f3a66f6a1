import { openStore } from './file/open.ts'
import type { StoreOptions } from './options.ts'
import type { Store } from './store.ts'

/**
 * Opens the store that the configuration names: the database, or files of the data folder.
 * @throws CONFLICT when another server uses it, INVALID_CONFIG, STORE_UNAVAILABLE when the database does not answer
 */
export async function openConfiguredStore(folder: string, options: StoreOptions): Promise<Store> {
  if (!options.database) return openStore(folder, options)
  const { openPostgresStore } = await import('./postgres/open.ts')
  return openPostgresStore(folder, { ...options, database: options.database })
}
