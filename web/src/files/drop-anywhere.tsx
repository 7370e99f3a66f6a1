import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { sentenceOf } from '../api/call.ts'
import { STRINGS } from '../strings.ts'
import { filesOf, hasFiles } from './dropped.ts'

const isEditable = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea'))

/** Takes files that are dropped on the page or pasted into it. */
export function DropAnywhere({ onFiles }: { onFiles(files: File[]): void }): JSX.Element | null {
  const isOver = useSignal(false)
  const failure = useSignal('')
  const latest = useRef(onFiles)
  latest.current = onFiles
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (!hasFiles(event.dataTransfer)) return
      event.preventDefault()
      isOver.value = true
    }
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) isOver.value = false
    }
    const take = (event: Event, data: DataTransfer | null): void => {
      isOver.value = false
      if (!data || !hasFiles(data)) return
      event.preventDefault()
      failure.value = ''
      filesOf(data).then(
        (files) => files.length > 0 && latest.current(files),
        (error: unknown) => {
          failure.value = STRINGS.files.notRead(sentenceOf(error))
        },
      )
    }
    const drop = (event: DragEvent): void => take(event, event.dataTransfer)
    const paste = (event: ClipboardEvent): void => {
      // Office programs put a picture of the text beside it, which a field has no use for.
      if (isEditable(event.target) && event.clipboardData?.types.includes('text/plain')) return
      take(event, event.clipboardData)
    }
    addEventListener('dragover', over)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    addEventListener('paste', paste)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
      removeEventListener('paste', paste)
    }
  }, [])
  if (isOver.value)
    return (
      <div class="drop-cover" aria-hidden="true">
        <p>{STRINGS.files.dropHere}</p>
      </div>
    )
  return failure.value ? (
    <p class="alert" role="alert">
      {failure.value}
    </p>
  ) : null
}
