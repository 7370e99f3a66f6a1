/** The page of a tool: its files, its form, a run and the results. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { InstallForTool } from '../admin/models/install-for-tool.tsx'
import { may } from '../api/session.ts'
import { forgetTools, groups, loadForm, loadTools } from '../api/tools.ts'
import type { ToolForm } from '../api/types.ts'
import { setTitle } from '../app/brand.ts'
import { lazily } from '../app/lazily.tsx'
import { page } from '../app/router.ts'
import { useWork } from '../app/work.ts'
import { drawingsOf } from '../draw/drawings.ts'
import { isAccepted } from '../files/accept.ts'
import { DropAnywhere } from '../files/drop-anywhere.tsx'
import { addFiles, fileNow, workFiles } from '../files/work-files.ts'
import { recalled, remember, withoutSecrets } from '../forms/memory.ts'
import { effectiveValues, faultyRows, settingsOf, type Values, valuesFor } from '../forms/values.ts'
import { Results } from '../run/results.tsx'
import { leaveRuns, showRuns, startRuns } from '../run/runs.ts'
import { STRINGS } from '../strings.ts'
import { FileList } from './file-list.tsx'
import type { Chosen } from './other-files.tsx'
import { missingFiles, plannedRuns } from './plan.ts'
import { ToolPanel } from './tool-panel.tsx'
import '../styles/tool.css'

const LivePreview = lazily(async () => (await import('../live/live-preview.tsx')).LivePreview)
const Drawings = lazily(async () => (await import('../draw/drawings.tsx')).Drawings)

function Tool({ tool }: { tool: ToolForm }): JSX.Element {
  const name = `${tool.section}/${tool.id}`
  const values = useSignal<Values>(recalled(name, tool.settings))
  const others = useSignal<Chosen>({})
  const isChecked = useSignal(false)
  const refusal = useSignal('')
  const { inputs } = tool
  const takesFiles = inputs.maxFiles > 0
  const list = takesFiles
    ? workFiles.value.filter((work) => isAccepted(fileNow(work).name, inputs.accept, groups.value))
    : []
  const [first] = list
  const settings = settingsOf(tool.settings, values.value)
  const hasDrawings = drawingsOf(tool, values.value).length > 0
  const isPreviewed = tool.scalable && tool.direct && tool.available && may('tools:use')

  const take = (files: File[]): void => {
    const fitting = files.filter((file) => isAccepted(file.name, inputs.accept, groups.value))
    const refused = files.filter((file) => !fitting.includes(file)).map((file) => file.name)
    refusal.value = refused.length > 0 ? STRINGS.files.notTaken(tool.label, refused) : ''
    if (fitting.length > 0) addFiles(fitting)
  }
  const run = (): void => {
    isChecked.value = true
    const faulty = faultyRows(tool.settings, values.value)[0]
    const missing = missingFiles(tool, list, others.value, effectiveValues(tool.settings, values.value))
    refusal.value = missing
    if (faulty)
      document.querySelector<HTMLElement>(`#setting-${faulty.name}, #setting-${faulty.name}-field input`)?.focus()
    if (faulty || missing) return
    remember(name, withoutSecrets(tool.settings, settings))
    startRuns(plannedRuns(tool, list, others.value, settings))
  }
  return (
    <div class="tool">
      {takesFiles && <DropAnywhere onFiles={take} />}
      <div class="tool-files">
        {takesFiles && <FileList tool={tool} list={list} onFiles={take} />}
        <p class="alert" role="alert">
          {refusal.value}
        </p>
      </div>
      {first && (hasDrawings || isPreviewed) && (
        <div class="tool-drawings">
          {hasDrawings && (
            <Drawings
              {...{ tool, files: list, values: values.value, others: others.value }}
              onValues={(next) => {
                values.value = next
              }}
              onOthers={(next) => {
                others.value = next
              }}
            />
          )}
          {isPreviewed && <LivePreview {...{ tool, values: values.value }} file={fileNow(first)} />}
        </div>
      )}
      <div class="tool-results">
        <Results tool={tool} />
      </div>
      <ToolPanel
        tool={tool}
        values={values.value}
        settings={settings}
        others={others.value}
        files={list}
        isChecked={isChecked.value}
        onValues={(next) => {
          values.value = next
        }}
        onOthers={(next) => {
          others.value = next
        }}
        onReset={() => {
          values.value = valuesFor(tool.settings, {})
          others.value = {}
          isChecked.value = false
          remember(name, {})
        }}
        onRun={run}
      />
    </div>
  )
}

export function ToolPage(): JSX.Element {
  const work = useWork()
  const tool = useSignal<ToolForm | undefined>(undefined)
  const where = page.value
  const load = async (): Promise<void> => {
    if (where.name !== 'tool') return
    const [form] = await Promise.all([loadForm(where.section, where.id), loadTools()])
    tool.value = form
    setTitle(form.label)
  }
  useEffect(() => {
    if (where.name !== 'tool') return
    showRuns(`api/v1/tools/${where.section}/${where.id}`)
    work.run(load)
    // Results belong to this page; runs continue without it.
    return leaveRuns
  }, [])
  const shown = tool.value
  return (
    <div class="page">
      <div>
        <nav class="crumbs" aria-label={STRINGS.tool.crumbs}>
          <a href="./">{STRINGS.nav.tools}</a>
          {where.name === 'tool' && <span>{STRINGS.home.sections[where.section] ?? where.section}</span>}
        </nav>
        <h1 tabIndex={-1}>{shown?.label ?? ' '}</h1>
        <p class="faint">{shown?.summary}</p>
      </div>
      <p class="alert" role="alert">
        {work.message}
      </p>
      {shown && !shown.available && may('features:manage') && (
        <InstallForTool
          toolId={shown.id}
          bundles={shown.bundles}
          onInstalled={() => {
            forgetTools()
            work.run(load)
          }}
        />
      )}
      {shown && <Tool tool={shown} />}
    </div>
  )
}
