/** The history: jobs of the user, newest first, with their results. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { loadTools, tools } from '../api/tools.ts'
import type { Job } from '../api/types.ts'
import { setTitle } from '../app/brand.ts'
import { Pager } from '../app/pager.tsx'
import { useWork } from '../app/work.ts'
import { runsByJob } from '../run/history.ts'
import { STRINGS } from '../strings.ts'
import { JobRow } from './job-row.tsx'
import { PAGE, useJobs } from './use-jobs.ts'
import '../styles/account.css'
import '../styles/jobs.css'

const STATES = ['', 'queued', 'processing', 'completed', 'failed', 'canceled'] as const
type State = (typeof STATES)[number]

export function JobsPage(): JSX.Element {
  const { jobs } = STRINGS
  const work = useWork()
  const offset = useSignal(0)
  const status = useSignal<State>('')
  const {
    jobs: list,
    total,
    failure,
    reload,
  } = useJobs(offset.value, status.value, (last) => {
    offset.value = last
  })
  useEffect(() => {
    setTitle(jobs.title)
    work.run(loadTools)
  }, [])
  const kept = useMemo(runsByJob, [list.value])
  const labelOf = ({ toolId, type }: Job): string => {
    const id = toolId?.split('/')[0]
    return tools.value.find((tool) => tool.id === id)?.label ?? toolId ?? jobs.types[type] ?? type
  }
  return (
    <div class="page narrow">
      <div class="row apart">
        <h1 tabIndex={-1}>{jobs.title}</h1>
        <label class="row">
          <span class="faint small">{jobs.state}</span>
          <select
            value={status.value}
            onChange={(event) => {
              status.value = STATES.find((one) => one === event.currentTarget.value) ?? ''
              offset.value = 0
            }}
          >
            {STATES.map((one) => (
              <option key={one} value={one}>
                {jobs.states[one]}
              </option>
            ))}
          </select>
        </label>
      </div>
      <p class="alert" role="alert">
        {failure.value || work.message}
      </p>
      {list.value?.length === 0 && <p class="faint">{status.value ? jobs.noneInState : jobs.none}</p>}
      <ul class="rows">
        {list.value?.map((job) => (
          <JobRow key={job.artifactJobId} job={job} label={labelOf(job)} kept={kept.get(job.jobId)} onChange={reload} />
        ))}
      </ul>
      <Pager
        offset={offset.value}
        size={PAGE}
        total={total.value}
        onMove={(to) => {
          offset.value = to
        }}
      />
    </div>
  )
}
