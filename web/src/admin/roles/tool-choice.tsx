import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { tools } from '../../api/tools.ts'
import type { Role } from '../../api/types.ts'
import { STRINGS } from '../../strings.ts'

type Limits = Role['toolPermissions']

const CATEGORIES = ['image', 'video', 'audio', 'document', 'file']
/** Tools that are listed at once; the search finds the others. */
const MOST = 40

const MODES = ['all', 'category', 'tool'] as const

interface ToolChoiceProps {
  limits: Limits
  isFixed: boolean
  onChange(limits: Limits): void
}

interface ChecksProps {
  list: readonly { id: string; label: string }[]
  allowed: readonly string[]
  onChange(allowed: readonly string[]): void
}

function Checks({ list, allowed, onChange }: ChecksProps): JSX.Element {
  return (
    <div class="choices nested">
      {list.map(({ id, label }) => (
        <label key={id} class="check">
          <input
            type="checkbox"
            value={id}
            checked={allowed.includes(id)}
            onChange={(event) =>
              onChange(event.currentTarget.checked ? [...allowed, id] : allowed.filter((other) => other !== id))
            }
          />
          <span>{label}</span>
        </label>
      ))}
    </div>
  )
}

/** The tools of a role: all, those of some sections, or single ones. */
export function ToolChoice({ limits, isFixed, onChange }: ToolChoiceProps): JSX.Element {
  const { roles } = STRINGS.admin
  const words = useSignal('')
  const mode = limits?.mode ?? 'all'
  const allowed = limits?.allowed ?? []
  const own = tools.value.filter(({ base }) => base === undefined)
  const typed = words.value.trim().toLowerCase()
  const isFound = ({ id, label }: { id: string; label: string }): boolean =>
    typed === '' ? allowed.includes(id) : label.toLowerCase().includes(typed) || id.includes(typed)
  const found = own.filter(isFound)
  if (isFixed)
    return (
      <p>
        <b>{roles.toolsTitle}: </b>
        {limits ? allowed.map((one) => roles.categories[one] ?? one).join(', ') : roles.allTools}
      </p>
    )
  return (
    <fieldset class="choices">
      <legend>{roles.toolsTitle}</legend>
      {MODES.map((one) => (
        <label key={one} class="check">
          <input
            type="radio"
            name="tools"
            value={one}
            checked={mode === one}
            onChange={() => onChange(one === 'all' ? null : { mode: one, allowed: [] })}
          />
          <span>{roles.modes[one]}</span>
        </label>
      ))}
      {mode === 'category' && (
        <Checks
          list={CATEGORIES.map((id) => ({ id, label: roles.categories[id] ?? id }))}
          allowed={allowed}
          onChange={(next) => onChange({ mode: 'category', allowed: [...next] })}
        />
      )}
      {mode === 'tool' && (
        <>
          <input
            type="search"
            aria-label={roles.findTools}
            placeholder={roles.findTools}
            maxLength={100}
            value={words.value}
            onInput={(event) => {
              words.value = event.currentTarget.value
            }}
          />
          <p class="help" role="status">
            {typed === '' ? roles.chosen(allowed.length) : roles.found(found.length)}
          </p>
          <Checks
            list={found.slice(0, MOST)}
            allowed={allowed}
            onChange={(next) => onChange({ mode: 'tool', allowed: [...next] })}
          />
        </>
      )}
    </fieldset>
  )
}
