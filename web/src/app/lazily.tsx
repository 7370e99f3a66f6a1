import { type ComponentType, h, type JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { STRINGS } from '../strings.ts'

/** The code of a page cannot be loaded. Browsers remember that, so only a new document tries again. */
export class NotLoadedError extends Error {}

/** A component whose code is loaded when it is first shown. Its failure is for the boundary of the page. */
export function lazily<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined
  return function Lazy(props: Props): JSX.Element {
    const [, setState] = useState<unknown>(() => loaded)
    const [failure, setFailure] = useState<unknown>()
    useEffect(() => {
      if (loaded) return
      load().then(
        (component) => {
          loaded = component
          setState(() => component)
        },
        () => setFailure(new NotLoadedError(STRINGS.errors.notLoaded)),
      )
    }, [])
    if (failure) throw failure
    return loaded ? h(loaded, props) : <p class="page faint">{STRINGS.loading}</p>
  }
}
