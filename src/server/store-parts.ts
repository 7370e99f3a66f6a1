import { packageVersion } from '../root.ts'
import type { ClusterOptions } from '../store/cluster/options.ts'
import type { StoreOptions } from '../store/options.ts'
import type { ServerConfig } from './config.ts'

type Parts = Pick<StoreOptions, 'database' | 'cluster'> &
  Required<Pick<StoreOptions, 'filesFolder' | 'workspaceFolder'>>

/** Where records and contents are, besides the data folder. */
export const storeParts = (
  { database, cluster, role, concurrentJobs, libraryFolder, workspaceFolder }: ServerConfig,
  onWarning: ClusterOptions['onWarning'],
): Parts => ({
  ...{ database, filesFolder: libraryFolder, workspaceFolder },
  cluster: cluster && { ...cluster, role: { name: role, version: packageVersion(), concurrentJobs }, onWarning },
})
