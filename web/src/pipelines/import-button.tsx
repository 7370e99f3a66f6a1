import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { sentenceOf } from '../api/call.ts'
import { announce } from '../app/announce.ts'
import { Icon } from '../app/icons.tsx'
import { STRINGS } from '../strings.ts'
import { type Draft, draftOf } from './definition.ts'

/** Largest file that is read, in bytes: definitions are texts. */
const MOST_BYTES = 1_000_000

/** Reads a pipeline from a YAML file. */
export function ImportButton({ onRead, hasSteps }: { onRead(draft: Draft): void; hasSteps: boolean }): JSX.Element {
  const words = STRINGS.pipelines
  const picker = useRef<HTMLInputElement>(null)
  const note = useSignal<{ text: string; isFault: boolean }>({ text: '', isFault: false })
  const read = async (file: File): Promise<void> => {
    try {
      if (file.size > MOST_BYTES) throw new Error(words.faults.tooLarge)
      const { readPipelineFile } = await import('./read-yaml.ts')
      const { definition, ignored } = await readPipelineFile(await file.text())
      if (hasSteps && !confirm(words.confirmReplace)) return
      onRead(draftOf(definition))
      note.value = { text: ignored.length > 0 ? words.imported(ignored) : '', isFault: false }
      announce(note.value.text)
    } catch (error) {
      note.value = { text: sentenceOf(error), isFault: true }
    }
  }
  return (
    <>
      <button type="button" class="plain" onClick={() => picker.current?.click()}>
        <Icon name="upload" size={16} />
        {words.importFile}
      </button>
      <input
        ref={picker}
        class="hidden"
        type="file"
        accept=".yaml,.yml"
        tabIndex={-1}
        aria-label={words.importFile}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? []
          event.currentTarget.value = ''
          if (file) read(file)
        }}
      />
      {note.value.text && (
        <p
          class={note.value.isFault ? 'alert import-note' : 'notice import-note'}
          role={note.value.isFault ? 'alert' : 'status'}
        >
          {note.value.text}
        </p>
      )}
    </>
  )
}
