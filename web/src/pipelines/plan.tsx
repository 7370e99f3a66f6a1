/** What the steps will do: which run as one, and where files are written. */
import type { JSX } from 'preact'
import type { PostPipelineExplain } from '../api/types.ts'
import { Icon } from '../app/icons.tsx'
import { acceptWords } from '../files/accept.ts'
import { STRINGS } from '../strings.ts'
import type { Step } from './definition.ts'
import { labelOf } from './step-card.tsx'
import type { Explained } from './use-explain.ts'

type Group = PostPipelineExplain['groups'][number]

/** Most types that are named. */
const MOST_TYPES = 8

function typesText(types: readonly string[]): string {
  const { pipelines, files } = STRINGS
  if (types.includes('*') || types.length > MOST_TYPES * 3) return pipelines.anyFile
  const words = acceptWords(types, files.groups).split(', ')
  return words.length > MOST_TYPES ? `${words.slice(0, MOST_TYPES).join(', ')} …` : words.join(', ')
}

function PlanGroup({ group, steps }: { group: Group; steps: readonly Step[] }): JSX.Element {
  const words = STRINGS.pipelines
  const [title, help] = words.media[group.medium] ?? ['', '']
  const isFused = group.steps.length > 1
  return (
    <li class="plan-group" data-medium={group.medium}>
      <ol class="plan-steps">
        {group.steps.map((number) => (
          <li key={number}>
            <span class="step-number" aria-hidden="true">
              {number}
            </span>
            {labelOf(steps[number - 1]?.toolId ?? '')}
          </li>
        ))}
      </ol>
      <p class="small faint">
        {isFused && <strong class="plan-title">{title}. </strong>}
        {isFused ? help : words.mediaOne[group.medium]}
      </p>
      {group.writes !== 'output' && (
        <p class="plan-file small faint">
          <Icon name="files" size={16} />
          {words.between}
        </p>
      )}
    </li>
  )
}

export function Plan({ steps, explained }: { steps: readonly Step[]; explained: Explained }): JSX.Element {
  const words = STRINGS.pipelines
  const { plan, failure } = explained
  const isFaulty = (plan?.faults.length ?? 0) > 0
  const result = plan?.steps.at(-1)
  // For a moment the plan is that of the steps before a change.
  const isShown = plan && !isFaulty && plan.steps.length === steps.length
  return (
    <section aria-labelledby="plan-title">
      <h2 id="plan-title">{words.plan}</h2>
      {failure && (
        <p class="alert" role="alert">
          {failure}
        </p>
      )}
      {!isShown && !failure && (
        <p class="faint">{isFaulty ? words.planFaulty : steps.length === 0 ? words.planEmpty : STRINGS.loading}</p>
      )}
      {isShown && (
        <>
          <p class="plan-end">
            <span class="faint small">{words.takes}</span> {typesText(plan.accept)}
          </p>
          <ol class="plan">
            {plan.groups.map((group) => (
              <PlanGroup key={group.steps.join()} group={group} steps={steps} />
            ))}
          </ol>
          {result && (
            <p class="plan-end">
              <span class="faint small">{words.gives}</span> {typesText(result.gives)}
              {result.several && `, ${words.several}`}
            </p>
          )}
        </>
      )}
    </section>
  )
}
