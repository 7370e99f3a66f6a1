import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { call } from '../../api/call.ts'
import type { PostAuthRegister } from '../../api/types.ts'
import { fieldsOf, useWork } from '../../app/work.ts'
import { STRINGS } from '../../strings.ts'
import { Modal } from '../modal.tsx'
import { Once } from '../once.tsx'
import { useSharedProof } from '../proof.ts'
import type { Choices } from './choices.ts'
import { PasswordField } from './password-field.tsx'
import { NEW_PLACE, PlaceFields } from './place-fields.tsx'

interface NewUserProps {
  choices: Choices
  onDone(): void
  onClose(): void
}

/** Creates a user. The password is shown this once: the user must change it at the first sign-in. */
export function NewUser({ choices, onDone, onClose }: NewUserProps): JSX.Element {
  const { users, close } = STRINGS.admin
  const work = useWork()
  const proof = useSharedProof()
  const made = useSignal<{ username: string; password: string; mustChange: boolean } | undefined>(undefined)
  const create = (event: SubmitEvent): Promise<void> => {
    const { username = '', password = '', role, team, email } = fieldsOf(event)
    return work.run(() =>
      proof.guard(async () => {
        const body = { username, password, role, team, ...(email && { email }) }
        const { mustChangePassword } = await call<PostAuthRegister>('api/auth/register', { method: 'POST', body })
        made.value = { username, password, mustChange: mustChangePassword }
        onDone()
      }),
    )
  }
  if (made.value)
    return (
      <Modal title={users.made(made.value.username)} onClose={onClose}>
        <Once sentence={users.passwordOnce(made.value.username)} value={made.value.password} />
        {made.value.mustChange && <p class="faint">{users.mustChangeNext}</p>}
        <div class="row">
          <button type="button" onClick={onClose}>
            {close}
          </button>
        </div>
      </Modal>
    )
  return (
    <Modal title={users.create} onClose={onClose}>
      <form id="new-user" onSubmit={create}>
        <p class="alert" role="alert">
          {work.message}
        </p>
        <label>
          {STRINGS.signIn.username}
          <input name="username" autocomplete="off" autocapitalize="none" required maxLength={50} />
        </label>
        <PasswordField name="password" label={users.initialPassword} />
        <PlaceFields choices={choices} place={NEW_PLACE} />
        <label>
          {users.email}
          <input name="email" type="text" inputMode="email" autocomplete="off" maxLength={254} />
          <span class="help">{users.emailHelp}</span>
        </label>
        <div class="row">
          <button type="submit" disabled={work.isBusy}>
            {users.createButton}
          </button>
        </div>
      </form>
    </Modal>
  )
}
