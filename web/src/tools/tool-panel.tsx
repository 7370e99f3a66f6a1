/** The settings of a tool, its run button, and the same as lines for a shell. */
import type { JSX } from 'preact'
import { may } from '../api/session.ts'
import type { ToolForm } from '../api/types.ts'
import { Icon } from '../app/icons.tsx'
import { fileNow, type WorkFile } from '../files/work-files.ts'
import { SettingsForm } from '../forms/settings-form.tsx'
import { effectiveValues, type Values } from '../forms/values.ts'
import { isActive, runs } from '../run/runs.ts'
import { STRINGS } from '../strings.ts'
import { AddToPipeline } from './add-to-pipeline.tsx'
import { LinesPanel } from './lines-panel.tsx'
import { type Chosen, OtherFiles } from './other-files.tsx'
import { isJsonRun } from './plan.ts'

interface ToolPanelProps {
  tool: ToolForm
  values: Values
  settings: Readonly<Record<string, unknown>>
  others: Chosen
  files: readonly WorkFile[]
  isChecked: boolean
  onValues(values: Values): void
  onOthers(others: Chosen): void
  onReset(): void
  onRun(): void
}

export function ToolPanel(props: ToolPanelProps): JSX.Element {
  const { tool, values, settings, others, files } = props
  const words = STRINGS.tool
  const isBusy = runs.value.some(isActive)
  const separate = tool.inputs.maxFiles <= 1 ? files.length : 1
  const otherFiles = tool.inputs.files.length > 0 && (
    <OtherFiles
      list={tool.inputs.files}
      chosen={others}
      values={effectiveValues(tool.settings, values)}
      onChange={props.onOthers}
    />
  )
  const needsFile = tool.inputs.files.some(({ required }) => required)
  const canRun = tool.direct && tool.available && may('tools:use')
  return (
    <form
      class="card tool-panel"
      noValidate
      aria-label={words.settings}
      onSubmit={(event) => {
        event.preventDefault()
        props.onRun()
      }}
    >
      <div class="row apart">
        <h2>{words.settings}</h2>
        {tool.settings.length > 0 && (
          <button type="button" class="quiet" onClick={props.onReset}>
            <Icon name="reset" size={16} />
            {words.reset}
          </button>
        )}
      </div>
      {needsFile && otherFiles}
      {tool.settings.length > 0 ? (
        <SettingsForm rows={tool.settings} values={values} onChange={props.onValues} isChecked={props.isChecked} />
      ) : (
        <p class="faint">{words.noSettings}</p>
      )}
      {!needsFile && otherFiles}
      {!tool.available && !may('features:manage') && (
        <p class="notice">{words.notInstalled(tool.bundles.join(', '))}</p>
      )}
      {tool.available && !tool.direct && <p class="notice">{words.inSteps}</p>}
      <div class="run-bar">
        <button type="submit" class="run" disabled={!canRun || isBusy}>
          {isBusy ? words.running : separate > 1 ? words.runAll(separate) : words.run}
        </button>
      </div>
      <AddToPipeline tool={tool} settings={settings} />
      <LinesPanel
        tool={tool}
        settings={settings}
        files={files.map((work) => fileNow(work).name)}
        others={others}
        isJson={isJsonRun(tool, files.length, others)}
      />
    </form>
  )
}
