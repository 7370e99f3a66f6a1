/** The pipelines that the user keeps. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { call } from '../api/call.ts'
import { may, user } from '../api/session.ts'
import { loadTools } from '../api/tools.ts'
import type { GetPipelineList, KeptPipeline } from '../api/types.ts'
import { setTitle } from '../app/brand.ts'
import { dayText } from '../app/dates.ts'
import { Icon } from '../app/icons.tsx'
import { navigate } from '../app/router.ts'
import { useWork } from '../app/work.ts'
import { STRINGS } from '../strings.ts'
import { keepDraft, keptDraft } from './drafts.ts'
import { ImportButton } from './import-button.tsx'
import { labelOf } from './step-card.tsx'
import '../styles/account.css'
import '../styles/jobs.css'
import '../styles/pipelines.css'

const stepsText = (steps: readonly { toolId: string }[]): string =>
  steps.map(({ toolId }) => labelOf(toolId)).join(' → ')

function PipelineRow({ kept, onRemove }: { kept: KeptPipeline; onRemove(): void }): JSX.Element {
  const words = STRINGS.pipelines
  const { id, name, description, steps, createdAt, userId } = kept
  const isOther = userId !== undefined && userId !== user.value?.id
  return (
    <li>
      <div class="grow">
        <a class="pipeline-link" href={`pipelines/${id}`}>
          {name}
        </a>
        {isOther && <span class="badge">{words.otherUser}</span>}
        {keptDraft(id) && <span class="badge">{words.unsaved}</span>}
        <span class="small block">{stepsText(steps)}</span>
        <span class="faint small block">{description || words.created(dayText(createdAt))}</span>
      </div>
      <button
        type="button"
        class="icon-button"
        aria-label={words.remove(name)}
        title={words.remove(name)}
        onClick={onRemove}
      >
        <Icon name="trash" />
      </button>
    </li>
  )
}

export function PipelinesPage(): JSX.Element {
  const words = STRINGS.pipelines
  const work = useWork()
  const list = useSignal<readonly KeptPipeline[] | undefined>(undefined)
  const load = async (): Promise<void> => {
    if (!may('pipelines:own')) return
    const { pipelines } = await call<GetPipelineList>('api/v1/pipeline/list')
    list.value = pipelines.toSorted((one, other) => one.name.localeCompare(other.name))
  }
  useEffect(() => {
    setTitle(words.title)
    work.run(async () => {
      await Promise.all([load(), loadTools()])
    })
  }, [])
  const remove = ({ id, name }: KeptPipeline): void => {
    if (!confirm(words.confirmRemove(name))) return
    work.run(async () => {
      await call(`api/v1/pipeline/${encodeURIComponent(id)}`, { method: 'DELETE' })
      keepDraft(id, undefined)
      await load()
    })
  }
  const draft = keptDraft('new')
  return (
    <div class="page narrow">
      <div>
        <h1 tabIndex={-1}>{words.title}</h1>
        <p class="faint">{words.help}</p>
      </div>
      <div class="row">
        <a class="button" href="pipelines/new">
          <Icon name={draft ? 'history' : 'plus'} size={16} />
          {draft ? words.continue : words.create}
        </a>
        <ImportButton
          hasSteps={draft !== undefined}
          onRead={(read) => {
            keepDraft('new', read)
            navigate('pipelines/new')
          }}
        />
      </div>
      {draft && draft.steps.length > 0 && (
        <p class="notice">
          {words.draft}: {stepsText(draft.steps)}
        </p>
      )}
      <p class="alert" role="alert">
        {work.message}
      </p>
      {list.value?.length === 0 && <p class="faint">{words.none}</p>}
      <ul class="rows">
        {list.value?.map((kept) => (
          <PipelineRow key={kept.id} kept={kept} onRemove={() => remove(kept)} />
        ))}
      </ul>
    </div>
  )
}
