/** Files that a tool takes besides its inputs: a mask, a watermark, a cover. */
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { groups } from '../api/tools.ts'
import type { ToolForm } from '../api/types.ts'
import { Icon } from '../app/icons.tsx'
import { acceptAttribute } from '../files/accept.ts'
import { isEffective, type Values } from '../forms/values.ts'
import { capital } from '../forms/wording.ts'
import { STRINGS } from '../strings.ts'

type OtherFile = ToolForm['inputs']['files'][number]

export type Chosen = Readonly<Record<string, File>>

const isNumbered = ({ name }: OtherFile): boolean => /\d$/.test(name)

/** The files that the form offers: of numbered ones (sig0, sig1 …) the next when the one before is chosen. */
export function shownFiles(list: readonly OtherFile[], chosen: Chosen): OtherFile[] {
  const shown: OtherFile[] = []
  for (const other of list) {
    const before = shown.at(-1)
    const isFirst = !isNumbered(other) || !shown.some(isNumbered)
    if (other.required || isFirst || (before && chosen[before.name] !== undefined)) shown.push(other)
  }
  return shown
}

/** The chosen files that the form still shows. A file that is not shown is not sent. */
function withoutHidden(list: readonly OtherFile[], chosen: Chosen): Chosen {
  const names = new Set(shownFiles(list, chosen).map(({ name }) => name))
  return Object.fromEntries(Object.entries(chosen).filter(([name]) => names.has(name)))
}

/** Whether a run needs the file. @param values with defaults */
export const isRequired = ({ required, requiredFor }: OtherFile, values: Values): boolean =>
  required || (requiredFor !== undefined && isEffective({ when: requiredFor }, values))

interface OtherFilesProps {
  list: readonly OtherFile[]
  chosen: Chosen
  values: Values
  onChange(chosen: Chosen): void
}

export function OtherFiles({ list, chosen, values, onChange }: OtherFilesProps): JSX.Element {
  const { form, files } = STRINGS
  const section = useRef<HTMLDivElement>(null)
  // A file field shows what is sent, also if that was removed or painted.
  useLayoutEffect(() => {
    for (const field of section.current?.querySelectorAll<HTMLInputElement>('input[type=file]') ?? []) {
      const file = chosen[field.name]
      if (file === field.files?.[0]) continue
      const files = new DataTransfer()
      if (file) files.items.add(file)
      field.files = files.files
    }
  }, [chosen])
  const without = (name: string): void => {
    const { [name]: _, ...others } = chosen
    onChange(withoutHidden(list, others))
  }
  return (
    <div ref={section} class="settings-section">
      {shownFiles(list, chosen).map((other) => {
        const { name, label, help, accept } = other
        const file = chosen[name]
        return (
          <div key={name} class="field">
            <label for={`file-${name}`}>
              {label}
              {isRequired(other, values) && <span class="faint"> {form.required}</span>}
            </label>
            <span class="row">
              <input
                id={`file-${name}`}
                class="file-input"
                type="file"
                name={name}
                accept={acceptAttribute(accept, groups.value)}
                aria-describedby={`file-${name}-help`}
                onChange={(event) => {
                  const picked = event.currentTarget.files?.[0]
                  if (picked) onChange({ ...chosen, [name]: picked })
                  else without(name)
                }}
              />
              {file && (
                <button
                  type="button"
                  class="icon-button"
                  aria-label={files.remove(file.name)}
                  onClick={() => without(name)}
                >
                  <Icon name="close" size={16} />
                </button>
              )}
            </span>
            <p id={`file-${name}-help`} class="help">
              {capital(help)}
            </p>
          </div>
        )
      })}
    </div>
  )
}
