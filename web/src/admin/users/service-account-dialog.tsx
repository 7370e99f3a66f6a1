import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { call } from '../../api/call.ts'
import type {
  ApiKey,
  GetServiceAccountsByIdKeys,
  PostServiceAccountsByIdKeys,
  ServiceAccount,
} from '../../api/types.ts'
import { dayText } from '../../app/dates.ts'
import { fieldsOf, useWork } from '../../app/work.ts'
import { STRINGS } from '../../strings.ts'
import { Modal } from '../modal.tsx'
import { Once } from '../once.tsx'
import { useSharedProof } from '../proof.ts'
import { TypedConfirm } from '../typed-confirm.tsx'

interface ServiceAccountDialogProps {
  account: ServiceAccount
  onChange(): Promise<void>
  onClose(): void
}

/** The keys of a program's account, its lock and its removal. */
export function ServiceAccountDialog({ account, onChange, onClose }: ServiceAccountDialogProps): JSX.Element {
  const { services, users } = STRINGS.admin
  const work = useWork()
  const proof = useSharedProof()
  const keys = useSignal<readonly ApiKey[]>([])
  const made = useSignal('')
  const isDeleting = useSignal(false)
  const path = `api/v1/service-accounts/${encodeURIComponent(account.id)}`
  const load = async (): Promise<void> => {
    keys.value = (await call<GetServiceAccountsByIdKeys>(`${path}/keys`)).apiKeys
  }
  useEffect(() => {
    work.run(load)
  }, [])
  const act = (action: () => Promise<unknown>): Promise<void> =>
    work.run(() =>
      proof.guard(async () => {
        await action()
        await Promise.all([load(), onChange()])
      }),
    )
  const create = (event: SubmitEvent): Promise<void> => {
    const form = event.currentTarget as HTMLFormElement
    const { name } = fieldsOf(event)
    return act(async () => {
      const body = name ? { name } : {}
      made.value = (await call<PostServiceAccountsByIdKeys>(`${path}/keys`, { method: 'POST', body })).key
      form.reset()
    })
  }
  const removeKey = ({ id, name }: ApiKey): void => {
    if (!confirm(STRINGS.keys.confirmRemove(name))) return
    act(() => call(`${path}/keys/${encodeURIComponent(id)}`, { method: 'DELETE' }))
  }
  return (
    <Modal title={account.name} onClose={onClose}>
      <p class="alert" role="alert">
        {work.message}
      </p>
      {made.value && <Once sentence={STRINGS.keys.made} value={made.value} />}
      <ul class="rows">
        {keys.value.map((key) => (
          <li key={key.id}>
            <span>
              {key.name}
              <span class="faint small block">
                {STRINGS.keys.dates(dayText(key.createdAt), key.lastUsedAt ? dayText(key.lastUsedAt) : '')}
              </span>
            </span>
            <button
              type="button"
              class="plain danger"
              aria-label={STRINGS.keys.remove(key.name)}
              onClick={() => removeKey(key)}
            >
              {STRINGS.account.remove}
            </button>
          </li>
        ))}
      </ul>
      <form id="service-key" class="row" onSubmit={create}>
        <label class="grow">
          {STRINGS.keys.name}
          <input name="name" maxLength={100} autocomplete="off" />
        </label>
        <button type="submit" disabled={work.isBusy}>
          {STRINGS.keys.create}
        </button>
      </form>
      <ul class="rows actions">
        <li>
          <span>{account.enabled ? services.lockHelp : services.lockedHelp}</span>
          <button
            type="button"
            class="plain"
            disabled={work.isBusy}
            onClick={() => act(() => call(path, { method: 'PUT', body: { enabled: !account.enabled } }))}
          >
            {account.enabled ? users.lock : users.unlock}
          </button>
        </li>
        <li>
          <span>{services.removeHelp}</span>
          <button
            type="button"
            class="plain danger"
            onClick={() => {
              isDeleting.value = true
            }}
          >
            {users.remove}
          </button>
        </li>
      </ul>
      {isDeleting.value && (
        <TypedConfirm
          title={users.removeTitle(account.name)}
          help={services.removeHelp}
          name={account.name}
          label={users.removeForever}
          remove={() =>
            proof.guard(async () => {
              await call(path, { method: 'DELETE' })
              await onChange()
              onClose()
            })
          }
          onClose={() => {
            isDeleting.value = false
          }}
        />
      )}
    </Modal>
  )
}
