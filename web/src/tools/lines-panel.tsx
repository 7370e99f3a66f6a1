/** The present form as a command, a pipeline and a request. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { addressOf } from '../api/call.ts'
import type { ToolForm } from '../api/types.ts'
import { CopyButton } from '../app/copy-button.tsx'
import { commandLine, secretVariable } from '../lines/command.ts'
import { curlLines } from '../lines/curl.ts'
import { pipelineText } from '../lines/pipeline.ts'
import { STRINGS } from '../strings.ts'
import type { Chosen } from './other-files.tsx'

const TABS = ['command', 'pipeline', 'curl'] as const
type Tab = (typeof TABS)[number]

interface LinesPanelProps {
  tool: ToolForm
  settings: Readonly<Record<string, unknown>>
  files: readonly string[]
  others: Chosen
  isJson: boolean
}

export function LinesPanel({ tool, settings, files, others, isJson }: LinesPanelProps): JSX.Element {
  const { lines } = STRINGS
  const tab = useSignal<Tab>('command')
  const secondary = Object.fromEntries(Object.entries(others).map(([name, file]) => [name, file.name]))
  const secrets = new Set(tool.settings.filter((row) => row.secret).map(({ name }) => name))
  const parts = { section: tool.section, id: tool.id, files, secondary, settings, secrets }
  const texts: Readonly<Record<Tab, () => string>> = {
    command: () => commandLine(parts),
    pipeline: () => pipelineText(parts),
    curl: () => {
      const address = addressOf(`api/v1/tools/${tool.section}/${tool.id}`)
      const sent = [
        ...files.map((name) => ({ field: 'file', name })),
        ...Object.entries(secondary).map(([field, name]) => ({ field, name })),
      ]
      return curlLines({ address, files: sent, settings, secrets, isJson }, tool.inputs.maxFiles > 1)
    },
  }
  // A tool that works in several requests has no single one.
  const tabs = TABS.filter((one) => one !== 'curl' || tool.direct)
  const text = texts[tab.value]()
  const variables = Object.keys(settings)
    .filter((name) => secrets.has(name))
    .map(secretVariable)
  return (
    <details class="lines">
      <summary>{lines.title}</summary>
      <div class="stack tight">
        <fieldset class="segments" aria-label={lines.title}>
          {tabs.map((one) => (
            <label key={one} class="segment">
              <input
                type="radio"
                name="line-kind"
                value={one}
                checked={tab.value === one}
                onChange={() => {
                  tab.value = one
                }}
              />
              <span>{lines[one]}</span>
            </label>
          ))}
        </fieldset>
        <pre id="line">{text}</pre>
        {variables.length > 0 && <p class="faint small">{lines.secrets(variables)}</p>}
        <CopyButton text={text} label={lines.copy} />
      </div>
    </details>
  )
}
