import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openRedis, type Redis } from '../../engines/redis/redis.ts'
import { openBucket } from '../../engines/s3/s3.ts'
import { makeFolder } from '../../make-folder.ts'
import type { Blobs } from '../blobs.ts'
import { FileBlobs } from '../local/blobs.ts'
import { canWrite } from '../local/can-write.ts'
import { discard, isOwnFolder } from '../local/leftovers.ts'
import { directly } from '../postgres/access.ts'
import { PostgresAttempts } from '../postgres/attempts.ts'
import { claimFolder, hasSharedContents, noteSharedContents } from '../postgres/claim.ts'
import { JobTable } from '../postgres/job-table.ts'
import { PostgresLibrary } from '../postgres/library.ts'
import { type DatabaseParts, type DatabaseStoreOptions, openParts } from '../postgres/parts.ts'
import { SharedSpace } from '../postgres/shared-space.ts'
import { type BlobKind, S3Blobs } from '../s3/blobs.ts'
import type { Store } from '../store.ts'
import { Admission } from './admission.ts'
import { claimBucket, notThere } from './claim-bucket.ts'
import { Claims } from './claims.ts'
import { JobInputs } from './inputs.ts'
import { ClusterJobs } from './jobs.ts'
import { removeJobLeftovers } from './leftovers.ts'
import { Nodes } from './nodes.ts'
import type { ClusterOptions, SharedContents } from './options.ts'
import { ClusterQueue } from './queue.ts'
import { ClusterWorkspace } from './workspace.ts'

export type ClusterStoreOptions = DatabaseStoreOptions & { cluster: ClusterOptions }

/** Incomplete files that changed within this time may be those of another server, in milliseconds. */
const KEPT_PARTS_MS = 3_600_000

export interface Contents {
  blobs(kind: BlobKind): Blobs
  ping(): Promise<boolean>
}

/**
 * Opens the contents of a database: an empty place becomes its own, unless it has another one already.
 * @param id the database that the contents belong to
 * @throws INVALID_CONFIG for the contents of another database, and for an empty place where there should be some
 */
export async function openContents(
  shared: SharedContents,
  { accounts, id }: Pick<DatabaseParts, 'accounts' | 'id'>,
  scratch: string,
): Promise<Contents> {
  const isUsed = await hasSharedContents(accounts)
  if (shared.kind === 's3') {
    const bucket = await openBucket(shared.s3)
    await claimBucket(bucket, id, isUsed)
    await noteSharedContents(accounts)
    return { blobs: (kind) => new S3Blobs(bucket, kind, scratch), ping: () => bucket.ping() }
  }
  const { folder } = shared
  const contents = join(folder, 'contents')
  if (isUsed && !existsSync(`${contents}.id`)) throw notThere(`The folder ${folder}`, 'SHARED_DIR')
  await claimFolder(contents, id, 'SHARED_DIR')
  await noteSharedContents(accounts)
  return {
    blobs(kind) {
      // Other kinds keep their folders: a file may be stored while another one is removed.
      const how = { isDurable: kind !== 'previews', prunes: kind === 'inputs' }
      const blobs = new FileBlobs(join(contents, kind), how)
      void blobs.removeParts(KEPT_PARTS_MS).catch(() => {})
      return blobs
    },
    ping: async () => existsSync(`${contents}.id`) && canWrite(folder),
  }
}

/**
 * Opens the store that several servers share: records in PostgreSQL, contents in one folder or bucket, events over Redis. The
 * data folder is that of this process alone.
 *
 * @throws CONFLICT when another server uses the folder, or a single one the database; INVALID_CONFIG, STORE_UNAVAILABLE,
 *   ENGINE_UNAVAILABLE
 */
export function openClusterStore(folder: string, options: ClusterStoreOptions): Promise<Store> {
  const { redis: redisOptions, onWarning } = options.cluster
  return openParts(folder, options, true, async (parts) => {
    const redis = await openRedis(redisOptions, parts.id, onWarning)
    parts.closers.push(() => redis.close())
    return assemble(folder, options, parts, redis)
  })
}

async function assemble(
  folder: string,
  { cluster, workspaceFolder }: ClusterStoreOptions,
  parts: DatabaseParts,
  redis: Redis,
): Promise<Omit<Store, 'close'>> {
  const { opened, accounts, records, transaction, audit, ping, closers } = parts
  const scratch = workspaceFolder ?? join(folder, 'workspace')
  await makeFolder(scratch, 0o700)
  // What a former run of this process left.
  for (const name of await readdir(scratch)) if (isOwnFolder(name)) await discard(join(scratch, name))
  await discard(join(folder, 'borrowed'))
  const contents = await openContents(cluster.contents, parts, join(folder, 'borrowed'))
  const results = contents.blobs('results')
  const workspace = new ClusterWorkspace(scratch, accounts)
  const uploads = contents.blobs('inputs')
  const inputs = new JobInputs(uploads, results, () => contents.ping())
  const table = new JobTable(accounts)
  const nodes = new Nodes(accounts)
  const claims = new Claims(opened, table, nodes.id)
  const jobs = new ClusterJobs(table, claims, { results, inputs })
  closers.push(() => jobs.close())
  const { role, onWarning } = cluster
  const queue = new ClusterQueue({
    nodes,
    admission: new Admission(accounts),
    claims,
    jobs,
    table,
    inputs,
    redis,
    workspace,
    role,
    onWarning,
  })
  closers.push(() => queue.leave())
  const space = new SharedSpace(opened)
  closers.push(() => space.close())
  await space.removeDead()
  const library = new PostgresLibrary(directly(opened, 'library'), contents.blobs('library'), space)
  return {
    ...{ ...records, transaction, audit, library, results, workspace, jobs, queue, redis },
    previews: contents.blobs('previews'),
    attempts: new PostgresAttempts(opened),
    lease: (name, ms) => nodes.lease(name, ms),
    async removeLeftovers() {
      await removeJobLeftovers(table, uploads, results)
      await library.removeLeftovers()
    },
    ping: async () => (await ping()) && canWrite(folder),
    async health() {
      const [postgres, isRedis, s3] = await Promise.all([ping(), redis.ping(), contents.ping()])
      return { postgres, redis: isRedis, s3 }
    },
  }
}
