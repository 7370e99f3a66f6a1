import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { STRINGS } from '../strings.ts'
import { announce } from './announce.ts'
import { Icon } from './icons.tsx'

/** Copies text; returns whether that was possible. Browsers have no clipboard on plain http: an older way works there. */
async function copy(text: string): Promise<boolean> {
  if (navigator.clipboard)
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  const isDone = document.execCommand('copy')
  field.remove()
  return isDone
}

export function CopyButton({ text, label }: { text: string; label: string }): JSX.Element {
  const said = useSignal<string | undefined>(undefined)
  const run = async (): Promise<void> => {
    const isCopied = await copy(text)
    said.value = isCopied ? STRINGS.copied : STRINGS.notCopied
    announce(said.value)
    setTimeout(() => {
      said.value = undefined
    }, 2000)
  }
  return (
    <button type="button" class="plain" onClick={run}>
      <Icon name={said.value === STRINGS.copied ? 'check' : 'copy'} size={16} />
      {said.value ?? label}
    </button>
  )
}
