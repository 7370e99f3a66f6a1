/** Where accounts come from: passwords, directories, providers, provisioning. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { addressOf, call } from '../../api/call.ts'
import type { GetAdminSignInSources, PostEnterpriseScimToken, SignInSource } from '../../api/types.ts'
import { dayText } from '../../app/dates.ts'
import { useWork } from '../../app/work.ts'
import { STRINGS } from '../../strings.ts'
import { Once } from '../once.tsx'
import { useSharedProof } from '../proof.ts'

function about({ kind, name, address, createsUsers, since, enabled }: SignInSource): string {
  const { sources } = STRINGS.admin
  if (!enabled) return sources.how[kind] ?? ''
  const facts = [name, address, since && sources.since(dayText(since)), createsUsers && sources.creates]
  return facts.filter(Boolean).join(' · ')
}

export function Sources(): JSX.Element {
  const { sources } = STRINGS.admin
  const work = useWork()
  const proof = useSharedProof()
  const list = useSignal<readonly SignInSource[]>([])
  const made = useSignal('')
  const load = async (): Promise<void> => {
    list.value = (await call<GetAdminSignInSources>('api/v1/admin/sign-in-sources')).sources
  }
  useEffect(() => {
    work.run(load)
  }, [])
  const token = 'api/v1/enterprise/scim/token'
  const create = (isThere: boolean): void => {
    if (isThere && !confirm(sources.confirmReplace)) return
    work.run(() =>
      proof.guard(async () => {
        made.value = (await call<PostEnterpriseScimToken>(token, { method: 'POST' })).token
        await load()
      }),
    )
  }
  const revoke = (): void => {
    if (!confirm(sources.confirmRevoke)) return
    work.run(() =>
      proof.guard(async () => {
        await call(token, { method: 'DELETE' })
        made.value = ''
        await load()
      }),
    )
  }
  return (
    <section class="card" id="sources" aria-labelledby="sources-title">
      <h2 id="sources-title">{sources.title}</h2>
      <p class="faint">{sources.help}</p>
      <p class="alert" role="alert">
        {work.message}
      </p>
      {made.value && <Once sentence={sources.made(addressOf('api/v1/scim/v2'))} value={made.value} />}
      <ul class="rows">
        {list.value.map((source) => (
          <li key={source.kind}>
            <span>
              <strong>{sources.kinds[source.kind]}</strong>
              <span class={source.enabled ? 'badge good' : 'badge'}>
                {source.enabled ? STRINGS.factor.on : STRINGS.factor.off}
              </span>
              <span class="faint small block">{about(source)}</span>
            </span>
            {source.kind === 'scim' && (
              <button type="button" class="plain" disabled={work.isBusy} onClick={() => create(source.enabled)}>
                {source.enabled ? sources.replaceToken : sources.makeToken}
              </button>
            )}
            {source.kind === 'scim' && source.enabled && (
              <button type="button" class="plain danger" disabled={work.isBusy} onClick={revoke}>
                {sources.revokeToken}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
