/** Usage: jobs for each day, tool and user, durations and storage. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { call } from '../../api/call.ts'
import { loadTools, tools } from '../../api/tools.ts'
import type { GetAdminUsage } from '../../api/types.ts'
import { useWork } from '../../app/work.ts'
import { sizeText } from '../../files/size.ts'
import { STRINGS } from '../../strings.ts'
import { DayChart } from './day-chart.tsx'
import { UsageTable } from './usage-table.tsx'

const PERIODS = [7, 30, 90, 365]

const secondsText = (milliseconds: number): string =>
  milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`

const toolLabel = (name: string): string => {
  const id = name.split('/').at(-1)
  return tools.value.find((tool) => tool.id === id)?.label ?? name
}

function Figures({ usage }: { usage: GetAdminUsage }): JSX.Element {
  const { usage: words, parts } = STRINGS.admin
  const { jobsPerDay, topTools, perUser, durations, storage } = usage
  const sum = (name: 'total' | 'failed'): number => jobsPerDay.reduce((all, day) => all + day[name], 0)
  return (
    <>
      <dl class="figures">
        <div>
          <dt>{words.jobs}</dt>
          <dd>{sum('total')}</dd>
        </div>
        <div>
          <dt>{words.failed}</dt>
          <dd>{sum('failed')}</dd>
        </div>
        <div>
          <dt>{words.activeUsers}</dt>
          <dd>{perUser.length}</dd>
        </div>
        <div>
          <dt>{words.library}</dt>
          <dd>{sizeText(storage.libraryBytes)}</dd>
        </div>
      </dl>
      <section class="card" aria-labelledby="days-title">
        <h2 id="days-title">{words.perDay}</h2>
        <DayChart days={jobsPerDay} period={usage.days} />
      </section>
      <section class="card" aria-labelledby="tools-title">
        <h2 id="tools-title">{words.perTool}</h2>
        <UsageTable
          caption={words.perTool}
          columns={[words.tool, words.runs]}
          rows={topTools.map(({ toolId, runs }) => ({ name: toolLabel(toolId), value: runs, cells: [String(runs)] }))}
        />
      </section>
      <section class="card" aria-labelledby="per-user-title">
        <h2 id="per-user-title">{words.perUser}</h2>
        <UsageTable
          caption={words.perUser}
          columns={[STRINGS.signIn.username, words.runs, words.uploaded]}
          rows={perUser.map(({ username, runs, bytesIn }) => ({
            name: username ?? words.nobody,
            value: runs,
            cells: [String(runs), sizeText(bytesIn)],
          }))}
        />
      </section>
      <section class="card" aria-labelledby="durations-title">
        <h2 id="durations-title">{words.durations}</h2>
        <UsageTable
          caption={words.durations}
          columns={[words.kind, words.median, words.slow]}
          rows={durations.map(({ pool, p50Ms, p95Ms }) => ({
            name: STRINGS.jobs.types[pool] ?? (pool === 'single' ? parts.toolRuns : pool),
            value: p50Ms,
            cells: [secondsText(p50Ms), secondsText(p95Ms)],
          }))}
        />
      </section>
    </>
  )
}

export function UsagePage(): JSX.Element {
  const { usage: words, parts } = STRINGS.admin
  const work = useWork()
  const days = useSignal(30)
  const usage = useSignal<GetAdminUsage | undefined>(undefined)
  useEffect(() => {
    work.run(async () => {
      const [answer] = await Promise.all([
        call<GetAdminUsage>(`api/v1/admin/usage?days=${days.value}`),
        loadTools().catch(() => undefined),
      ])
      usage.value = answer
    })
  }, [days.value])
  return (
    <>
      <div class="row apart">
        <h1 tabIndex={-1}>{parts.usage}</h1>
        <label class="row">
          <span class="faint small">{words.period}</span>
          <select
            value={String(days.value)}
            onChange={(event) => {
              days.value = Number(event.currentTarget.value)
            }}
          >
            {PERIODS.map((period) => (
              <option key={period} value={String(period)}>
                {words.days(period)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <p class="alert" role="alert">
        {work.message}
      </p>
      {usage.value && <Figures usage={usage.value} />}
    </>
  )
}
