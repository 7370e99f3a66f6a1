/** Keeps a result in the library, as a file of its own or as the next version of the file that it was made from. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { may } from '../api/session.ts'
import type { LibraryItem } from '../api/types.ts'
import { announce } from '../app/announce.ts'
import { useWork } from '../app/work.ts'
import type { WorkFile } from '../files/work-files.ts'
import type { ResultFile } from '../run/result-files.ts'
import { STRINGS } from '../strings.ts'
import { originOf } from './origin.ts'
import { saveNew, saveVersion } from './send.ts'

interface SaveResultProps {
  file: ResultFile
  source: WorkFile | undefined
  toolId: string
}

export function SaveResult({ file, source, toolId }: SaveResultProps): JSX.Element | null {
  const words = STRINGS.library
  const work = useWork()
  const saved = useSignal<LibraryItem | undefined>(undefined)
  if (!may('files:own')) return null
  const origin = source && originOf(source)
  const save = (keep: () => Promise<LibraryItem>): Promise<void> =>
    work.run(async () => {
      saved.value = await keep()
      announce(words.saved(saved.value.originalName, saved.value.version))
    })
  if (saved.value)
    return (
      <a class="small" href="library">
        {words.saved(saved.value.originalName, saved.value.version)}
      </a>
    )
  return (
    <>
      {origin !== undefined && (
        <button
          type="button"
          class="plain"
          disabled={work.isBusy}
          onClick={() => save(() => saveVersion(file, toolId, origin))}
        >
          {words.saveVersion}
        </button>
      )}
      <button type="button" class="plain" disabled={work.isBusy} onClick={() => save(() => saveNew(file, toolId))}>
        {words.save}
      </button>
      {work.message && <span class="fault small">{work.message}</span>}
    </>
  )
}
