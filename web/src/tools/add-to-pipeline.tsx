import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { may } from '../api/session.ts'
import type { ToolForm } from '../api/types.ts'
import { Icon } from '../app/icons.tsx'
import { navigate } from '../app/router.ts'
import { addToDraft } from '../pipelines/drafts.ts'
import { stepTools } from '../pipelines/step-tools.ts'
import { STRINGS } from '../strings.ts'

interface AddToPipelineProps {
  tool: ToolForm
  settings: Readonly<Record<string, unknown>>
}

/** Adds the tool with its settings to the pipeline that is not saved yet; nothing for a tool that cannot be a step. */
export function AddToPipeline({ tool, settings }: AddToPipelineProps): JSX.Element | null {
  const isStep = useSignal(false)
  useEffect(() => {
    if (!may('tools:use')) return
    // Without the list the button is missing, and all else works.
    stepTools().then(
      (ids) => {
        isStep.value = ids.includes(tool.id)
      },
      () => undefined,
    )
  }, [tool.id])
  if (!isStep.value) return null
  return (
    <button
      type="button"
      class="plain"
      onClick={() => {
        addToDraft(tool.id, settings)
        navigate('pipelines/new')
      }}
    >
      <Icon name="pipeline" size={16} />
      {STRINGS.pipelines.addHere}
    </button>
  )
}
