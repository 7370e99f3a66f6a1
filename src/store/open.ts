import { openStore } from './file/open.ts'
import type { StoreOptions } from './options.ts'
import type { Store } from './store.ts'

/**
 * Opens the store that the configuration names: files of the data folder, a database, or what several servers share.
 * @throws CONFLICT when another server uses it, INVALID_CONFIG, STORE_UNAVAILABLE when the database does not answer
 */
export async function openConfiguredStore(folder: string, options: StoreOptions): Promise<Store> {
  const { database, cluster } = options
  if (!database) return openStore(folder, options)
  if (cluster) {
    const { openClusterStore } = await import('./cluster/open.ts')
    return openClusterStore(folder, { ...options, database, cluster })
  }
  const { openPostgresStore } = await import('./postgres/open.ts')
  return openPostgresStore(folder, { ...options, database })
}
