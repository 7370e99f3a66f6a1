import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { firstOf } from '../../lists.ts'
import type { NamedFile, TaskStep } from '../../pool/messages.ts'
import type { ServerContext } from '../context.ts'

/** Timeout of a thumbnail or preview, in seconds. */
const LIMIT_S = 120

export interface MadeOnce {
  /** Receives the first output file, in a folder that is removed afterwards. */
  path: string
  mime: string
  bytes: number
}

/**
 * Runs steps on one file in a process of the pool and passes the result to `use`, without creating a job.
 * @throws MediaprocError the error of the steps
 */
export async function runOnce<T>(
  { pool, config }: Pick<ServerContext, 'pool' | 'config'>,
  ownerKey: string,
  input: NamedFile,
  steps: readonly TaskStep[],
  use: (made: MadeOnce) => Promise<T>,
): Promise<T> {
  const destination = await mkdtemp(join(config.workspaceFolder, '.once-'))
  try {
    const task = { id: 'once', kind: 'pipeline' as const, steps, inputs: [input], ownerKey }
    const { outputs } = await pool.run({ ...task, destination, timeoutS: LIMIT_S, heavy: false })
    const { name, mime, bytes } = firstOf(outputs)
    return await use({ path: join(destination, name), mime, bytes })
  } finally {
    await rm(destination, { recursive: true, force: true })
  }
}
