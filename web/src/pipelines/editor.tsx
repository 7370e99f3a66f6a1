/** A pipeline: its steps, its plan, and its runs. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { may } from '../api/session.ts'
import { groups, tools } from '../api/tools.ts'
import { setTitle } from '../app/brand.ts'
import { page } from '../app/router.ts'
import { isAccepted } from '../files/accept.ts'
import { DropAnywhere } from '../files/drop-anywhere.tsx'
import { addFiles, fileNow, workFiles } from '../files/work-files.ts'
import { Results } from '../run/results.tsx'
import { isActive, leaveRuns, runs, showRuns, startRuns } from '../run/runs.ts'
import { STRINGS } from '../strings.ts'
import { FileList } from '../tools/file-list.tsx'
import type { Draft } from './definition.ts'
import { Plan } from './plan.tsx'
import { missingFor, plannedRuns } from './runs.ts'
import { SavePanel } from './save-panel.tsx'
import { StepList } from './step-list.tsx'
import { useExplain } from './use-explain.ts'
import { type Editing, usePipeline } from './use-pipeline.ts'
import '../styles/tool.css'
import '../styles/palette.css'
import '../styles/pipelines.css'

function Editor({ id, draft, editing }: { id: string; draft: Draft; editing: Editing }): JSX.Element {
  const words = STRINGS.pipelines
  const { steps } = draft
  const explained = useExplain(steps)
  const isChecked = useSignal(false)
  const refusal = useSignal('')
  const { plan } = explained.value
  const first = tools.value.find((tool) => tool.id === steps[0]?.toolId)
  const accept = plan && plan.accept.length > 0 ? plan.accept : (first?.accept ?? [])
  const takes = (name: string): boolean => isAccepted(name, accept, groups.value)
  const list = workFiles.value.filter((work) => takes(fileNow(work).name))
  const take = (files: File[]): void => {
    const fitting = files.filter(({ name }) => takes(name))
    const refused = files.filter((file) => !fitting.includes(file)).map(({ name }) => name)
    refusal.value = refused.length > 0 ? words.notTaken(refused) : ''
    if (fitting.length > 0) addFiles(fitting)
  }
  const run = async (): Promise<void> => {
    isChecked.value = true
    refusal.value = await missingFor(steps, plan, list.length)
    if (refusal.value === '') startRuns(plannedRuns(`pipelines/${id}`, steps, list))
  }
  const isBusy = runs.value.some(isActive)
  const label = draft.name || words.label
  return (
    <div class="tool">
      {first && <DropAnywhere onFiles={take} />}
      <div class="tool-files">
        <StepList
          steps={steps}
          plan={plan}
          isChecked={isChecked.value}
          onChange={(next) => editing.change({ ...draft, steps: next })}
        />
        {first && (
          <FileList
            tool={{ inputs: { accept: [...accept], minFiles: 1, maxFiles: 1, files: [] } }}
            list={list}
            onFiles={take}
          />
        )}
        <p class="alert" role="alert">
          {refusal.value}
        </p>
      </div>
      <div class="tool-results">
        <Results tool={{ id: 'pipeline', label }} />
      </div>
      <div class="pipeline-panel">
        <form
          class="card"
          noValidate
          aria-label={words.plan}
          onSubmit={(event) => {
            event.preventDefault()
            run()
          }}
        >
          <Plan steps={steps} explained={explained.value} />
          {may('tools:use') && (
            <button type="submit" class="run" disabled={isBusy || steps.length === 0}>
              {isBusy ? STRINGS.tool.running : list.length > 1 ? STRINGS.tool.runAll(list.length) : STRINGS.tool.run}
            </button>
          )}
        </form>
        <SavePanel id={id} draft={draft} editing={editing} />
      </div>
    </div>
  )
}

export function PipelinePage(): JSX.Element {
  const words = STRINGS.pipelines
  const where = page.value
  const id = where.name === 'pipeline' ? where.id : 'new'
  const editing = usePipeline(id)
  const { work, draft, isChanged } = editing
  const title = draft.value?.name || words.untitled
  useEffect(() => {
    setTitle(title)
  }, [title])
  useEffect(() => {
    showRuns(`pipelines/${id}`)
    return leaveRuns
  }, [])
  return (
    <div class="page">
      <div>
        <nav class="crumbs" aria-label={STRINGS.tool.crumbs}>
          <a href="pipelines">{words.title}</a>
        </nav>
        <h1 tabIndex={-1}>
          {title}
          {isChanged && <span class="badge">{words.unsaved}</span>}
        </h1>
      </div>
      <p class="alert" role="alert">
        {work.message}
      </p>
      {draft.value && <Editor id={id} draft={draft.value} editing={editing} />}
    </div>
  )
}
