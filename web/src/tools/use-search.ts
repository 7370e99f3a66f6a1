import { type Signal, useSignal, useSignalEffect } from '@preact/signals'
import { sentenceOf } from '../api/call.ts'
import { searchTools } from '../api/tools.ts'
import type { ToolEntry } from '../api/types.ts'

/** Waits this long for the next letter, in milliseconds. */
const PAUSE_MS = 120

/** The answer to a search. */
export interface Found {
  /** What was searched. The field may have other words by now. */
  words: string
  tools: readonly ToolEntry[]
  /** Why there is no answer. */
  failure?: string
}

/** Tools that match the last words which were searched; undefined without words. */
export function useSearch(words: Signal<string>): Signal<Found | undefined> {
  const found = useSignal<Found | undefined>(undefined)
  useSignalEffect(() => {
    const text = words.value.trim()
    if (text === '') {
      found.value = undefined
      return
    }
    const stop = new AbortController()
    const answer = (tools: readonly ToolEntry[], failure?: string): void => {
      if (!stop.signal.aborted) found.value = { words: text, tools, ...(failure !== undefined && { failure }) }
    }
    const later = setTimeout(() => {
      searchTools(text, stop.signal).then(answer, (error: unknown) => answer([], sentenceOf(error)))
    }, PAUSE_MS)
    return () => {
      clearTimeout(later)
      stop.abort()
    }
  })
  return found
}
