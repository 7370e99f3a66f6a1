import { installPacks, type PackOptions } from '../../engines/packs/install.ts'
import type { Pack } from '../../engines/packs/manifest.ts'
import { enginesFolder } from '../../engines/packs/store.ts'
import { fetchProgress } from '../models/progress.ts'
import type { Io } from '../output/io.ts'

/** Runs work on engine packs, and shows the progress of its downloads. */
export async function withPackProgress<T>(
  io: Io,
  quiet: boolean,
  signal: AbortSignal,
  work: (options: PackOptions) => Promise<T>,
): Promise<T> {
  const progress = await fetchProgress(io, quiet)
  try {
    return await work({
      signal,
      onProgress: progress.show,
      onWait: (pid) => progress.say(`waiting for process ${pid}, which is changing the engines`),
    })
  } finally {
    progress.stop()
  }
}

/** Installs packs. @returns those that were missing */
export function install(io: Io, packs: readonly Pack[], quiet: boolean, signal: AbortSignal): Promise<Pack[]> {
  return withPackProgress(io, quiet, signal, (options) => installPacks(packs, enginesFolder(), options))
}
