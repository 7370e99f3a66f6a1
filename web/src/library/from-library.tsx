import { useSignal } from '@preact/signals'
import { type ComponentType, h, type JSX } from 'preact'
import { may } from '../api/session.ts'
import { useWork } from '../app/work.ts'
import { STRINGS } from '../strings.ts'
import type { ChooseFilesProps } from './choose-files.tsx'

interface FromLibraryProps {
  accept: readonly string[]
  onFiles(files: File[]): void
}

/** The button beside "Choose files". The code of the dialog is loaded with the first click. */
export function FromLibrary({ accept, onFiles }: FromLibraryProps): JSX.Element | null {
  const work = useWork()
  const dialog = useSignal<{ Dialog: ComponentType<ChooseFilesProps> } | undefined>(undefined)
  if (!may('files:own')) return null
  const open = (): Promise<void> =>
    work.run(async () => {
      const { ChooseFiles: Dialog } = await import('./choose-files.tsx')
      dialog.value = { Dialog }
    })
  const onClose = (): void => {
    dialog.value = undefined
  }
  return (
    <>
      <button type="button" class="plain" onClick={open}>
        {STRINGS.library.from}
      </button>
      {work.message && <span class="fault small">{work.message}</span>}
      {dialog.value && h(dialog.value.Dialog, { accept, onFiles, onClose })}
    </>
  )
}
