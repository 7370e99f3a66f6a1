/** Users: list, search, create, change; service accounts and sources of accounts. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { call } from '../../api/call.ts'
import { user as self } from '../../api/session.ts'
import type { GetAuthUsers, ListedUser } from '../../api/types.ts'
import { Icon } from '../../app/icons.tsx'
import { Pager } from '../../app/pager.tsx'
import { useWork } from '../../app/work.ts'
import { STRINGS } from '../../strings.ts'
import { roleName } from '../role-name.ts'
import { type Choices, isLocked, loadChoices, roleOf } from './choices.ts'
import { NewUser } from './new-user.tsx'
import { ServiceAccounts } from './service-accounts.tsx'
import { Sources } from './sources.tsx'
import { UserDialog } from './user-dialog.tsx'

const PAGE = 25

const matches = (words: string, { username, email, role, team }: ListedUser): boolean =>
  [username, email ?? '', role, team].some((text) => text.toLowerCase().includes(words))

function Badges({ user }: { user: ListedUser }): JSX.Element {
  const { users } = STRINGS.admin
  return (
    <>
      {user.id === self.value?.id && <span class="badge good">{users.you}</span>}
      {isLocked(user.role) && <span class="badge bad">{users.isLocked}</span>}
      {user.mustChangePassword && <span class="badge">{users.mustChange}</span>}
      {user.mfaEnabled && <span class="badge">{users.hasFactor}</span>}
      {user.authProvider !== 'local' && <span class="badge">{users.sources[user.authProvider]}</span>}
    </>
  )
}

export function UsersPage(): JSX.Element {
  const { users: words, parts } = STRINGS.admin
  const work = useWork()
  const list = useSignal<readonly ListedUser[] | undefined>(undefined)
  const most = useSignal(0)
  const choices = useSignal<Choices>({ roles: [], teams: [] })
  const search = useSignal('')
  const offset = useSignal(0)
  const opened = useSignal<string | undefined>(undefined)
  const load = async (): Promise<void> => {
    const { users, maxUsers } = await call<GetAuthUsers>('api/auth/users')
    const people = users.filter(({ isService }) => !isService)
    list.value = people.sort((a, b) => a.username.localeCompare(b.username))
    most.value = maxUsers
    choices.value = await loadChoices(users)
  }
  useEffect(() => {
    work.run(load)
  }, [])
  const found = (list.value ?? []).filter((user) => matches(search.value.trim().toLowerCase(), user))
  const start = Math.min(offset.value, Math.max(0, Math.ceil(found.length / PAGE) - 1) * PAGE)
  const shown = list.value?.find(({ id }) => id === opened.value)
  const close = (): void => {
    opened.value = undefined
  }
  return (
    <>
      <div class="row apart">
        <div>
          <h1 tabIndex={-1}>{parts.users}</h1>
          <p class="faint">{list.value ? words.count(list.value.length, most.value) : STRINGS.loading}</p>
        </div>
        <button
          type="button"
          onClick={() => {
            opened.value = 'new'
          }}
        >
          <Icon name="plus" size={18} />
          {words.create}
        </button>
      </div>
      <p class="alert" role="alert">
        {work.message}
      </p>
      <section class="card" aria-label={parts.users}>
        <input
          type="search"
          aria-label={words.search}
          placeholder={words.search}
          maxLength={100}
          value={search.value}
          onInput={(event) => {
            search.value = event.currentTarget.value
            offset.value = 0
          }}
        />
        {list.value && found.length === 0 && (
          <p class="faint" role="status">
            {words.noneFound}
          </p>
        )}
        <ul class="rows user-list">
          {found.slice(start, start + PAGE).map((user) => (
            <li key={user.id}>
              <span>
                <strong>{user.username}</strong>
                <Badges user={user} />
                <span class="faint small block">
                  {[roleName(roleOf(user.role)), user.team, user.email].filter(Boolean).join(' · ')}
                </span>
              </span>
              <button
                type="button"
                class="plain"
                aria-label={words.manageOf(user.username)}
                onClick={() => {
                  opened.value = user.id
                }}
              >
                {words.manage}
              </button>
            </li>
          ))}
        </ul>
        <Pager
          offset={start}
          size={PAGE}
          total={found.length}
          onMove={(to) => {
            offset.value = to
          }}
        />
      </section>
      <ServiceAccounts choices={choices.value} />
      <Sources />
      {opened.value === 'new' && <NewUser choices={choices.value} onDone={() => work.run(load)} onClose={close} />}
      {shown && <UserDialog key={shown.id} user={shown} choices={choices.value} onChange={load} onClose={close} />}
    </>
  )
}
