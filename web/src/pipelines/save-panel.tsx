/** The name of a pipeline, and the ways to keep it and to pass it on. */
import type { JSX } from 'preact'
import { may } from '../api/session.ts'
import { tools } from '../api/tools.ts'
import { CopyButton } from '../app/copy-button.tsx'
import { Icon } from '../app/icons.tsx'
import { pipelineFile } from '../lines/pipeline.ts'
import { saveAs } from '../run/save.ts'
import { STRINGS } from '../strings.ts'
import { type Draft, definitionOf, sentSteps } from './definition.ts'
import { ImportButton } from './import-button.tsx'
import { linkOf } from './link.ts'
import type { Editing } from './use-pipeline.ts'

/** The pipeline as a file for `mediaproc run`. */
export function fileText({ name, description, steps }: Draft): string {
  const tool = (id: string): string => {
    const section = tools.value.find((one) => one.id === id)?.section
    return section === undefined ? id : `${section}/${id}`
  }
  const written = sentSteps(steps).map(({ toolId, settings }) => ({ tool: tool(toolId), settings }))
  return pipelineFile({ name, description, steps: written })
}

function exportFile(draft: Draft): void {
  const address = URL.createObjectURL(new Blob([fileText(draft)], { type: 'application/yaml' }))
  saveAs(address, `${draft.name.replace(/[^\p{L}\p{N}._ -]+/gu, '-') || 'pipeline'}.yaml`)
  // The browser reads it after this task.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

export function SavePanel({ id, draft, editing }: { id: string; draft: Draft; editing: Editing }): JSX.Element {
  const words = STRINGS.pipelines
  const { work, isChanged, change } = editing
  const hasSteps = draft.steps.length > 0
  const link = linkOf(definitionOf(draft))
  return (
    <form
      class="card"
      aria-label={words.share}
      onSubmit={(event) => {
        event.preventDefault()
        editing.save()
      }}
    >
      {may('pipelines:own') && (
        <>
          <label>
            {words.name}
            <input
              name="name"
              required
              maxLength={100}
              value={draft.name}
              onInput={(event) => change({ ...draft, name: event.currentTarget.value })}
            />
          </label>
          <label>
            {words.description}
            <textarea
              name="description"
              rows={2}
              maxLength={500}
              value={draft.description}
              onInput={(event) => change({ ...draft, description: event.currentTarget.value })}
            />
          </label>
          <div class="row">
            <button type="submit" disabled={work.isBusy || !isChanged || !hasSteps}>
              {words.save}
            </button>
            {isChanged && (
              <button type="button" class="plain" onClick={editing.discard}>
                {words.discard}
              </button>
            )}
          </div>
        </>
      )}
      <div class="row share">
        <button type="button" class="plain" disabled={!hasSteps} onClick={() => exportFile(draft)}>
          <Icon name="download" size={16} />
          {words.exportFile}
        </button>
        <ImportButton onRead={(definition) => change(definition)} hasSteps={hasSteps} />
        {hasSteps && link !== undefined && <CopyButton text={link} label={words.copyLink} />}
        {id !== 'new' && may('pipelines:own') && (
          <button type="button" class="quiet danger" onClick={editing.remove}>
            <Icon name="trash" size={16} />
            {words.removeThis}
          </button>
        )}
      </div>
      <p class="faint small">{hasSteps && link === undefined ? words.linkTooLong : words.exportHelp}</p>
    </form>
  )
}
