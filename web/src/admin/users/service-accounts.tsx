/** Accounts of programs, with their API keys. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { call } from '../../api/call.ts'
import type { GetServiceAccounts, ServiceAccount } from '../../api/types.ts'
import { Icon } from '../../app/icons.tsx'
import { fieldsOf, useWork } from '../../app/work.ts'
import { STRINGS } from '../../strings.ts'
import { ManagedRows } from '../managed-rows.tsx'
import { Modal } from '../modal.tsx'
import { useSharedProof } from '../proof.ts'
import { roleName } from '../role-name.ts'
import { type Choices, roleOf } from './choices.ts'
import { NEW_PLACE, PlaceFields } from './place-fields.tsx'
import { ServiceAccountDialog } from './service-account-dialog.tsx'

export function ServiceAccounts({ choices }: { choices: Choices }): JSX.Element {
  const { services, users, close } = STRINGS.admin
  const work = useWork()
  const creation = useWork()
  const proof = useSharedProof()
  const list = useSignal<readonly ServiceAccount[]>([])
  const opened = useSignal<string | undefined>(undefined)
  const load = async (): Promise<void> => {
    list.value = (await call<GetServiceAccounts>('api/v1/service-accounts')).serviceAccounts
  }
  useEffect(() => {
    work.run(load)
  }, [])
  const shut = (): void => {
    opened.value = undefined
  }
  const create = (event: SubmitEvent): Promise<void> => {
    const { name, role, team } = fieldsOf(event)
    return creation.run(() =>
      proof.guard(async () => {
        const made = await call<ServiceAccount>('api/v1/service-accounts', {
          method: 'POST',
          body: { name, role, team },
        })
        await load()
        opened.value = made.id
      }),
    )
  }
  const shown = list.value.find(({ id }) => id === opened.value)
  return (
    <section class="card" id="service-accounts" aria-labelledby="services-title">
      <div class="row apart">
        <h2 id="services-title">{services.title}</h2>
        <button
          type="button"
          class="plain"
          onClick={() => {
            opened.value = 'new'
          }}
        >
          <Icon name="plus" size={16} />
          {services.create}
        </button>
      </div>
      <p class="faint">{services.help}</p>
      <p class="alert" role="alert">
        {work.message}
      </p>
      <ManagedRows
        items={list.value}
        row={(account) => ({
          id: account.id,
          about: (
            <>
              <strong>{account.name}</strong>
              {!account.enabled && <span class="badge bad">{users.isLocked}</span>}
              <span class="faint small block">
                {[roleName(roleOf(account.role)), account.team, services.keys(account.keyCount)].join(' · ')}
              </span>
            </>
          ),
          action: users.manage,
          label: users.manageOf(account.name),
        })}
        onOpen={(id) => {
          opened.value = id
        }}
      />
      {opened.value === 'new' && (
        <Modal title={services.create} onClose={shut}>
          <form id="new-service" onSubmit={create}>
            <p class="alert" role="alert">
              {creation.message}
            </p>
            <label>
              {services.name}
              <input
                name="name"
                required
                maxLength={50}
                autocomplete="off"
                autocapitalize="none"
                placeholder="build-server"
              />
            </label>
            <PlaceFields choices={choices} place={NEW_PLACE} />
            <div class="row">
              <button type="submit" disabled={creation.isBusy}>
                {services.create}
              </button>
              <button type="button" class="plain" onClick={shut}>
                {close}
              </button>
            </div>
          </form>
        </Modal>
      )}
      {shown && <ServiceAccountDialog key={shown.id} account={shown} onChange={load} onClose={shut} />}
    </section>
  )
}
