import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { call } from '../../api/call.ts'
import { may } from '../../api/session.ts'
import type { InstanceSetting, PutSettings } from '../../api/types.ts'
import { announce } from '../../app/announce.ts'
import { useWork } from '../../app/work.ts'
import { capital } from '../../forms/wording.ts'
import { STRINGS } from '../../strings.ts'
import { useSharedProof } from '../proof.ts'
import { fromText, SettingControl, toText } from './setting-control.tsx'

/** The default in words. */
function defaultText({ kind, default: text, unit }: InstanceSetting): string {
  const { settings } = STRINGS.admin
  if (text === null || text === '') return settings.noDefault
  if (kind === 'flag') return settings.isDefault(text === 'true' ? STRINGS.factor.on : STRINGS.factor.off)
  if (kind === 'list' || kind === 'addresses') return settings.isDefault(settings.none)
  return settings.isDefault(kind === 'choice' ? capital(text.replaceAll('_', ' ')) : unit ? `${text} ${unit}` : text)
}

/** One setting: its control, what it does, and the answer of the server to a change. */
export function SettingField({
  setting,
  onChange,
}: {
  setting: InstanceSetting
  onChange(): Promise<void>
}): JSX.Element {
  const { settings: words, users } = STRINGS.admin
  const work = useWork()
  const proof = useSharedProof()
  const notes = useSignal<readonly string[]>([])
  const { name, label, help, kind, value, isSecurity } = setting
  const kept = fromText(kind, value ?? setting.default ?? '')
  const shown = useSignal(kept)
  useEffect(() => {
    shown.value = kept
  }, [value])
  const isFixed = isSecurity && !may('security:manage')
  const isChanged = shown.value !== kept
  const id = `setting-${name}`
  const save = (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    notes.value = []
    return work.run(() =>
      proof.guard(async () => {
        const body = { [name]: toText(kind, shown.value) }
        const { warnings = [] } = await call<PutSettings>('api/v1/settings', { method: 'PUT', body })
        notes.value = [users.saved, ...warnings]
        announce(users.saved)
        await onChange()
      }),
    )
  }
  const reset = (): Promise<void> =>
    work.run(() =>
      proof.guard(async () => {
        await call(`api/v1/settings/${encodeURIComponent(name)}`, { method: 'DELETE' })
        notes.value = [words.wasReset]
        announce(words.wasReset)
        await onChange()
      }),
    )
  return (
    <form class="setting" onSubmit={save} noValidate>
      <div class="setting-head">
        <label for={id}>{label}</label>
        <p class="help" id={`${id}-help`}>
          {capital(help)}. {defaultText(setting)} {isFixed && words.needsSecurity}
        </p>
      </div>
      <div class="setting-value">
        <div class="row">
          <SettingControl
            setting={setting}
            id={id}
            value={shown.value}
            isDisabled={isFixed}
            isInvalid={work.message !== ''}
            onChange={(next) => {
              shown.value = next
              notes.value = []
              work.say('')
            }}
          />
          {isChanged && (
            <button type="submit" disabled={work.isBusy}>
              {users.save}
            </button>
          )}
          {!isFixed && !isChanged && value !== null && (
            <button type="button" class="quiet" disabled={work.isBusy} onClick={reset}>
              {words.reset}
            </button>
          )}
        </div>
        <p class="fault" id={`${id}-fault`} role="alert">
          {work.message}
        </p>
        {notes.value.map((note) => (
          <p key={note} class="small" role="status">
            {note}
          </p>
        ))}
      </div>
    </form>
  )
}
