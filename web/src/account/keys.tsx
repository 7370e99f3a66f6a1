import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { addressOf, call } from '../api/call.ts'
import type { ApiKey, GetApiKeys, PostApiKeys } from '../api/types.ts'
import { CopyButton } from '../app/copy-button.tsx'
import { dayText } from '../app/dates.ts'
import { fieldsOf, type Work } from '../app/work.ts'
import { curlLine } from '../lines/curl.ts'
import { STRINGS } from '../strings.ts'
import type { Proof } from './confirm.tsx'

/** A new key, which the server shows only once. */
function NewKey({ value, onDone }: { value: string; onDone(): void }): JSX.Element {
  const { keys } = STRINGS
  const example = curlLine({
    address: addressOf('api/v1/tools/image/resize'),
    key: value,
    files: [{ field: 'file', name: 'photo.jpg' }],
    settings: { width: 800 },
    secrets: new Set(),
  })
  return (
    <div class="stack" role="status">
      <p>{keys.made}</p>
      <div class="row">
        <pre id="value">{value}</pre>
        <CopyButton text={value} label={keys.copy} />
      </div>
      <p class="faint">{keys.example}</p>
      <pre id="example">{example}</pre>
      <div class="row">
        <button class="plain" id="another" type="button" onClick={onDone}>
          {keys.done}
        </button>
      </div>
    </div>
  )
}

/** The API keys of the user, or of everybody for users who may see them. */
export function Keys({ work, proof }: { work: Work; proof: Proof }): JSX.Element {
  const { keys } = STRINGS
  const list = useSignal<readonly ApiKey[]>([])
  const made = useSignal('')
  const load = async (): Promise<void> => {
    list.value = (await call<GetApiKeys>('api/v1/api-keys')).apiKeys
  }
  useEffect(() => {
    work.run(load)
  }, [])
  const create = (event: SubmitEvent): Promise<void> => {
    const form = event.currentTarget as HTMLFormElement
    const { name } = fieldsOf(event)
    return work.run(() =>
      proof.guard(async () => {
        const { key } = await call<PostApiKeys>('api/v1/api-keys', { method: 'POST', body: name ? { name } : {} })
        made.value = key
        form.reset()
        await load()
      }),
    )
  }
  const remove = ({ id, name }: ApiKey): void => {
    if (!confirm(keys.confirmRemove(name))) return
    work.run(async () => {
      await call(`api/v1/api-keys/${encodeURIComponent(id)}`, { method: 'DELETE' })
      await load()
    })
  }
  return (
    <section class="card" aria-labelledby="keys-title">
      <h2 id="keys-title">{keys.title}</h2>
      <p class="faint">
        {keys.help} <code>Authorization: Bearer KEY</code>
      </p>
      {made.value && (
        <NewKey
          value={made.value}
          onDone={() => {
            made.value = ''
          }}
        />
      )}
      <ul class="rows">
        {list.value.map((key) => (
          <li key={key.id}>
            <span>
              {key.name}
              <span class="faint small block">
                {keys.dates(dayText(key.createdAt), key.lastUsedAt ? dayText(key.lastUsedAt) : '')}
                {key.username && ` · ${key.username}`}
              </span>
            </span>
            <button class="plain danger" type="button" aria-label={keys.remove(key.name)} onClick={() => remove(key)}>
              {STRINGS.account.remove}
            </button>
          </li>
        ))}
      </ul>
      <form id="key" class="row" onSubmit={create}>
        <label class="grow">
          {keys.name}
          <input name="name" maxLength={100} placeholder={keys.placeholder} />
        </label>
        <button type="submit" disabled={work.isBusy}>
          {keys.create}
        </button>
      </form>
    </section>
  )
}
