/** Teams: create, change, delete; their members. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { call } from '../../api/call.ts'
import { may } from '../../api/session.ts'
import type { GetAuthUsers, GetTeams, ListedUser, Team } from '../../api/types.ts'
import { Icon } from '../../app/icons.tsx'
import { useWork } from '../../app/work.ts'
import { sizeText } from '../../files/size.ts'
import { STRINGS } from '../../strings.ts'
import { ManagedRows } from '../managed-rows.tsx'
import { TeamDialog } from './team-dialog.tsx'

const aboutTeam = ({ memberCount, storageQuota, retentionHours }: Team): string => {
  const { teams } = STRINGS.admin
  return [
    teams.members(memberCount),
    storageQuota !== null && teams.quotaOf(sizeText(storageQuota)),
    retentionHours !== null && teams.retentionOf(retentionHours),
  ]
    .filter(Boolean)
    .join(' · ')
}

export function TeamsPage(): JSX.Element {
  const { teams, parts, users } = STRINGS.admin
  const work = useWork()
  const list = useSignal<readonly Team[]>([])
  const people = useSignal<readonly ListedUser[]>([])
  const opened = useSignal<string | undefined>(undefined)
  const load = async (): Promise<void> => {
    const [answer, known] = await Promise.all([
      call<GetTeams>('api/v1/teams'),
      may('users:manage') ? call<GetAuthUsers>('api/auth/users') : { users: [] },
    ])
    list.value = answer.teams
    people.value = known.users
  }
  useEffect(() => {
    work.run(load)
  }, [])
  const close = (): void => {
    opened.value = undefined
  }
  const shown = list.value.find(({ id }) => id === opened.value)
  return (
    <>
      <div class="row apart">
        <div>
          <h1 tabIndex={-1}>{parts.teams}</h1>
          <p class="faint">{teams.help}</p>
        </div>
        <button
          type="button"
          onClick={() => {
            opened.value = 'new'
          }}
        >
          <Icon name="plus" size={18} />
          {teams.create}
        </button>
      </div>
      <p class="alert" role="alert">
        {work.message}
      </p>
      <section class="card" aria-label={parts.teams}>
        <ManagedRows
          items={list.value}
          row={(team) => ({
            id: team.id,
            about: (
              <>
                <strong>{team.name}</strong>
                <span class="faint small block">{aboutTeam(team)}</span>
              </>
            ),
            action: users.manage,
            label: users.manageOf(team.name),
          })}
          onOpen={(id) => {
            opened.value = id
          }}
        />
      </section>
      {opened.value === 'new' && <TeamDialog people={people.value} onChange={load} onClose={close} />}
      {shown && <TeamDialog key={shown.id} team={shown} people={people.value} onChange={load} onClose={close} />}
    </>
  )
}
