/** Chooses the tool of a new step: only those that take the result of the step before. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { tools } from '../api/tools.ts'
import type { PostPipelineExplain } from '../api/types.ts'
import { Icon } from '../app/icons.tsx'
import { useWork } from '../app/work.ts'
import { STRINGS } from '../strings.ts'
import { useSearch } from '../tools/use-search.ts'
import type { Step } from './definition.ts'
import { labelOf } from './step-card.tsx'
import { stepTools } from './step-tools.ts'

interface AddStepProps {
  steps: readonly Step[]
  plan: PostPipelineExplain | undefined
  onAdd(toolId: string): void
  onClose(): void
}

export function AddStep({ steps, plan, onAdd, onClose }: AddStepProps): JSX.Element {
  const words = STRINGS.pipelines
  const work = useWork()
  const search = useSignal('')
  const found = useSearch(search)
  const all = useSignal<readonly string[]>([])
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    dialog.current?.showModal()
    work.run(async () => {
      all.value = await stepTools()
    })
  }, [])
  const last = steps.at(-1)
  const isKnown = last !== undefined && plan !== undefined && plan.faults.length === 0
  const fitting = new Set(isKnown ? plan.next : all.value)
  const list = (found.value?.tools ?? tools.value).filter(({ id }) => fitting.has(id))
  const choose = (id: string | undefined): void => {
    if (id === undefined) return
    dialog.current?.close()
    onAdd(id)
  }
  const about = isKnown ? words.addFits(labelOf(last.toolId)) : last ? words.addAll : words.addAny
  return (
    <dialog ref={dialog} class="palette chooser" aria-label={words.addTitle} onClose={onClose}>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault()
          if ((found.value?.words ?? '') === search.value.trim()) choose(list[0]?.id)
        }}
      >
        <input
          type="search"
          aria-label={words.addSearch}
          placeholder={words.addSearch}
          maxLength={200}
          value={search.value}
          onInput={(event) => {
            search.value = event.currentTarget.value
          }}
        />
        <button type="button" class="icon-button" aria-label={words.close} onClick={() => dialog.current?.close()}>
          <Icon name="close" />
        </button>
      </form>
      <p class="faint small">{work.message || about}</p>
      <ul class="choices">
        {list.map(({ section, id, label, summary, available }) => (
          <li key={`${section}/${id}`}>
            <button type="button" class="quiet choice" data-tool={id} onClick={() => choose(id)}>
              <strong>
                {label}
                {!available && <span class="badge">{STRINGS.home.notInstalled}</span>}
              </strong>
              <span class="faint small">{summary}</span>
            </button>
          </li>
        ))}
      </ul>
      {list.length === 0 && all.value.length > 0 && (
        <p class="faint" role="status">
          {words.addNone}
        </p>
      )}
    </dialog>
  )
}
