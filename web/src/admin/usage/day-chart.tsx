import type { JSX } from 'preact'
import type { GetAdminUsage } from '../../api/types.ts'
import { STRINGS } from '../../strings.ts'

type Day = GetAdminUsage['jobsPerDay'][number]

const DAY_MS = 24 * 3_600_000

/** Every day of the period: those without jobs are not in the answer. */
export function everyDay(days: readonly Day[], period: number, now = Date.now()): Day[] {
  const known = new Map(days.map((day) => [day.day, day]))
  return Array.from({ length: period }, (_, index) => {
    const day = new Date(now - (period - 1 - index) * DAY_MS).toISOString().slice(0, 10)
    return known.get(day) ?? { day, total: 0, completed: 0, failed: 0 }
  })
}

const dayLabel = (day: string): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** A bar for each day: failed jobs above the others. The same figures are in a table. */
export function DayChart({ days, period }: { days: readonly Day[]; period: number }): JSX.Element {
  const { usage } = STRINGS.admin
  const all = everyDay(days, period)
  const most = Math.max(1, ...all.map(({ completed, failed }) => completed + failed))
  const labelled = [0, Math.floor(all.length / 2), all.length - 1]
  const sum = all.reduce((total, day) => total + day.total, 0)
  return (
    <>
      <p class="chart-text">{most}</p>
      <svg
        class="chart"
        viewBox={`0 0 ${all.length} 1`}
        preserveAspectRatio="none"
        role="img"
        aria-label={usage.chart(sum, period, most)}
      >
        {all.map(({ day, total, completed, failed }, index) => (
          <g key={day}>
            <title>{usage.dayText(dayLabel(day), total, failed)}</title>
            <rect class="bar" x={index + 0.12} y={1 - completed / most} width={0.76} height={completed / most} />
            <rect
              class="bar bad"
              x={index + 0.12}
              y={1 - (completed + failed) / most}
              width={0.76}
              height={failed / most}
            />
          </g>
        ))}
      </svg>
      <p class="chart-text row apart">
        {labelled.map((index) => (
          <span key={index}>{dayLabel(all[index]?.day ?? '')}</span>
        ))}
      </p>
      <p class="legend small">
        <span class="key" /> {usage.completed} <span class="key bad" /> {usage.failed}
      </p>
      <details>
        <summary class="faint small">{usage.asTable}</summary>
        <table class="plain-table">
          <caption class="hidden">{usage.perDay}</caption>
          <thead>
            <tr>
              <th scope="col">{usage.day}</th>
              <th scope="col">{usage.completed}</th>
              <th scope="col">{usage.failed}</th>
              <th scope="col">{usage.total}</th>
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, completed, failed, total }) => (
              <tr key={day}>
                <th scope="row">{dayLabel(day)}</th>
                <td>{completed}</td>
                <td>{failed}</td>
                <td>{total}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  )
}
