import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { call } from '../api/call.ts'
import { may } from '../api/session.ts'
import type { GetAdminHealth, GetAdminUsage, GetAuthUsers, GetFeatures } from '../api/types.ts'
import { Icon } from '../app/icons.tsx'
import { STRINGS } from '../strings.ts'
import { type AdminPart, shownParts } from './parts.ts'

const DAYS = 7

/** Facts about a page that the overview shows below its name. */
const FACTS: Partial<Record<AdminPart, () => Promise<string>>> = {
  users: async () => {
    const { users } = await call<GetAuthUsers>('api/auth/users')
    return STRINGS.admin.facts.users(users.filter(({ isService }) => !isService).length)
  },
  models: async () => {
    const { bundles } = await call<GetFeatures>('api/v1/features')
    return STRINGS.admin.facts.models(bundles.filter(({ status }) => status === 'installed').length, bundles.length)
  },
  usage: async () => {
    const { jobsPerDay } = await call<GetAdminUsage>(`api/v1/admin/usage?days=${DAYS}`)
    return STRINGS.admin.facts.usage(
      jobsPerDay.reduce((sum, { total }) => sum + total, 0),
      DAYS,
    )
  },
  health: async () => {
    const { status, version } = await call<GetAdminHealth>('api/v1/admin/health')
    return STRINGS.admin.facts.health(STRINGS.admin.health.states[status], version)
  },
}

/** The pages that the user may open, with the most important facts. */
export function Overview(): JSX.Element {
  const { admin } = STRINGS
  const facts = useSignal<Partial<Record<AdminPart, string>>>({})
  useEffect(() => {
    for (const { id } of shownParts())
      FACTS[id]?.().then(
        (fact) => {
          facts.value = { ...facts.value, [id]: fact }
        },
        // Its own page shows why.
        () => undefined,
      )
  }, [])
  return (
    <>
      <div>
        <h1 tabIndex={-1}>{admin.title}</h1>
        <p class="faint">{may('security:manage') ? admin.about : admin.aboutSome}</p>
      </div>
      <ul class="admin-cards">
        {shownParts().map(({ id, icon }) => (
          <li key={id}>
            <a class="admin-card" href={`admin/${id}`}>
              <Icon name={icon} />
              <span>
                <strong>{admin.parts[id]}</strong>
                <span class="faint small block">{admin.abouts[id]}</span>
                {facts.value[id] && <span class="small block admin-fact">{facts.value[id]}</span>}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}
