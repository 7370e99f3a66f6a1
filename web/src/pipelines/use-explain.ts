import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { call, sentenceOf } from '../api/call.ts'
import type { PostPipelineExplain } from '../api/types.ts'
import { type Step, sentSteps } from './definition.ts'

/** Waits this long for the next change, in milliseconds. */
const PAUSE_MS = 250

/** What the server says about steps. */
export interface Explained {
  /** undefined without steps, before the first answer, and after a failure. */
  plan: PostPipelineExplain | undefined
  /** Why there is no plan. */
  failure: string
}

/** The plan of steps, asked again after each change. It is that of earlier steps until the answer is there. */
export function useExplain(steps: readonly Step[]): Signal<Explained> {
  const explained = useSignal<Explained>({ plan: undefined, failure: '' })
  const sent = JSON.stringify({ steps: sentSteps(steps) })
  useEffect(() => {
    if (steps.length === 0) {
      explained.value = { plan: undefined, failure: '' }
      return
    }
    const stop = new AbortController()
    const later = setTimeout(async () => {
      const options = { method: 'POST', body: JSON.parse(sent) as unknown, signal: stop.signal }
      try {
        const plan = await call<PostPipelineExplain>('api/v1/pipeline/explain', options)
        if (!stop.signal.aborted) explained.value = { plan, failure: '' }
      } catch (error) {
        if (!stop.signal.aborted) explained.value = { plan: undefined, failure: sentenceOf(error) }
      }
    }, PAUSE_MS)
    return () => {
      clearTimeout(later)
      stop.abort()
    }
  }, [sent])
  return explained
}
