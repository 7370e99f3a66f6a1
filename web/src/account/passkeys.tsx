import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { call } from '../api/call.ts'
import type { GetAuthPasskeys } from '../api/types.ts'
import { dayText } from '../app/dates.ts'
import { fieldsOf, type Work } from '../app/work.ts'
import { registerPasskey } from '../sign-in/passkeys.ts'
import { STRINGS } from '../strings.ts'
import type { Proof } from './confirm.tsx'

export type Passkey = GetAuthPasskeys['passkeys'][number]

interface PasskeysProps {
  list: Signal<readonly Passkey[]>
  work: Work
  proof: Proof
  load(): Promise<void>
}

/** One passkey: its name, which can be changed, its dates, and a button that removes it. */
function Item({ passkey, work, proof, load }: Omit<PasskeysProps, 'list'> & { passkey: Passkey }): JSX.Element {
  const { passkeys, account } = STRINGS
  const { id, name, createdAt, lastUsedAt } = passkey
  const field = useRef<HTMLInputElement>(null)
  const path = `api/auth/passkeys/${encodeURIComponent(id)}`
  const rename = (): Promise<void> =>
    work.run(async () => {
      await call(path, { method: 'PATCH', body: { name: field.current?.value } })
      await load()
    })
  const remove = (): void => {
    if (!confirm(passkeys.confirmRemove(name))) return
    work.run(() =>
      proof.guard(async () => {
        await call(path, { method: 'DELETE' })
        await load()
      }),
    )
  }
  return (
    <li>
      <span class="grow">
        <input
          ref={field}
          type="text"
          defaultValue={name}
          maxLength={100}
          required
          aria-label={passkeys.nameOf(name)}
        />
        <span class="faint small block">
          {passkeys.dates(dayText(createdAt), lastUsedAt ? dayText(lastUsedAt) : '')}
        </span>
      </span>
      <button class="plain" type="button" aria-label={passkeys.rename(name)} onClick={rename}>
        {account.rename}
      </button>
      <button class="plain danger" type="button" aria-label={passkeys.remove(name)} onClick={remove}>
        {account.remove}
      </button>
    </li>
  )
}

export function Passkeys({ list, work, proof, load }: PasskeysProps): JSX.Element {
  const { passkeys } = STRINGS
  const add = (event: SubmitEvent): Promise<void> => {
    const form = event.currentTarget as HTMLFormElement
    const { name = '' } = fieldsOf(event)
    return work.run(() =>
      proof.guard(async () => {
        await registerPasskey(name.trim())
        form.reset()
        await load()
      }),
    )
  }
  return (
    <section class="card" id="passkeys" aria-labelledby="passkeys-title">
      <h2 id="passkeys-title">{passkeys.title}</h2>
      <p class="faint">{passkeys.help}</p>
      <ul class="rows" id="passkey-list">
        {list.value.map((passkey) => (
          <Item key={passkey.id + passkey.name} passkey={passkey} work={work} proof={proof} load={load} />
        ))}
      </ul>
      <form id="add-passkey" class="row" onSubmit={add}>
        <label class="grow">
          {passkeys.name}
          <input name="name" maxLength={100} placeholder={passkeys.placeholder} />
        </label>
        <button type="submit" disabled={work.isBusy}>
          {passkeys.add}
        </button>
      </form>
    </section>
  )
}
