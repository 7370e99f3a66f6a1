/** The state of the server: its parts, queue, disk and programs; how much it logs; what a bug report needs. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { addressOf, call } from '../../api/call.ts'
import { may } from '../../api/session.ts'
import type { GetAdminHealth, GetReadyz } from '../../api/types.ts'
import { Icon } from '../../app/icons.tsx'
import { useWork } from '../../app/work.ts'
import { sizeText } from '../../files/size.ts'
import { STRINGS } from '../../strings.ts'
import { LogLevel } from './log-level.tsx'
import { readiness } from './readiness.ts'

/** Asked again after this time, in milliseconds. */
const AGAIN_MS = 5000

const PARTS = ['postgres', 'redis', 'disk', 's3'] as const

function Engines({ engines }: Pick<GetAdminHealth, 'engines'>): JSX.Element {
  const { health } = STRINGS.admin
  return (
    <section class="card" aria-labelledby="engines-title">
      <h2 id="engines-title">{health.engines}</h2>
      <p class="faint">{health.enginesHelp}</p>
      <table class="plain-table engines">
        <caption class="hidden">{health.engines}</caption>
        <thead>
          <tr>
            <th scope="col">{health.engine}</th>
            <th scope="col">{health.version}</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(engines).map(([name, { available, version }]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{available ? (version ?? health.present) : <span class="faint">{health.missing}</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function State({ state, ready }: { state: GetAdminHealth; ready: GetReadyz }): JSX.Element {
  const { health } = STRINGS.admin
  const { jobs } = state.pools
  const figures = [
    [health.version, state.version],
    [health.uptime, health.uptimeOf(Number.parseInt(state.uptime, 10))],
    [health.running, String(state.queue.active)],
    [health.waiting, String(state.queue.pending)],
    [health.processes, String(jobs.size)],
    [health.finished, health.jobsOf(jobs.finished, jobs.failed)],
    [health.crashes, String(jobs.crashed)],
    [health.free, sizeText(state.storage.available)],
    [health.contents, health.places[state.storage.mode] ?? state.storage.mode],
  ]
  return (
    <>
      <section class="card" aria-labelledby="ready-title">
        <h2 id="ready-title">
          {health.ready}{' '}
          <span class={ready.ok ? 'badge good' : 'badge bad'} id="readiness">
            {ready.ok ? health.states.healthy : health.states.degraded}
          </span>
        </h2>
        <ul class="rows">
          {PARTS.map((part) => (
            <li key={part}>
              <span>
                {health.parts[part]}
                <span class="faint small block">{health.partHelp[part]}</span>
              </span>
              <span class={ready[part] ? 'badge good' : 'badge bad'}>{ready[part] ? health.ok : health.fails}</span>
            </li>
          ))}
        </ul>
      </section>
      <dl class="figures">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

export function HealthPage(): JSX.Element {
  const { health, parts } = STRINGS.admin
  const work = useWork()
  const shown = useSignal<{ state: GetAdminHealth; ready: GetReadyz } | undefined>(undefined)
  useEffect(() => {
    let later: ReturnType<typeof setTimeout> | undefined
    let isLeft = false
    const load = async (): Promise<void> => {
      await work.run(async () => {
        const [state, ready] = await Promise.all([call<GetAdminHealth>('api/v1/admin/health'), readiness()])
        shown.value = { state, ready }
      })
      if (!isLeft) later = setTimeout(load, AGAIN_MS)
    }
    load()
    return () => {
      isLeft = true
      clearTimeout(later)
    }
  }, [])
  return (
    <>
      <div class="row apart">
        <h1 tabIndex={-1}>{parts.health}</h1>
        <a class="button plain" href={addressOf('api/v1/admin/support-bundle')} download="mediaproc-support.zip">
          <Icon name="download" size={16} />
          {health.support}
        </a>
      </div>
      <p class="faint small">{health.supportHelp}</p>
      <p class="alert" role="alert">
        {work.message}
      </p>
      {shown.value && <State {...shown.value} />}
      {may('settings:write') && <LogLevel />}
      {shown.value && <Engines engines={shown.value.state.engines} />}
    </>
  )
}
