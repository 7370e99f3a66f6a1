import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { Icon } from '../../app/icons.tsx'
import { STRINGS } from '../../strings.ts'
import { generatePassword } from './generate-password.ts'

/** A password for somebody else: readable, generated unless another one is typed. */
export function PasswordField({ name, label }: { name: string; label: string }): JSX.Element {
  const value = useSignal(generatePassword())
  return (
    <div class="row end">
      <label class="grow">
        {label}
        <input
          class="mono"
          name={name}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          required
          maxLength={1024}
          value={value.value}
          onInput={(event) => {
            value.value = event.currentTarget.value
          }}
        />
      </label>
      <button
        type="button"
        class="plain"
        onClick={() => {
          value.value = generatePassword()
        }}
      >
        <Icon name="reset" size={16} />
        {STRINGS.admin.users.generate}
      </button>
    </div>
  )
}
