/** The steps in their order. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { PostPipelineExplain } from '../api/types.ts'
import { announce } from '../app/announce.ts'
import { Icon } from '../app/icons.tsx'
import { STRINGS } from '../strings.ts'
import { AddStep } from './add-step.tsx'
import { moved, type Step, stepOf } from './definition.ts'
import { labelOf, StepCard } from './step-card.tsx'
import { useDrag } from './use-drag.ts'

interface StepListProps {
  steps: readonly Step[]
  plan: PostPipelineExplain | undefined
  isChecked: boolean
  onChange(steps: readonly Step[]): void
}

export function StepList({ steps, plan, isChecked, onChange }: StepListProps): JSX.Element {
  const words = STRINGS.pipelines
  const list = useRef<HTMLOListElement>(null)
  const adder = useRef<HTMLButtonElement>(null)
  const open = useSignal<number | undefined>(undefined)
  const isAdding = useSignal(false)
  const move = (from: number, to: number): void => {
    const step = steps[from]
    if (!step || to < 0 || to >= steps.length || to === from) return
    const focused = document.activeElement
    onChange(moved(steps, from, to))
    announce(words.movedStep(labelOf(step.toolId), to + 1, steps.length))
    // An element that moves in the document loses the focus.
    requestAnimationFrame(() => {
      if (focused instanceof HTMLElement && focused !== document.activeElement) focused.focus()
    })
  }
  const { dragged, start } = useDrag(list, move)
  const remove = (step: Step): void => {
    onChange(steps.filter((one) => one !== step))
    announce(words.removedStep(labelOf(step.toolId)))
    adder.current?.focus()
  }
  const add = (toolId: string): void => {
    const step = stepOf(toolId)
    onChange([...steps, step])
    open.value = step.key
    announce(words.addedStep(labelOf(toolId), steps.length + 1))
  }
  return (
    <section aria-labelledby="steps-title">
      <h2 id="steps-title">{words.steps}</h2>
      {steps.length === 0 && <p class="faint">{words.noSteps}</p>}
      <ol ref={list} class="steps">
        {steps.map((step, index) => (
          <StepCard
            key={step.key}
            step={step}
            index={index}
            count={steps.length}
            faults={plan?.faults.filter((fault) => fault.step === index + 1) ?? []}
            ignored={plan?.ignored.flatMap((one) => (one.step === index + 1 ? one.setting : [])) ?? []}
            isOpen={open.value === step.key}
            isChecked={isChecked}
            by={dragged.value?.index === index ? dragged.value.by : undefined}
            onOpen={(isOpen) => {
              open.value = isOpen ? step.key : undefined
            }}
            onChange={(changed) => onChange(steps.map((one) => (one === step ? changed : one)))}
            onMove={(to) => move(index, to)}
            onRemove={() => remove(step)}
            onDrag={(event) => start(event, index)}
          />
        ))}
      </ol>
      <button
        ref={adder}
        type="button"
        class={steps.length === 0 ? 'add-step' : 'plain add-step'}
        onClick={() => {
          isAdding.value = true
        }}
      >
        <Icon name="plus" size={16} />
        {steps.length === 0 ? words.addFirst : words.add}
      </button>
      {isAdding.value && (
        <AddStep
          steps={steps}
          plan={plan}
          onAdd={add}
          onClose={() => {
            isAdding.value = false
          }}
        />
      )}
    </section>
  )
}
