/** The sign-in page: single sign-on, password or passkey, and the second step. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { ApiError, addressOf, call } from '../api/call.ts'
import { authConfig, takeNext } from '../api/session.ts'
import type { PostAuthLogin } from '../api/types.ts'
import { setTitle } from '../app/brand.ts'
import { BrandMark } from '../app/brand-mark.tsx'
import { fieldsOf, useWork } from '../app/work.ts'
import { STRINGS } from '../strings.ts'
import { ChangePassword } from './change-password.tsx'
import { Enrolment } from './enrolment.tsx'
import { canUsePasskeys, usePasskey } from './passkeys.ts'
import { pendingStep, SecondStep } from './second-step.tsx'
import { serverMessage } from './server-message.ts'
import { Start } from './start.tsx'
import '../styles/sign-in.css'

type Step =
  | { name: 'start' }
  | { name: 'second'; mfaToken: string; methods: readonly string[] }
  | { name: 'change'; current: string }
  | { name: 'enrol'; token: string }

export function SignIn(): JSX.Element {
  const { signIn } = STRINGS
  const work = useWork(serverMessage())
  const step = useSignal<Step>({ name: 'start' })
  const current = useSignal('')
  useEffect(() => {
    setTitle(signIn.title)
    const pending = pendingStep()
    if (pending) step.value = { name: 'second', ...pending }
  }, [])

  /** The end of a sign-in. The document is loaded again, with the session. */
  function begun(answer: { user?: { mustChangePassword: boolean } }): void {
    if (!answer.user?.mustChangePassword) location.assign(addressOf(takeNext()))
    else if (current.value !== '') step.value = { name: 'change', current: current.value }
    else {
      step.value = { name: 'start' }
      work.say(signIn.mustChange)
    }
  }
  const complete = (path: string, body: object): Promise<PostAuthLogin> =>
    call<PostAuthLogin>(path, { method: 'POST', body, mayBeSignedOut: true })

  const withPassword = (event: SubmitEvent): Promise<void> => {
    const { username = '', password = '' } = fieldsOf(event)
    return work.run(async () => {
      current.value = password
      try {
        const answer = await complete('api/auth/login', { username, password })
        if (!answer.requiresMfa) return begun(answer)
        step.value = { name: 'second', mfaToken: answer.mfaToken ?? '', methods: answer.methods ?? ['totp'] }
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'MFA_ENROLLMENT_REQUIRED') throw error
        step.value = { name: 'enrol', token: String(error.fields.enrollmentToken) }
      }
    })
  }
  const withPasskey = (): Promise<void> =>
    work.run(async () => {
      current.value = ''
      const credential = await usePasskey('api/auth/passkeys/sign-in/options')
      begun(await complete('api/auth/passkeys/sign-in/verify', { credential }))
    })
  const enrolled = (): void => {
    step.value = { name: 'start' }
    work.say(signIn.enrolled)
  }

  const now = step.value
  return (
    <div class="sign-in">
      <div class="card">
        <p class="brand">
          <BrandMark size={32} />
        </p>
        <h1 tabIndex={-1}>{signIn.title}</h1>
        <p class="alert" id="alert" role="alert">
          {work.message}
        </p>
        {now.name === 'start' && (
          <Start
            config={authConfig.value}
            work={work}
            onPassword={withPassword}
            onPasskey={withPasskey}
            hasPasskeys={canUsePasskeys}
          />
        )}
        {now.name === 'second' && (
          <SecondStep
            methods={now.methods}
            work={work}
            onCode={(code) =>
              work.run(async () => begun(await complete('api/auth/mfa/complete', { mfaToken: now.mfaToken, code })))
            }
            onPasskey={() =>
              work.run(async () => {
                const credential = await usePasskey('api/auth/mfa/passkey/options', { mfaToken: now.mfaToken })
                begun(await complete('api/auth/mfa/passkey/complete', { mfaToken: now.mfaToken, credential }))
              })
            }
          />
        )}
        {now.name === 'change' && (
          <ChangePassword current={now.current} work={work} onDone={() => location.assign(addressOf(takeNext()))} />
        )}
        {now.name === 'enrol' && <Enrolment token={now.token} work={work} onDone={enrolled} />}
      </div>
      <p class="faint">
        <a href="api/docs">{STRINGS.nav.api}</a>
      </p>
    </div>
  )
}
