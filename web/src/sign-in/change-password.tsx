import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { call } from '../api/call.ts'
import { fieldsOf, type Work } from '../app/work.ts'
import { STRINGS } from '../strings.ts'

/** A password set by an administrator is replaced before anything else. */
export function ChangePassword({
  current,
  work,
  onDone,
}: {
  current: string
  work: Work
  onDone(): void
}): JSX.Element {
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const change = (event: SubmitEvent): Promise<void> => {
    const { newPassword } = fieldsOf(event)
    return work.run(async () => {
      const body = { currentPassword: current, newPassword }
      await call('api/auth/change-password', { method: 'POST', body, mayBeSignedOut: true })
      onDone()
    })
  }
  return (
    <form id="change" onSubmit={change}>
      <p class="faint">{STRINGS.signIn.changeHelp}</p>
      <label>
        {STRINGS.signIn.newPassword}
        <input ref={first} name="newPassword" type="password" autocomplete="new-password" required maxLength={1024} />
      </label>
      <button type="submit" disabled={work.isBusy}>
        {STRINGS.signIn.change}
      </button>
    </form>
  )
}
