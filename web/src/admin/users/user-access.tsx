import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { call } from '../../api/call.ts'
import type { GetAuthUsersByIdSessions, ListedUser } from '../../api/types.ts'
import { announce } from '../../app/announce.ts'
import { fieldsOf, useWork } from '../../app/work.ts'
import { STRINGS } from '../../strings.ts'
import { Once } from '../once.tsx'
import { useSharedProof } from '../proof.ts'
import { TypedConfirm } from '../typed-confirm.tsx'
import { isLocked, roleOf } from './choices.ts'
import { PasswordField } from './password-field.tsx'

interface UserAccessProps {
  user: ListedUser
  isSelf: boolean
  onChange(): Promise<void>
  onClose(): void
}

/** Password, second factor, sessions, lock and removal of an account. */
export function UserAccess({ user, isSelf, onChange, onClose }: UserAccessProps): JSX.Element {
  const { users } = STRINGS.admin
  const work = useWork()
  const proof = useSharedProof()
  const sessions = useSignal<number | undefined>(undefined)
  const password = useSignal<'none' | 'asked' | { value: string }>('none')
  const isDeleting = useSignal(false)
  const path = `api/auth/users/${encodeURIComponent(user.id)}`
  const locked = isLocked(user.role)
  const load = async (): Promise<void> => {
    sessions.value = (await call<GetAuthUsersByIdSessions>(`${path}/sessions`)).sessions.length
  }
  useEffect(() => {
    load().catch(() => undefined)
  }, [])
  const act = (sentence: string, action: () => Promise<unknown>): Promise<void> =>
    work.run(() =>
      proof.guard(async () => {
        await action()
        announce(sentence)
        await Promise.all([onChange(), load()])
      }),
    )
  const setPassword = (event: SubmitEvent): Promise<void> => {
    const { newPassword = '' } = fieldsOf(event)
    return act(users.passwordSet, async () => {
      await call(`${path}/reset-password`, { method: 'POST', body: { newPassword } })
      password.value = { value: newPassword }
    })
  }
  return (
    <section class="user-access" aria-label={users.access}>
      <h3>{users.access}</h3>
      <p class="alert" role="alert">
        {work.message}
      </p>
      {typeof password.value === 'object' && (
        <Once sentence={users.passwordOnce(user.username)} value={password.value.value} />
      )}
      {password.value === 'asked' && (
        <form id="reset-password" onSubmit={setPassword}>
          <PasswordField name="newPassword" label={STRINGS.signIn.newPassword} />
          <p class="help">{users.resetHelp}</p>
          <div class="row">
            <button type="submit" disabled={work.isBusy}>
              {users.setPassword}
            </button>
          </div>
        </form>
      )}
      <ul class="rows actions">
        {user.hasLocalPassword && !isSelf && password.value === 'none' && (
          <li>
            <span>{STRINGS.password.title}</span>
            <button
              type="button"
              class="plain"
              onClick={() => {
                password.value = 'asked'
              }}
            >
              {users.resetPassword}
            </button>
          </li>
        )}
        {user.mfaEnabled && !isSelf && (
          <li>
            <span>{users.factor}</span>
            <button
              type="button"
              class="plain"
              disabled={work.isBusy}
              onClick={() => act(users.factorReset, () => call(`${path}/mfa/reset`, { method: 'POST' }))}
            >
              {users.resetFactor}
            </button>
          </li>
        )}
        {sessions.value !== undefined && sessions.value > 0 && (
          <li>
            <span>{users.sessions(sessions.value)}</span>
            {!isSelf && (
              <button
                type="button"
                class="plain"
                disabled={work.isBusy}
                onClick={() => act(users.sessionsEnded, () => call(`${path}/sessions`, { method: 'DELETE' }))}
              >
                {users.endSessions}
              </button>
            )}
          </li>
        )}
        {!isSelf && (
          <li>
            <span>{locked ? users.lockedHelp : users.lockHelp}</span>
            <button
              type="button"
              class="plain"
              disabled={work.isBusy}
              onClick={() =>
                act(locked ? users.unlocked : users.locked, () =>
                  call(path, { method: 'PUT', body: { role: locked ? roleOf(user.role) : 'disabled' } }),
                )
              }
            >
              {locked ? users.unlock : users.lock}
            </button>
          </li>
        )}
        {!isSelf && (
          <li>
            <span>{users.deleteHelp}</span>
            <button
              type="button"
              class="plain danger"
              onClick={() => {
                isDeleting.value = true
              }}
            >
              {users.remove}
            </button>
          </li>
        )}
      </ul>
      {isDeleting.value && (
        <TypedConfirm
          title={users.removeTitle(user.username)}
          help={users.removeHelp}
          name={user.username}
          label={users.removeForever}
          remove={() =>
            proof.guard(async () => {
              await call(path, { method: 'DELETE' })
              announce(users.removed(user.username))
              await onChange()
              onClose()
            })
          }
          onClose={() => {
            isDeleting.value = false
          }}
        />
      )}
    </section>
  )
}
