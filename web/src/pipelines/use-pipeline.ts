/** The pipeline of an editor: what is saved, and what is changed. */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { call } from '../api/call.ts'
import { loadTools } from '../api/tools.ts'
import type { KeptPipeline } from '../api/types.ts'
import { navigate } from '../app/router.ts'
import { useWork, type Work } from '../app/work.ts'
import { STRINGS } from '../strings.ts'
import { type Draft, definitionOf, draftOf, EMPTY, isSame } from './definition.ts'
import { keepDraft, keptDraft } from './drafts.ts'
import { readFragment } from './link.ts'

const pathOf = (id: string): string => `api/v1/pipeline/${encodeURIComponent(id)}`

const keptAsDraft = ({ name, description, steps }: KeptPipeline): Draft =>
  draftOf({ name, description: description ?? '', steps: steps.map((step) => ({ settings: {}, ...step })) })

export interface Editing {
  work: Work
  /** undefined until it is loaded. */
  draft: Signal<Draft | undefined>
  isChanged: boolean
  change(draft: Draft): void
  save(): Promise<void>
  discard(): void
  remove(): Promise<void>
}

/** @param id of a kept pipeline, or `new` */
export function usePipeline(id: string): Editing {
  const words = STRINGS.pipelines
  const work = useWork()
  const saved = useSignal<Draft>(EMPTY)
  const draft = useSignal<Draft | undefined>(undefined)
  const isNew = id === 'new'
  const change = (next: Draft): void => {
    draft.value = next
    keepDraft(id, isSame(next, saved.value) ? undefined : next)
  }
  /** Takes the pipeline of a link. It is then only in this browser. */
  const takeLink = (): void => {
    if (!isNew || !location.hash) return
    const linked = readFragment(location.hash)
    history.replaceState(null, '', location.pathname)
    if (!linked) {
      work.say(words.wrongLink)
      return
    }
    const present = draft.value ?? EMPTY
    const isLost = present.steps.length > 0 && !isSame(present, draftOf(linked))
    if (!isLost || confirm(words.confirmReplace)) change(draftOf(linked))
  }
  useEffect(() => {
    work.run(async () => {
      const [kept] = await Promise.all([isNew ? undefined : call<KeptPipeline>(pathOf(id)), loadTools()])
      if (kept) saved.value = keptAsDraft(kept)
      draft.value = keptDraft(id) ?? saved.value
      takeLink()
    })
    addEventListener('hashchange', takeLink)
    return () => removeEventListener('hashchange', takeLink)
  }, [])
  return {
    ...{ work, draft, change },
    isChanged: draft.value !== undefined && !isSame(draft.value, saved.value),
    save: () =>
      work.run(async () => {
        const sent = draft.value ?? EMPTY
        const body = definitionOf(sent)
        const kept = isNew
          ? await call<KeptPipeline>('api/v1/pipeline/save', { method: 'POST', body })
          : await call<KeptPipeline>(pathOf(id), { method: 'PATCH', body })
        keepDraft(id, undefined)
        if (isNew) return navigate(`pipelines/${kept.id}`, 'replace')
        saved.value = keptAsDraft(kept)
        // What was typed meanwhile stays.
        if (draft.value === sent) draft.value = isSame(sent, saved.value) ? sent : saved.value
        else if (draft.value) change(draft.value)
      }),
    discard: () => {
      if (!confirm(words.confirmDiscard)) return
      keepDraft(id, undefined)
      draft.value = saved.value
    },
    remove: () =>
      work.run(async () => {
        if (!confirm(words.confirmRemove(saved.value.name))) return
        await call(pathOf(id), { method: 'DELETE' })
        keepDraft(id, undefined)
        navigate('pipelines', 'replace')
      }),
  }
}
