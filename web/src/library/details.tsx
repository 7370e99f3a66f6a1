/** A file with its versions: rename, download, use, delete. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { addressOf, call } from '../api/call.ts'
import { tools } from '../api/tools.ts'
import type { GetFilesById, LibraryItem } from '../api/types.ts'
import { momentText } from '../app/dates.ts'
import { Icon } from '../app/icons.tsx'
import { fieldsOf, useWork } from '../app/work.ts'
import { sizeText } from '../files/size.ts'
import { STRINGS } from '../strings.ts'
import { filePath } from './items.ts'
import { Picture } from './picture.tsx'

interface DetailsProps {
  item: LibraryItem
  onUse(item: LibraryItem): Promise<void>
  onRemove(item: LibraryItem): void
  onChange(): void
  onClose(): void
}

/** The tool of the last step: what made this version. */
function madeBy({ toolChain, version }: LibraryItem): string {
  const last = toolChain.at(-1)
  if (version === 1 || last === undefined) return STRINGS.files.original
  return tools.value.find(({ id }) => id === last)?.label ?? last
}

function VersionRow({ item, onUse }: { item: LibraryItem; onUse(item: LibraryItem): Promise<void> }): JSX.Element {
  const words = STRINGS.library
  const work = useWork()
  const { id, version, originalName, size, width, height, createdAt } = item
  return (
    <li class="version">
      <Picture item={item} />
      <span class="grow">
        <strong>{words.version(version)}</strong> <span class="badge">{madeBy(item)}</span>
        <span class="faint small block">
          {sizeText(size)}
          {width !== null && height !== null && ` · ${width} × ${height}`} · {momentText(createdAt)}
        </span>
        {work.message && <span class="fault small block">{work.message}</span>}
      </span>
      <a class="button plain" href={addressOf(`${filePath(id)}/download`)} download={originalName}>
        <Icon name="download" size={16} />
        <span class="hidden">{words.downloadVersion(version)}</span>
      </a>
      <button type="button" class="plain" disabled={work.isBusy} onClick={() => work.run(() => onUse(item))}>
        {words.use}
      </button>
    </li>
  )
}

export function Details({ item, onUse, onRemove, onChange, onClose }: DetailsProps): JSX.Element {
  const words = STRINGS.library
  const work = useWork()
  const dialog = useRef<HTMLDialogElement>(null)
  const versions = useSignal<readonly LibraryItem[]>([item])
  const name = useSignal(item.originalName)
  useEffect(() => {
    dialog.current?.showModal()
    work.run(async () => {
      versions.value = (await call<GetFilesById>(filePath(item.id))).versions
    })
  }, [])
  const rename = (event: SubmitEvent): Promise<void> => {
    const fields = fieldsOf(event)
    return work.run(async () => {
      const { file } = await call<{ file: LibraryItem }>(filePath(item.id), { method: 'PATCH', body: fields })
      name.value = file.originalName
      onChange()
    })
  }
  return (
    <dialog ref={dialog} class="dialog wide" aria-labelledby="file-title" onClose={onClose}>
      <div class="stack">
        <div class="row apart nowrap">
          <h2 id="file-title" class="file-title">
            {name.value}
          </h2>
          <button
            type="button"
            class="icon-button"
            aria-label={STRINGS.pipelines.close}
            onClick={() => dialog.current?.close()}
          >
            <Icon name="close" />
          </button>
        </div>
        <p class="alert" role="alert">
          {work.message}
        </p>
        <form class="row" onSubmit={rename}>
          <label class="grow">
            <span class="small">{words.name}</span>
            <input name="name" required maxLength={200} key={name.value} defaultValue={name.value} />
          </label>
          <button type="submit" class="plain" disabled={work.isBusy}>
            {STRINGS.account.rename}
          </button>
        </form>
        <h3>{words.versions}</h3>
        <ol class="versions" reversed>
          {versions.value.toReversed().map((version) => (
            <VersionRow key={version.id} item={version} onUse={onUse} />
          ))}
        </ol>
        <button type="button" class="quiet danger" onClick={() => onRemove(item)}>
          <Icon name="trash" size={16} />
          {words.remove(versions.value.length)}
        </button>
      </div>
    </dialog>
  )
}
