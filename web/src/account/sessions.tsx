import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { call } from '../api/call.ts'
import type { GetAuthSessions, Session } from '../api/types.ts'
import { momentText } from '../app/dates.ts'
import type { Work } from '../app/work.ts'
import { STRINGS } from '../strings.ts'
import { browserOf } from './browser-name.ts'

/** Where the user is signed in. */
export function Sessions({ work }: { work: Work }): JSX.Element {
  const { sessions } = STRINGS
  const list = useSignal<readonly Session[]>([])
  const load = async (): Promise<void> => {
    list.value = (await call<GetAuthSessions>('api/auth/sessions')).sessions
  }
  useEffect(() => {
    load().catch((error: Error) => work.say(error.message))
  }, [])
  const end = (path: string): Promise<void> =>
    work.run(async () => {
      await call(path, { method: 'DELETE' })
      await load()
    })
  return (
    <section class="card" aria-labelledby="sessions-title">
      <h2 id="sessions-title">{sessions.title}</h2>
      <ul class="rows">
        {list.value.map(({ id, userAgent, ipAddress, lastSeenAt, isCurrent }) => (
          <li key={id}>
            <span class="grow">
              {browserOf(userAgent) || sessions.unknown}
              {isCurrent && <span class="badge good">{sessions.current}</span>}
              <span class="faint small block">
                {sessions.lastSeen(momentText(lastSeenAt))}
                {ipAddress && ` · ${ipAddress}`}
              </span>
            </span>
            {!isCurrent && (
              <button class="plain" type="button" onClick={() => end(`api/auth/sessions/${encodeURIComponent(id)}`)}>
                {sessions.end}
              </button>
            )}
          </li>
        ))}
      </ul>
      {list.value.length > 1 && (
        <div class="row">
          <button class="plain" type="button" onClick={() => end('api/auth/sessions')}>
            {sessions.endOthers}
          </button>
        </div>
      )}
    </section>
  )
}
