import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { GetConfigAuth } from '../api/types.ts'
import type { Work } from '../app/work.ts'
import { STRINGS } from '../strings.ts'

interface StartProps {
  config: GetConfigAuth
  work: Work
  hasPasskeys: boolean
  onPassword(event: SubmitEvent): void
  onPasskey(): void
}

/** Links to providers. Relative, because the server may be below a path. */
function Providers({ config }: Pick<StartProps, 'config'>): JSX.Element | null {
  const shown = [
    config.oidcEnabled && { address: config.oidcLoginUrl, name: config.oidcProviderName },
    config.samlEnabled && { address: config.samlLoginUrl, name: config.samlProviderName },
  ].filter((one) => typeof one === 'object')
  if (shown.length === 0) return null
  return (
    <section id="providers">
      {shown.map(({ address = '', name }) => (
        <a key={address} class="button" href={address.replace(/^\//, '')}>
          {STRINGS.signIn.with(String(name))}
        </a>
      ))}
    </section>
  )
}

/** The ways to begin: providers, password, passkey. With enforced single sign-on the others are for emergencies. */
export function Start({ config, work, hasPasskeys, onPassword, onPasskey }: StartProps): JSX.Element {
  const { signIn } = STRINGS
  const isEmergency = useSignal(false)
  const first = useRef<HTMLInputElement>(null)
  const isEnforced = config.ssoEnforced === true
  const hasPassword = !isEnforced || isEmergency.value
  useEffect(() => {
    if (hasPassword) first.current?.focus()
  }, [hasPassword])
  return (
    <>
      <Providers config={config} />
      {hasPassword && (
        <form id="password" onSubmit={onPassword}>
          <label>
            {signIn.username}
            <input ref={first} name="username" autocomplete="username" required maxLength={255} autocapitalize="none" />
          </label>
          <label>
            {signIn.password}
            <input name="password" type="password" autocomplete="current-password" required maxLength={1024} />
          </label>
          <button type="submit" disabled={work.isBusy}>
            {signIn.submit}
          </button>
        </form>
      )}
      {hasPassword && hasPasskeys && config.passkeysEnabled && (
        <button class="plain" id="use-passkey" type="button" disabled={work.isBusy} onClick={onPasskey}>
          {signIn.usePasskey}
        </button>
      )}
      {isEnforced && !isEmergency.value && (
        <button
          class="plain"
          id="emergency"
          type="button"
          onClick={() => {
            isEmergency.value = true
          }}
        >
          {signIn.emergency}
        </button>
      )}
    </>
  )
}
