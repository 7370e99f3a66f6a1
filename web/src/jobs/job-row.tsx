import type { JSX } from 'preact'
import { addressOf, call } from '../api/call.ts'
import type { Job } from '../api/types.ts'
import { momentText } from '../app/dates.ts'
import { Icon } from '../app/icons.tsx'
import { navigate } from '../app/router.ts'
import { useWork } from '../app/work.ts'
import { remember } from '../forms/memory.ts'
import type { KeptRun } from '../run/history.ts'
import { downloadsOf } from '../run/result-files.ts'
import { STRINGS } from '../strings.ts'
import { isRunning } from './use-jobs.ts'

const BADGES: Readonly<Record<string, string>> = { completed: 'badge good', failed: 'badge bad' }

/** The results of a job can be downloaded until they expire. */
const hasFiles = ({ result, expiresAt }: Job): boolean =>
  result !== null && (expiresAt === null || Date.parse(expiresAt) > Date.now())

interface JobRowProps {
  job: Job
  label: string
  /** The settings of the job, if this browser has them. */
  kept: KeptRun | undefined
  onChange(): void
}

/** Opens the tool with the settings of an earlier run. */
function useAgain({ tool, settings }: KeptRun): void {
  remember(tool, settings)
  navigate(`tools/${tool}`)
}

export function JobRow({ job, label, kept, onChange }: JobRowProps): JSX.Element {
  const { jobs } = STRINGS
  const work = useWork()
  const { artifactJobId, status, createdAt, progress, error, result, expiresAt } = job
  // The other id is the client's own, which several jobs may have.
  const path = `api/v1/jobs/${encodeURIComponent(artifactJobId)}`
  const cancel = (): Promise<void> =>
    work.run(async () => {
      await call(`${path}/cancel`, { method: 'POST' })
      onChange()
    })
  const remove = (): void => {
    if (!confirm(jobs.confirmRemove)) return
    work.run(async () => {
      await call(path, { method: 'DELETE' })
      onChange()
    })
  }
  return (
    <li class="job">
      <div class="grow">
        <strong>{label}</strong> <span class={BADGES[status] ?? 'badge'}>{jobs.states[status]}</span>
        <span class="faint small block">
          {momentText(createdAt)}
          {hasFiles(job) && expiresAt && ` · ${jobs.until(momentText(expiresAt))}`}
        </span>
        {isRunning(job) && <progress max={100} value={progress.percent} aria-label={jobs.progressOf(label)} />}
        {error && <span class="small block job-error">{error.message}</span>}
        {work.message && <span class="small block job-error">{work.message}</span>}
      </div>
      {kept && !isRunning(job) && (
        <button type="button" class="quiet" onClick={() => useAgain(kept)}>
          <Icon name="reset" size={16} />
          {jobs.useSettings}
        </button>
      )}
      {hasFiles(job) &&
        downloadsOf(result).map(({ url, name }) => (
          <a key={url} class="button plain" href={addressOf(url)} download={name}>
            <Icon name="download" size={16} />
            <span class="file-name">{name}</span>
          </a>
        ))}
      {isRunning(job) ? (
        <button type="button" class="plain" onClick={cancel}>
          {jobs.cancel}
        </button>
      ) : (
        <button
          type="button"
          class="icon-button"
          aria-label={jobs.remove(label)}
          title={jobs.remove(label)}
          onClick={remove}
        >
          <Icon name="trash" />
        </button>
      )}
    </li>
  )
}
