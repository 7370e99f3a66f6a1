import type { JSX } from 'preact'
import type { ToolEntry } from '../api/types.ts'
import { toolPath } from '../app/router.ts'
import { STRINGS } from '../strings.ts'

/** A link to a tool. */
function ToolCard({ tool }: { tool: ToolEntry }): JSX.Element {
  return (
    <a class="tool-card" href={toolPath(tool)}>
      <span class="tool-name">
        {tool.label}
        {!tool.available && <span class="badge">{STRINGS.home.notInstalled}</span>}
      </span>
      <span class="faint small">{tool.summary}</span>
    </a>
  )
}

export function ToolGrid({ tools }: { tools: readonly ToolEntry[] }): JSX.Element {
  return (
    <ul class="tool-grid">
      {tools.map((tool) => (
        <li key={`${tool.section}/${tool.id}`}>
          <ToolCard tool={tool} />
        </li>
      ))}
    </ul>
  )
}
