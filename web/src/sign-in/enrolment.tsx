import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { call } from '../api/call.ts'
import { authConfig } from '../api/session.ts'
import type { PostAuthMfaEnroll } from '../api/types.ts'
import { fieldsOf, type Work } from '../app/work.ts'
import { STRINGS } from '../strings.ts'
import { canUsePasskeys, registerPasskey } from './passkeys.ts'

const byToken = (token: string | undefined) => ({
  method: 'POST',
  mayBeSignedOut: token !== undefined,
  ...(token !== undefined && { token }),
})

/** Asks the server for a secret, which counts after a code of it. @throws ApiError CONFIRMATION_REQUIRED */
export const beginEnrolment = (token?: string): Promise<PostAuthMfaEnroll> =>
  call<PostAuthMfaEnroll>('api/auth/mfa/enroll', { ...byToken(token), body: {} })

interface EnrolmentFormProps {
  begun: PostAuthMfaEnroll
  help: string
  token?: string
  work: Work
  onDone(): void
}

/** Shows the secret, and enables it with a code. With a token, a passkey is possible instead. */
export function EnrolmentForm({ begun: shown, help, token, work, onDone }: EnrolmentFormProps): JSX.Element {
  const { signIn } = STRINGS
  const verify = (event: SubmitEvent): Promise<void> => {
    const { code } = fieldsOf(event)
    return work.run(async () => {
      await call('api/auth/mfa/verify', { ...byToken(token), body: { code } })
      onDone()
    })
  }
  const withPasskey = (): Promise<void> =>
    work.run(async () => {
      await registerPasskey('', token)
      onDone()
    })
  return (
    <form id="enrol" onSubmit={verify}>
      <p class="faint">{help}</p>
      <img id="qr" src={shown.qrCode} alt={signIn.qr} />
      <p class="faint">
        {signIn.secret} <code id="secret">{shown.secret}</code>
      </p>
      <p class="faint">{signIn.recovery}</p>
      <pre id="recovery">{shown.recoveryCodes.join('\n')}</pre>
      <label>
        {signIn.code}
        <input name="code" autocomplete="one-time-code" required maxLength={20} />
      </label>
      <button type="submit" disabled={work.isBusy}>
        {signIn.enable}
      </button>
      {token !== undefined && authConfig.value.passkeysEnabled && canUsePasskeys && (
        <button class="plain" id="enrol-passkey" type="button" disabled={work.isBusy} onClick={withPasskey}>
          {signIn.passkeyInstead}
        </button>
      )}
    </form>
  )
}

/** Sets up the second factor that the server requires at the sign-in. @param token valid for this only */
export function Enrolment({ token, work, onDone }: { token: string; work: Work; onDone(): void }): JSX.Element {
  const begun = useSignal<PostAuthMfaEnroll | undefined>(undefined)
  const begin = (): Promise<void> =>
    work.run(async () => {
      begun.value = await beginEnrolment(token)
    })
  useEffect(() => {
    begin()
  }, [])
  if (begun.value)
    return (
      <EnrolmentForm begun={begun.value} help={STRINGS.signIn.enrolHelp} token={token} work={work} onDone={onDone} />
    )
  if (work.message)
    return (
      <button type="button" class="plain" disabled={work.isBusy} onClick={begin}>
        {STRINGS.errors.retry}
      </button>
    )
  return <p class="faint">{STRINGS.loading}</p>
}
