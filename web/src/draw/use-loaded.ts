import { useEffect, useState } from 'preact/hooks'
import { sentenceOf } from '../api/call.ts'

export interface Loaded<T> {
  value?: T
  failure?: string
}

/** A value that is loaded again when one of the keys changes. */
export function useLoaded<T>(load: (stop: AbortSignal) => Promise<T>, keys: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<Loaded<T>>({})
  useEffect(() => {
    const stop = new AbortController()
    setState({})
    load(stop.signal).then(
      (value) => stop.signal.aborted || setState({ value }),
      (error: unknown) => stop.signal.aborted || setState({ failure: sentenceOf(error) }),
    )
    return () => stop.abort()
  }, keys)
  return state
}
