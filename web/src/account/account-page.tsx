/** The signed-in user: password, second factor, passkeys, sessions and API keys. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { call } from '../api/call.ts'
import { authConfig, may, signOut, user } from '../api/session.ts'
import type { GetAuthPasskeys } from '../api/types.ts'
import { setTitle } from '../app/brand.ts'
import { useWork } from '../app/work.ts'
import { canUsePasskeys } from '../sign-in/passkeys.ts'
import { STRINGS } from '../strings.ts'
import { Confirm, useProof } from './confirm.tsx'
import { Keys } from './keys.tsx'
import { type Passkey, Passkeys } from './passkeys.tsx'
import { Password } from './password.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'
import '../styles/account.css'

export function AccountPage(): JSX.Element {
  const { account } = STRINGS
  const work = useWork()
  const proof = useProof()
  const passkeys = useSignal<readonly Passkey[]>([])
  const changes = useSignal(0)
  const { isPersonal, passkeysEnabled } = authConfig.value
  // The one user of `mediaproc open` has no password, and cannot sign in again.
  const authEnabled = authConfig.value.authEnabled && !isPersonal
  const hasPasskeys = authEnabled && passkeysEnabled === true
  const loadPasskeys = async (): Promise<void> => {
    passkeys.value = (await call<GetAuthPasskeys>('api/auth/passkeys')).passkeys
  }
  useEffect(() => {
    setTitle(account.title)
    if (hasPasskeys) loadPasskeys().catch((error: Error) => work.say(error.message))
  }, [])
  const who = user.value
  return (
    <div class="page narrow">
      <div class="row apart">
        <div>
          <h1 tabIndex={-1}>{account.title}</h1>
          <p id="who" class="faint">
            {authEnabled && who ? account.who(who.username, who.role) : account.noAccounts}
          </p>
        </div>
        <div class="row">
          <a class="button plain" href="api/docs">
            {STRINGS.nav.api}
          </a>
          {authEnabled && (
            <button class="plain" id="sign-out" type="button" onClick={() => work.run(signOut)}>
              {account.signOut}
            </button>
          )}
        </div>
      </div>
      <p class="alert" id="alert" role="alert">
        {work.message}
      </p>
      {may('apikeys:own') && <Keys key={`keys-${changes.value}`} work={work} proof={proof} />}
      {hasPasskeys && canUsePasskeys && <Passkeys list={passkeys} work={work} proof={proof} load={loadPasskeys} />}
      {authEnabled && who?.hasLocalPassword && <Password onChanged={() => changes.value++} />}
      {authEnabled && <SecondFactor proof={proof} />}
      {authEnabled && <Sessions key={`sessions-${changes.value}`} work={work} />}
      {proof.isPending && <Confirm proof={proof} hasPasskeys={passkeys.value.length > 0 && canUsePasskeys} />}
    </div>
  )
}
