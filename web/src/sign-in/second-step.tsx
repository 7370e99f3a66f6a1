import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { fieldsOf, type Work } from '../app/work.ts'
import { STRINGS } from '../strings.ts'

/** After single sign-on the pending sign-in is in the fragment of the address, which must not be kept or shared. */
export function pendingStep(): { mfaToken: string; methods: string[] } | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const mfaToken = fragment.get('mfaToken')
  if (!mfaToken) return undefined
  history.replaceState(null, '', location.pathname)
  return { mfaToken, methods: (fragment.get('methods') ?? 'totp').split(',') }
}

interface SecondStepProps {
  methods: readonly string[]
  work: Work
  onCode(code: string): void
  onPasskey(): void
}

export function SecondStep({ methods, work, onCode, onPasskey }: SecondStepProps): JSX.Element {
  const { signIn } = STRINGS
  const first = useRef<HTMLDivElement>(null)
  useEffect(() => {
    first.current?.querySelector<HTMLElement>('input, button')?.focus()
  }, [])
  return (
    <div ref={first} class="stack">
      {methods.includes('totp') && (
        <form id="code" onSubmit={(event) => onCode(fieldsOf(event).code ?? '')}>
          <p class="faint">{signIn.codeHelp}</p>
          <label>
            {signIn.code}
            <input name="code" autocomplete="one-time-code" required maxLength={20} />
          </label>
          <button type="submit" disabled={work.isBusy}>
            {signIn.continue}
          </button>
        </form>
      )}
      {methods.includes('passkey') && (
        <section id="step-passkey">
          <p class="faint">{signIn.stepPasskey}</p>
          <button class="plain" id="use-step-passkey" type="button" disabled={work.isBusy} onClick={onPasskey}>
            {signIn.stepPasskeyButton}
          </button>
        </section>
      )}
    </div>
  )
}
