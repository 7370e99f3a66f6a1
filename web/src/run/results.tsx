/** The runs of a tool page and their results. */
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { announce } from '../app/announce.ts'
import { Icon } from '../app/icons.tsx'
import { useWork } from '../app/work.ts'
import { STRINGS } from '../strings.ts'
import { downloadsOf } from './result-files.ts'
import { type RanTool, RunCard } from './run-card.tsx'
import { cancelAll, isActive, type Run, runs } from './runs.ts'
import { saveAllAs } from './save.ts'

export function Results({ tool }: { tool: RanTool }): JSX.Element | null {
  const { results } = STRINGS
  const work = useWork()
  const list = runs.value
  const active = list.filter(isActive).length
  const count = (name: Run['state']['name']): number => list.filter(({ state }) => state.name === name).length
  const [done, failed, canceled] = [count('done'), count('failed'), count('canceled')]
  const files = list.flatMap(({ state }) => (state.name === 'done' ? downloadsOf(state.answer) : []))
  useEffect(() => {
    if (list.length === 0) return
    const ended = results.ended(done, failed)
    if (active > 0) announce(results.remaining(active))
    else announce(canceled > 0 ? results.endedCanceled(ended, canceled) : ended)
  }, [active, failed, canceled, list.length])
  if (list.length === 0) return null
  return (
    <section aria-labelledby="results-title">
      <div class="row apart">
        <h2 id="results-title">{results.title}</h2>
        <div class="row">
          {active > 1 && (
            <button type="button" class="plain" onClick={cancelAll}>
              {results.cancelAll}
            </button>
          )}
          {files.length > 1 && active === 0 && (
            <button
              type="button"
              class="plain"
              disabled={work.isBusy}
              onClick={() => work.run(() => saveAllAs(`${tool.id}.zip`, files))}
            >
              <Icon name="download" size={16} />
              {results.saveAll(files.length)}
            </button>
          )}
        </div>
      </div>
      <p class="alert" role="alert">
        {work.message}
      </p>
      <ul class="stack">
        {list.map((run) => (
          <RunCard key={run.id} run={run} tool={tool} isOpen={list.length === 1} />
        ))}
      </ul>
    </section>
  )
}
