import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useWork } from '../app/work.ts'
import { STRINGS } from '../strings.ts'
import { Modal } from './modal.tsx'

interface TypedConfirmProps {
  title: string
  /** What the removal does. */
  help: string
  /** Must be typed. */
  name: string
  label: string
  remove(): Promise<void>
  onClose(): void
}

/** A removal that cannot be undone: its button works after the name was typed. */
export function TypedConfirm({ title, help, name, label, remove, onClose }: TypedConfirmProps): JSX.Element {
  const work = useWork()
  const typed = useSignal('')
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (typed.value === name) work.run(remove)
  }
  return (
    <Modal title={title} onClose={onClose}>
      <form class="typed-confirm" onSubmit={submit}>
        <p>{help}</p>
        <p class="alert" role="alert">
          {work.message}
        </p>
        <label>
          {STRINGS.admin.typeName(name)}
          <input
            name="typed"
            autocomplete="off"
            autocapitalize="none"
            maxLength={200}
            value={typed.value}
            onInput={(event) => {
              typed.value = event.currentTarget.value
            }}
          />
        </label>
        <div class="row">
          <button type="submit" class="plain danger" disabled={work.isBusy || typed.value !== name}>
            {label}
          </button>
        </div>
      </form>
    </Modal>
  )
}
