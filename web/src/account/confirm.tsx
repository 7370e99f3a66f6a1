/** Changes that outlive a session need a recent proof of identity. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { ApiError, call } from '../api/call.ts'
import { fieldsOf, useWork } from '../app/work.ts'
import { usePasskey } from '../sign-in/passkeys.ts'
import { STRINGS } from '../strings.ts'

export interface Proof {
  /**
   * Runs a change; asks for a confirmation first if the server requires it. Settles with the change, so that its
   * failure is shown where it was begun; without a confirmation nothing is changed.
   */
  guard(change: () => Promise<void>): Promise<void>
  /** Whether a change waits for a confirmation. */
  isPending: boolean
  /** Ends the question: continues with the change, or not. */
  settle(isConfirmed: boolean): void
}

export function useProof(): Proof {
  const pending = useSignal<((isConfirmed: boolean) => void) | undefined>(undefined)
  return {
    isPending: pending.value !== undefined,
    settle(isConfirmed) {
      const waiting = pending.peek()
      pending.value = undefined
      waiting?.(isConfirmed)
    },
    async guard(change) {
      try {
        await change()
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'CONFIRMATION_REQUIRED') throw error
        const isConfirmed = await new Promise<boolean>((settle) => {
          pending.value = settle
        })
        if (isConfirmed) await change()
      }
    },
  }
}

/** Asks for the password, a code or a passkey, and then continues. */
export function Confirm({ proof, hasPasskeys }: { proof: Proof; hasPasskeys: boolean }): JSX.Element {
  const { confirm, signIn } = STRINGS
  const work = useWork()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const resume = async (body: object): Promise<void> => {
    await call('api/auth/confirm', { method: 'POST', body })
    proof.settle(true)
  }
  const submit = (event: SubmitEvent): Promise<void> => {
    const { password, code } = fieldsOf(event)
    return work.run(() => resume(code ? { code } : { password }))
  }
  const withPasskey = (): Promise<void> =>
    work.run(async () => resume({ passkey: await usePasskey('api/auth/passkeys/confirm/options') }))
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="confirm-title" onClose={() => proof.settle(false)}>
      <form id="confirm" onSubmit={submit}>
        <h2 id="confirm-title">{confirm.title}</h2>
        <p class="alert" role="alert">
          {work.message}
        </p>
        <label>
          {signIn.password}
          <input name="password" type="password" autocomplete="current-password" maxLength={1024} />
        </label>
        <label>
          {confirm.code}
          <input name="code" autocomplete="one-time-code" maxLength={20} />
        </label>
        <div class="row">
          <button type="submit" disabled={work.isBusy}>
            {signIn.continue}
          </button>
          {hasPasskeys && (
            <button class="plain" id="confirm-passkey" type="button" disabled={work.isBusy} onClick={withPasskey}>
              {signIn.stepPasskeyButton}
            </button>
          )}
          <button class="plain" id="cancel" type="button" onClick={() => dialog.current?.close()}>
            {confirm.cancel}
          </button>
        </div>
      </form>
    </dialog>
  )
}
