import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { call } from '../../api/call.ts'
import type { ListedUser, Team } from '../../api/types.ts'
import { Pager } from '../../app/pager.tsx'
import { fieldsOf, useWork } from '../../app/work.ts'
import { STRINGS } from '../../strings.ts'
import { useSharedProof } from '../proof.ts'

const PAGE = 10
/** Each user is in one team; this one takes those who leave another. */
const DEFAULT = 'Default'

interface TeamMembersProps {
  team: Team
  people: readonly ListedUser[]
  onChange(): Promise<void>
}

/** The members of a team. A user is in exactly one team: adding moves, removing moves to the default team. */
export function TeamMembers({ team, people, onChange }: TeamMembersProps): JSX.Element {
  const { teams } = STRINGS.admin
  const work = useWork()
  const proof = useSharedProof()
  const offset = useSignal(0)
  const members = people.filter((user) => user.team === team.name)
  const move = (username: string, to: string): Promise<void> =>
    work.run(() =>
      proof.guard(async () => {
        const found = people.find((user) => user.username.toLowerCase() === username.trim().toLowerCase())
        if (!found) return work.say(teams.noSuchUser(username))
        await call(`api/auth/users/${encodeURIComponent(found.id)}`, { method: 'PUT', body: { team: to } })
        await onChange()
      }),
    )
  const add = async (event: SubmitEvent): Promise<void> => {
    const form = event.currentTarget as HTMLFormElement
    const { username = '' } = fieldsOf(event)
    await move(username, team.name)
    form.reset()
  }
  return (
    <section aria-labelledby="members-title">
      <h3 id="members-title">{teams.members(team.memberCount)}</h3>
      <p class="alert" role="alert">
        {work.message}
      </p>
      <ul class="rows">
        {members.slice(offset.value, offset.value + PAGE).map(({ id, username }) => (
          <li key={id}>
            <span>{username}</span>
            {team.name !== DEFAULT && (
              <button
                type="button"
                class="plain"
                aria-label={teams.removeMember(username)}
                disabled={work.isBusy}
                onClick={() => move(username, DEFAULT)}
              >
                {STRINGS.account.remove}
              </button>
            )}
          </li>
        ))}
      </ul>
      <Pager
        offset={offset.value}
        size={PAGE}
        total={members.length}
        onMove={(to) => {
          offset.value = to
        }}
      />
      <form id="add-member" class="row" onSubmit={add}>
        <label class="grow">
          {STRINGS.signIn.username}
          <input name="username" required maxLength={50} list="people" autocomplete="off" autocapitalize="none" />
        </label>
        <datalist id="people">
          {people
            .filter((user) => user.team !== team.name)
            .map(({ id, username }) => (
              <option key={id} value={username} />
            ))}
        </datalist>
        <button type="submit" class="plain" disabled={work.isBusy}>
          {teams.addMember}
        </button>
      </form>
      <p class="help">{teams.oneTeam}</p>
    </section>
  )
}
