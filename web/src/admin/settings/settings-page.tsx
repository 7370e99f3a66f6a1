/** All settings of the server, made from its own table. Each is saved by itself. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { call } from '../../api/call.ts'
import type { GetAdminSettings } from '../../api/types.ts'
import { useWork } from '../../app/work.ts'
import { STRINGS } from '../../strings.ts'
import { SettingField } from './setting-field.tsx'

export function SettingsPage(): JSX.Element {
  const { settings: words, parts } = STRINGS.admin
  const work = useWork()
  const table = useSignal<GetAdminSettings>({ groups: [], settings: [] })
  const load = async (): Promise<void> => {
    table.value = await call<GetAdminSettings>('api/v1/admin/settings')
  }
  useEffect(() => {
    work.run(load)
  }, [])
  const { groups, settings } = table.value
  return (
    <>
      <div>
        <h1 tabIndex={-1}>{parts.settings}</h1>
        <p class="faint">{words.help}</p>
      </div>
      <p class="alert" role="alert">
        {work.message}
      </p>
      {groups.map((group) => (
        <section key={group} class="card" aria-labelledby={`group-${group}`}>
          <h2 id={`group-${group}`}>{words.groups[group] ?? group}</h2>
          {settings
            .filter((setting) => setting.group === group)
            .map((setting) => (
              <SettingField key={setting.name} setting={setting} onChange={load} />
            ))}
        </section>
      ))}
    </>
  )
}
