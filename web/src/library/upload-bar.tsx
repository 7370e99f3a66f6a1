/** Uploads to the library: files, folders, dropped or pasted. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { sentenceOf } from '../api/call.ts'
import { announce } from '../app/announce.ts'
import { Icon } from '../app/icons.tsx'
import { DropAnywhere } from '../files/drop-anywhere.tsx'
import { STRINGS } from '../strings.ts'
import { uploadFiles } from './send.ts'

function Picker({ isFolder, onFiles }: { isFolder: boolean; onFiles(files: File[]): void }): JSX.Element {
  const words = STRINGS.library
  const picker = useRef<HTMLInputElement>(null)
  const label = isFolder ? words.uploadFolder : words.upload
  return (
    <>
      <button type="button" class={isFolder ? 'plain' : ''} onClick={() => picker.current?.click()}>
        <Icon name="upload" size={16} />
        {label}
      </button>
      <input
        ref={(element) => {
          picker.current = element
          // The attribute is not in the types of JSX.
          if (isFolder) element?.setAttribute('webkitdirectory', '')
        }}
        id={isFolder ? 'library-folder' : 'library-files'}
        class="hidden"
        type="file"
        multiple
        tabIndex={-1}
        aria-label={label}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])]
          event.currentTarget.value = ''
          if (files.length > 0) onFiles(files)
        }}
      />
    </>
  )
}

export function UploadBar({ onDone }: { onDone(): void }): JSX.Element {
  const words = STRINGS.library
  const percent = useSignal<number | undefined>(undefined)
  const isWaiting = useSignal(false)
  const failure = useSignal('')
  const stop = useRef(new AbortController())
  const send = async (files: File[]): Promise<void> => {
    if (percent.peek() !== undefined) return
    stop.current = new AbortController()
    failure.value = ''
    percent.value = 0
    try {
      await uploadFiles(files, stop.current.signal, (part, isOffline) => {
        percent.value = Math.min(100, part * 100)
        isWaiting.value = isOffline
      })
      announce(words.uploaded(files.length))
    } catch (error) {
      if (!stop.current.signal.aborted) failure.value = sentenceOf(error)
    } finally {
      percent.value = undefined
      onDone()
    }
  }
  return (
    <>
      <DropAnywhere onFiles={send} />
      {percent.value === undefined ? (
        <>
          <Picker isFolder={false} onFiles={send} />
          <Picker isFolder onFiles={send} />
        </>
      ) : (
        <div class="row grow">
          <progress class="grow" max={100} value={percent.value} aria-label={words.uploading} />
          {isWaiting.value && <span class="faint small">{STRINGS.uploads.waiting}</span>}
          <button type="button" class="plain" onClick={() => stop.current.abort()}>
            {STRINGS.results.cancel}
          </button>
        </div>
      )}
      {failure.value && (
        <p class="alert import-note" role="alert">
          {failure.value}
        </p>
      )}
    </>
  )
}
