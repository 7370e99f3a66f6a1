import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { call } from '../api/call.ts'
import { user } from '../api/session.ts'
import type { PostAuthMfaEnroll } from '../api/types.ts'
import { fieldsOf, useWork } from '../app/work.ts'
import { beginEnrolment, EnrolmentForm } from '../sign-in/enrolment.tsx'
import { STRINGS } from '../strings.ts'
import type { Proof } from './confirm.tsx'

/** The code of an app as the second factor: set up, or turned off with a code. */
export function SecondFactor({ proof }: { proof: Proof }): JSX.Element {
  const { factor, signIn, confirm } = STRINGS
  const work = useWork()
  const step = useSignal<PostAuthMfaEnroll | 'none' | 'disable'>('none')
  const isOn = user.value?.mfaEnabled ?? false
  const done = (mfaEnabled: boolean): void => {
    step.value = 'none'
    if (user.value) user.value = { ...user.value, mfaEnabled }
  }
  const disable = (event: SubmitEvent): Promise<void> => {
    const { code } = fieldsOf(event)
    return work.run(async () => {
      await call('api/auth/mfa/disable', { method: 'POST', body: { code } })
      done(false)
    })
  }
  const begin = (): Promise<void> =>
    work.run(() =>
      proof.guard(async () => {
        step.value = await beginEnrolment()
      }),
    )
  return (
    <section class="card" aria-labelledby="factor-title">
      <h2 id="factor-title">
        {factor.title} <span class={isOn ? 'badge good' : 'badge'}>{isOn ? factor.on : factor.off}</span>
      </h2>
      <p class="alert" role="alert">
        {work.message}
      </p>
      {typeof step.value === 'object' && (
        <EnrolmentForm begun={step.value} help={factor.enrolHelp} work={work} onDone={() => done(true)} />
      )}
      {step.value === 'disable' && (
        <form onSubmit={disable}>
          <label>
            {signIn.code}
            <input name="code" autocomplete="one-time-code" required maxLength={20} />
          </label>
          <div class="row">
            <button type="submit" class="danger plain" disabled={work.isBusy}>
              {factor.disable}
            </button>
          </div>
        </form>
      )}
      <div class="row">
        {step.value === 'none' ? (
          <button
            class="plain"
            type="button"
            onClick={
              isOn
                ? () => {
                    step.value = 'disable'
                  }
                : begin
            }
          >
            {isOn ? factor.disable : factor.enable}
          </button>
        ) : (
          <button
            class="plain"
            type="button"
            onClick={() => {
              step.value = 'none'
              work.say('')
            }}
          >
            {confirm.cancel}
          </button>
        )}
      </div>
    </section>
  )
}
