import { type MediaprocError, toMediaprocError } from '../../errors.ts'
import type { OnWarning, PlannedRun } from '../../local/planned-run.ts'

/** The engine pack whose absence an error reports. */
function missingPack({ code, fields }: MediaprocError): string | undefined {
  const { pack } = (fields ?? {}) as { pack?: unknown }
  return code === 'ENGINE_UNAVAILABLE' && typeof pack === 'string' ? pack : undefined
}

/**
 * A run whose jobs are repeated when an engine pack was missing and `obtain` has installed it. Each pack is requested once.
 * @param obtain returns false if the pack stays missing; the job then fails with the error of the tool
 */
export function withPacks(run: PlannedRun, obtain: (pack: string) => Promise<boolean>): PlannedRun {
  const requested = new Map<string, Promise<boolean>>()
  return {
    ...run,
    async run(job, onProgress, onWarning) {
      for (const tried = new Set<string>(); ; ) {
        const warnings: Parameters<OnWarning>[] = []
        try {
          const result = await run.run(job, onProgress, (...warning) => void warnings.push(warning))
          for (const warning of warnings) onWarning(...warning)
          return result
        } catch (error) {
          const pack = missingPack(toMediaprocError(error))
          const isNew = pack !== undefined && !tried.has(pack)
          const answer = isNew ? (requested.get(pack) ?? obtain(pack)) : undefined
          if (isNew && answer) requested.set(pack, answer)
          if (!isNew || !(await answer)) {
            for (const warning of warnings) onWarning(...warning)
            throw error
          }
          tried.add(pack)
        }
      }
    },
  }
}
