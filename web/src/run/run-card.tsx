/** One run: its progress, or its result, or why it failed. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { groups } from '../api/tools.ts'
import type { ToolForm } from '../api/types.ts'
import { Icon } from '../app/icons.tsx'
import { navigate } from '../app/router.ts'
import { useWork } from '../app/work.ts'
import { extensionOf } from '../files/accept.ts'
import { changeText, sizeText } from '../files/size.ts'
import { asWorkFile, fileNow, type WorkFile, withStep, workFiles } from '../files/work-files.ts'
import { SaveResult } from '../library/save-result.tsx'
import { STRINGS } from '../strings.ts'
import type { Answer } from './follow.ts'
import type { Progress } from './job.ts'
import { Report } from './report.tsx'
import { downloadsOf, type ResultFile, reportOf } from './result-files.ts'
import { cancelRun, type Run, retryRun } from './runs.ts'
import { fetchResult, saveResult } from './save.ts'
import { Viewer } from './viewer.tsx'

function Running({ run, progress, isStopping }: { run: Run; progress: Progress; isStopping: boolean }): JSX.Element {
  const { results } = STRINGS
  const isUpload = progress.phase === 'uploading'
  const text = progress.stage || (isUpload ? results.uploading : results.working)
  // A job that has not reported yet is shown as busy, not as 0 %.
  const value = !isUpload && progress.percent === 0 ? {} : { value: progress.percent }
  return (
    <>
      <progress max={100} {...value} aria-label={results.progressOf(run.title)} />
      <span class="faint small">{text}</span>
      <button type="button" class="plain" disabled={isStopping} onClick={() => cancelRun(run.id)}>
        {results.cancel}
      </button>
    </>
  )
}

/** Sizes before and after, if both are known. */
function Sizes({ answer }: { answer: Answer }): JSX.Element | null {
  const { originalSize: before, processedSize: after } = answer
  if (typeof after !== 'number') return null
  const change = typeof before === 'number' ? changeText(before, after) : undefined
  const isSmaller = typeof before === 'number' && after < before
  return (
    <span class="faint small">
      {typeof before === 'number' && before > 0 && `${sizeText(before)} → `}
      {sizeText(after)}
      {change && <span class={isSmaller ? 'badge good' : 'badge'}>{change}</span>}
    </span>
  )
}

/** What made the results: a tool, or a pipeline. */
export type RanTool = Pick<ToolForm, 'id' | 'label'>

interface FileActionsProps {
  run: Run
  tool: RanTool
  file: ResultFile
}

/** The result replaces the files of its run; other files stay. */
function replaceByResult(made: WorkFile, { upload, source }: Run): void {
  const sent = new Set(upload.files.map(({ file }) => file))
  const isUsed = (work: WorkFile): boolean => work.id === source?.id || sent.has(fileNow(work))
  const list = workFiles.value
  const at = list.findIndex(isUsed)
  const before = at < 0 ? list : list.slice(0, at)
  workFiles.value = [...before, made, ...list.slice(before.length).filter((work) => !isUsed(work))]
}

/** Download, and the way on to other tools: the result becomes the file that the user works on. */
function FileActions({ run, tool, file }: FileActionsProps): JSX.Element {
  const { results } = STRINGS
  const work = useWork()
  const goOn = (): Promise<void> =>
    work.run(async () => {
      const made = await fetchResult(file)
      replaceByResult(run.source ? withStep(run.source, made, tool.label) : asWorkFile(made), run)
      navigate('')
    })
  return (
    <div class="row">
      <button type="button" onClick={() => saveResult(file)}>
        <Icon name="download" size={16} />
        {results.download}
      </button>
      <button type="button" class="plain" disabled={work.isBusy} onClick={goOn}>
        {results.useElsewhere}
      </button>
      <SaveResult file={file} source={run.source} toolId={tool.id} />
      {work.message && <span class="fault small">{work.message}</span>}
    </div>
  )
}

function Done({
  run,
  tool,
  answer,
  isOpen,
}: {
  run: Run
  tool: RanTool
  answer: Answer
  isOpen: boolean
}): JSX.Element {
  const { results } = STRINGS
  const files = downloadsOf(answer)
  const isShown = useSignal(isOpen)
  const original = run.source ? fileNow(run.source) : undefined
  const isPicture = original && groups.value.image?.includes(extensionOf(original.name))
  const picture = isPicture ? original : undefined
  const warnings = Array.isArray(answer.warnings) ? answer.warnings.filter((one) => typeof one === 'string') : []
  const report = reportOf(answer)
  return (
    <div class="stack tight">
      {files.length === 0 && <strong class="file-title">{run.title}</strong>}
      {warnings.length > 0 && (
        <ul class="warnings">
          {warnings.map((warning) => (
            <li key={warning}>
              <Icon name="warning" size={16} />
              {warning}
            </li>
          ))}
        </ul>
      )}
      {files.map((file) => (
        <div key={file.url} class="stack tight">
          <div class="row apart">
            <span class="file-title">{file.name}</span>
            {files.length === 1 && <Sizes answer={answer} />}
          </div>
          <FileActions run={run} tool={tool} file={file} />
          {isShown.value && <Viewer file={file} original={original} />}
        </div>
      ))}
      {isShown.value && Object.keys(report).length > 0 && (
        <Report value={report} isOpen={files.length === 0} picture={picture} />
      )}
      {!isShown.value && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            isShown.value = true
          }}
        >
          {results.show}
        </button>
      )}
    </div>
  )
}

export function RunCard({ run, tool, isOpen }: { run: Run; tool: RanTool; isOpen: boolean }): JSX.Element {
  const { results } = STRINGS
  const { state, title } = run
  return (
    <li class="card run-card" data-state={state.name}>
      {state.name !== 'done' && <strong class="file-title">{title}</strong>}
      {state.name === 'waiting' && (
        <div class="row apart">
          <span class="faint">{results.waiting}</span>
          <button type="button" class="plain" onClick={() => cancelRun(run.id)}>
            {results.cancel}
          </button>
        </div>
      )}
      {state.name === 'running' && <Running run={run} {...state} />}
      {state.name === 'done' && <Done run={run} tool={tool} answer={state.answer} isOpen={isOpen} />}
      {(state.name === 'failed' || state.name === 'canceled') && (
        <div class="row apart">
          <span class={state.name === 'failed' ? 'fault grow' : 'faint grow'}>
            {state.name === 'failed' ? state.reason : results.canceled}
          </span>
          <button type="button" class="plain" onClick={() => retryRun(run.id)}>
            {results.retry}
          </button>
        </div>
      )}
    </li>
  )
}
