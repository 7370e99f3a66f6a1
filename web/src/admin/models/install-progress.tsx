import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Bundle } from '../../api/types.ts'
import { announce } from '../../app/announce.ts'
import { follow } from '../../run/follow.ts'
import { STRINGS } from '../../strings.ts'

interface InstallProgressProps {
  name: string
  progress: NonNullable<Bundle['progress']>
  onEnd(): Promise<void>
  onCancel(jobId: string): void
}

/** An install as it happens, from the events of its job. The answer of the list is its beginning. */
export function InstallProgress({ name, progress, onEnd, onCancel }: InstallProgressProps): JSX.Element {
  const { models } = STRINGS.admin
  const { jobId } = progress
  const live = useSignal({ percent: progress.percent, stage: progress.stage })
  useEffect(() => {
    if (jobId === undefined) return
    const stop = new AbortController()
    const note = (percent: number, stage: string): void => {
      live.value = { percent, stage }
    }
    follow(jobId, note, stop.signal, () => true)
      .then(() => announce(models.installed(name)))
      // The state of the bundle says why.
      .catch(() => undefined)
      .finally(() => {
        if (!stop.signal.aborted) onEnd()
      })
    return () => stop.abort()
  }, [jobId])
  const { percent, stage } = live.value
  return (
    <div class="row install">
      <progress class="grow" max={100} value={percent} aria-label={STRINGS.results.progressOf(name)} />
      <span class="faint small">
        {Math.round(percent)} % {models.stages[stage] ?? stage}
      </span>
      {jobId !== undefined && (
        <button type="button" class="plain" aria-label={models.cancelOf(name)} onClick={() => onCancel(jobId)}>
          {STRINGS.results.cancel}
        </button>
      )}
    </div>
  )
}
