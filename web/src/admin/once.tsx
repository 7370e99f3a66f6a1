import type { JSX } from 'preact'
import { CopyButton } from '../app/copy-button.tsx'
import { STRINGS } from '../strings.ts'

/** A secret that is shown this once. */
export function Once({ sentence, value }: { sentence: string; value: string }): JSX.Element {
  return (
    <div class="once" role="status">
      <p>{sentence}</p>
      <div class="row">
        <pre class="grow secret">{value}</pre>
        <CopyButton text={value} label={STRINGS.keys.copy} />
      </div>
    </div>
  )
}
