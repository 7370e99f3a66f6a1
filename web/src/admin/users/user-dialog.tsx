import type { JSX } from 'preact'
import { call } from '../../api/call.ts'
import { user as self } from '../../api/session.ts'
import type { ListedUser } from '../../api/types.ts'
import { announce } from '../../app/announce.ts'
import { momentText } from '../../app/dates.ts'
import { fieldsOf, useWork } from '../../app/work.ts'
import { STRINGS } from '../../strings.ts'
import { Modal } from '../modal.tsx'
import { useSharedProof } from '../proof.ts'
import { type Choices, isLocked, lockedRole, roleOf } from './choices.ts'
import { PlaceFields } from './place-fields.tsx'
import { UserAccess } from './user-access.tsx'

export interface UserDialogProps {
  user: ListedUser
  choices: Choices
  onChange(): Promise<void>
  onClose(): void
}

/** Role, team and address of a user, and what an administrator can do to the account. */
export function UserDialog({ user, choices, onChange, onClose }: UserDialogProps): JSX.Element {
  const { users } = STRINGS.admin
  const work = useWork()
  const proof = useSharedProof()
  const { id, username, role, team, email, authProvider, createdAt } = user
  const isSelf = id === self.value?.id
  const save = (event: SubmitEvent): Promise<void> => {
    const fields = fieldsOf(event)
    const wantedRole = fields.role ?? roleOf(role)
    const body = {
      // A locked account stays locked.
      ...(wantedRole !== roleOf(role) && { role: isLocked(role) ? lockedRole(wantedRole) : wantedRole }),
      ...(fields.team !== team && { team: fields.team }),
      ...((fields.email ?? '') !== (email ?? '') && { email: fields.email || null }),
    }
    return work.run(() =>
      proof.guard(async () => {
        await call(`api/auth/users/${encodeURIComponent(id)}`, { method: 'PUT', body })
        announce(users.saved)
        work.say(users.saved)
        await onChange()
      }),
    )
  }
  return (
    <Modal title={username} onClose={onClose}>
      <p class="faint">{users.origin(users.sources[authProvider] ?? authProvider, momentText(createdAt))}</p>
      {isSelf && <p class="notice">{users.self}</p>}
      <p class={work.message === users.saved ? 'notice' : 'alert'} role="status">
        {work.message}
      </p>
      <form id="edit-user" onSubmit={save}>
        <PlaceFields choices={choices} place={{ role: roleOf(role), team }} isRoleFixed={isSelf} />
        <label>
          {users.email}
          <input
            name="email"
            type="text"
            inputMode="email"
            autocomplete="off"
            maxLength={254}
            defaultValue={email ?? ''}
          />
        </label>
        <div class="row">
          <button type="submit" disabled={work.isBusy}>
            {users.save}
          </button>
        </div>
      </form>
      <UserAccess user={user} isSelf={isSelf} onChange={onChange} onClose={onClose} />
    </Modal>
  )
}
