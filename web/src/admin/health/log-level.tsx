import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { call } from '../../api/call.ts'
import type { GetAdminLogLevel } from '../../api/types.ts'
import { announce } from '../../app/announce.ts'
import { useWork } from '../../app/work.ts'
import { STRINGS } from '../../strings.ts'
import { useSharedProof } from '../proof.ts'

type Level = GetAdminLogLevel['level']

const LEVELS: readonly Level[] = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']

/** How much this server logs, until its next start. */
export function LogLevel(): JSX.Element {
  const { health, users } = STRINGS.admin
  const work = useWork()
  const proof = useSharedProof()
  const level = useSignal<Level | undefined>(undefined)
  useEffect(() => {
    work.run(async () => {
      level.value = (await call<GetAdminLogLevel>('api/v1/admin/log-level')).level
    })
  }, [])
  const change = (wanted: string): Promise<void> =>
    work.run(() =>
      proof.guard(async () => {
        const body = { level: wanted }
        level.value = (await call<GetAdminLogLevel>('api/v1/admin/log-level', { method: 'POST', body })).level
        announce(users.saved)
      }),
    )
  return (
    <section class="card" aria-labelledby="log-title">
      <h2 id="log-title">{health.log}</h2>
      <p class="alert" role="alert">
        {work.message}
      </p>
      <label class="stack">
        {health.logLevel}
        <select
          id="log-level"
          value={level.value ?? ''}
          disabled={level.value === undefined}
          onChange={(event) => change(event.currentTarget.value)}
        >
          {LEVELS.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
      <p class="help">{health.logHelp}</p>
    </section>
  )
}
