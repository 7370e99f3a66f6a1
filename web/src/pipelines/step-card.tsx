/** One step: its place, its settings, and what is wrong with it. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { loadForm, tools } from '../api/tools.ts'
import type { PostPipelineExplain, ToolForm } from '../api/types.ts'
import { Icon } from '../app/icons.tsx'
import { inWords } from '../forms/control-of.ts'
import { SettingsForm } from '../forms/settings-form.tsx'
import { settingsOf, valuesFor } from '../forms/values.ts'
import { STRINGS } from '../strings.ts'
import type { Step } from './definition.ts'

export type Fault = PostPipelineExplain['faults'][number]

/** The name of a tool for people; its id if the user may not use it. */
export const labelOf = (toolId: string): string => tools.value.find(({ id }) => id === toolId)?.label ?? toolId

/** Most characters of the summary of a step. */
const MOST = 90

/** Settings in a line: `width 800, fit cover`. */
export function settingsText(settings: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(settings).map(([name, value]) => {
    const shown = typeof value === 'string' ? value : JSON.stringify(value)
    return value === true ? inWords(name) : `${inWords(name)} ${shown}`
  })
  const text = parts.join(', ')
  return text.length > MOST ? `${text.slice(0, MOST)} …` : text
}

/** The form of a step's tool; undefined until it is loaded, or if the user may not use the tool. */
function useForm(toolId: string): ToolForm | undefined {
  const form = useSignal<ToolForm | undefined>(undefined)
  const section = tools.value.find(({ id }) => id === toolId)?.section
  useEffect(() => {
    if (section === undefined) return
    // A tool that is gone is a fault of the plan.
    loadForm(section, toolId).then(
      (loaded) => {
        form.value = loaded
      },
      () => undefined,
    )
  }, [section, toolId])
  return form.value
}

interface StepCardProps {
  step: Step
  index: number
  count: number
  faults: readonly Fault[]
  /** Settings without an effect. */
  ignored: readonly string[]
  isOpen: boolean
  isChecked: boolean
  /** How far it is dragged, in pixels. */
  by: number | undefined
  onOpen(isOpen: boolean): void
  onChange(step: Step): void
  onMove(to: number): void
  onRemove(): void
  onDrag(event: PointerEvent): void
}

function StepSettings({ step, isChecked, onChange }: Pick<StepCardProps, 'step' | 'isChecked' | 'onChange'>) {
  const words = STRINGS.pipelines
  const form = useForm(step.toolId)
  if (!form) return <p class="faint">{STRINGS.loading}</p>
  const { settings: rows, inputs } = form
  return (
    <div class="step-settings">
      {inputs.files.length > 0 && (
        <p class="notice small">{words.otherFiles(inputs.files.map(({ label }) => label.toLowerCase()).join(', '))}</p>
      )}
      {!form.available && <p class="notice small">{words.notInstalled}</p>}
      {rows.length === 0 ? (
        <p class="faint">{STRINGS.tool.noSettings}</p>
      ) : (
        <SettingsForm
          rows={rows}
          values={step.values ?? valuesFor(rows, step.settings)}
          isChecked={isChecked}
          onChange={(values) => onChange({ ...step, values, settings: settingsOf(rows, values) })}
        />
      )}
    </div>
  )
}

export function StepCard(props: StepCardProps): JSX.Element {
  const { step, index, count, faults, ignored, isOpen, by } = props
  const words = STRINGS.pipelines
  const label = labelOf(step.toolId)
  const summary = settingsText(step.settings)
  const onKey = (event: KeyboardEvent): void => {
    const to = { ArrowUp: index - 1, ArrowDown: index + 1 }[event.key]
    if (to === undefined || !event.altKey) return
    event.preventDefault()
    props.onMove(to)
  }
  return (
    <li
      class={by === undefined ? 'step' : 'step dragged'}
      ref={(element) => element?.style.setProperty('--by', `${by ?? 0}px`)}
      data-faulty={faults.length > 0 ? '' : undefined}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons in it take the keys */}
      <div class="step-head" onKeyDown={onKey}>
        <button
          type="button"
          class="icon-button handle"
          aria-label={words.drag(label)}
          title={words.drag(label)}
          onPointerDown={props.onDrag}
        >
          <Icon name="grip" size={16} />
        </button>
        <button type="button" class="quiet step-title" aria-expanded={isOpen} onClick={() => props.onOpen(!isOpen)}>
          <span class="step-number">{index + 1}</span>
          <span class="step-words">
            <strong>{label}</strong>
            <span class="faint small">{summary || words.standard}</span>
          </span>
          <Icon name="chevron" size={16} />
        </button>
        <span class="step-buttons">
          <button
            type="button"
            class="icon-button"
            disabled={index === 0}
            aria-label={words.up(label)}
            onClick={() => props.onMove(index - 1)}
          >
            <Icon name="arrowUp" size={16} />
          </button>
          <button
            type="button"
            class="icon-button"
            disabled={index === count - 1}
            aria-label={words.down(label)}
            onClick={() => props.onMove(index + 1)}
          >
            <Icon name="arrowDown" size={16} />
          </button>
          <button type="button" class="icon-button" aria-label={words.removeStep(label)} onClick={props.onRemove}>
            <Icon name="close" size={16} />
          </button>
        </span>
      </div>
      {faults.map(({ message, hint }) => (
        <p key={message} class="fault small step-fault" role="alert">
          {message}. {hint}
        </p>
      ))}
      {ignored.length > 0 && <p class="notice small step-note">{words.ignored(ignored)}</p>}
      {isOpen && (
        <fieldset class="step-form">
          <legend class="hidden">{words.settingsOf(label)}</legend>
          <StepSettings step={step} isChecked={props.isChecked} onChange={props.onChange} />
        </fieldset>
      )}
    </li>
  )
}
