import type { JSX } from 'preact'
import { call } from '../api/call.ts'
import { announce } from '../app/announce.ts'
import { fieldsOf, useWork } from '../app/work.ts'
import { STRINGS } from '../strings.ts'

/** Changes the own password. Other sessions and all API keys end. */
export function Password({ onChanged }: { onChanged(): void }): JSX.Element {
  const { password, signIn } = STRINGS
  const work = useWork()
  const change = (event: SubmitEvent): Promise<void> => {
    const form = event.currentTarget as HTMLFormElement
    const { currentPassword, newPassword } = fieldsOf(event)
    return work.run(async () => {
      await call('api/auth/change-password', { method: 'POST', body: { currentPassword, newPassword } })
      form.reset()
      announce(password.changed)
      work.say(password.changed)
      onChanged()
    })
  }
  return (
    <section class="card" aria-labelledby="password-title">
      <h2 id="password-title">{password.title}</h2>
      <p class="faint">{password.help}</p>
      <p class={work.message === password.changed ? 'notice' : 'alert'} role="status">
        {work.message}
      </p>
      <form id="own-password" onSubmit={change}>
        <label>
          {password.current}
          <input name="currentPassword" type="password" autocomplete="current-password" required maxLength={1024} />
        </label>
        <label>
          {signIn.newPassword}
          <input name="newPassword" type="password" autocomplete="new-password" required maxLength={1024} />
        </label>
        <div class="row">
          <button type="submit" disabled={work.isBusy}>
            {signIn.change}
          </button>
        </div>
      </form>
    </section>
  )
}
