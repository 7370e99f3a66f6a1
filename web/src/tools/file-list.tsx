/** The files of a tool: dropped, pasted or chosen; with thumbnails and history. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { groups } from '../api/tools.ts'
import type { ToolForm } from '../api/types.ts'
import { Icon, type IconName } from '../app/icons.tsx'
import { acceptAttribute, acceptWords } from '../files/accept.ts'
import { type Kind, kindOf } from '../files/kind.ts'
import { sizeText } from '../files/size.ts'
import { fileNow, moveFile, removeFile, useVersion, type WorkFile, workFiles } from '../files/work-files.ts'
import { FromLibrary } from '../library/from-library.tsx'
import { STRINGS } from '../strings.ts'
import '../styles/files.css'

const ICONS: Partial<Record<Kind, IconName>> = { video: 'video', audio: 'audio', pdf: 'pdf', image: 'image' }

/** A picture of the file if the browser can show it, otherwise an icon; it holds no copy of its own. */
function Thumbnail({ file }: { file: File }): JSX.Element {
  const kind = kindOf(file.name)
  const address = useSignal<string | undefined>(undefined)
  const isShown = useSignal(true)
  useEffect(() => {
    if (kind !== 'image') return
    isShown.value = true
    const own = URL.createObjectURL(file)
    address.value = own
    return () => URL.revokeObjectURL(own)
  }, [file])
  if (kind === 'image' && isShown.value)
    return (
      <img
        class="thumbnail"
        src={address.value}
        alt=""
        loading="lazy"
        onError={() => {
          isShown.value = false
        }}
      />
    )
  return (
    <span class="thumbnail">
      <Icon name={ICONS[kind] ?? 'files'} />
    </span>
  )
}

/** The steps that led to the file; each can be returned to. */
function History({ work }: { work: WorkFile }): JSX.Element | null {
  const { files } = STRINGS
  if (work.versions.length < 2) return null
  return (
    <ol class="history" aria-label={files.history}>
      {work.versions.map((version, index) => (
        // A version has no identity besides its place: the same tool can be used twice.
        <li key={index}>
          <button
            type="button"
            class="quiet"
            aria-current={index === work.at ? 'step' : undefined}
            onClick={() => useVersion(work.id, index)}
          >
            {version.by ?? files.original}
          </button>
        </li>
      ))}
    </ol>
  )
}

interface FileRowProps {
  work: WorkFile
  /** The files next to it in the list. Files that the tool does not take can be between them. */
  before: WorkFile | undefined
  after: WorkFile | undefined
  isOrdered: boolean
}

/** Moves a file to the place of another. */
function moveTo(work: WorkFile, other: WorkFile | undefined): void {
  const all = workFiles.value.map(({ id }) => id)
  if (other) moveFile(work.id, all.indexOf(other.id) - all.indexOf(work.id))
}

function FileRow({ work, before, after, isOrdered }: FileRowProps): JSX.Element {
  const { files } = STRINGS
  const file = fileNow(work)
  return (
    <li class="file">
      <Thumbnail file={file} />
      <span class="grow file-text">
        <span class="file-title">{file.name}</span>
        <span class="faint small">{sizeText(file.size)}</span>
        <History work={work} />
      </span>
      {isOrdered && (
        <>
          <button
            type="button"
            class="icon-button up"
            aria-label={files.up(file.name)}
            onClick={() => moveTo(work, before)}
          >
            <Icon name="chevron" size={16} />
          </button>
          <button
            type="button"
            class="icon-button down"
            aria-label={files.down(file.name)}
            onClick={() => moveTo(work, after)}
          >
            <Icon name="chevron" size={16} />
          </button>
        </>
      )}
      <button
        type="button"
        class="icon-button"
        aria-label={files.remove(file.name)}
        onClick={() => removeFile(work.id)}
      >
        <Icon name="close" size={16} />
      </button>
    </li>
  )
}

interface FileListProps {
  tool: Pick<ToolForm, 'inputs'>
  list: readonly WorkFile[]
  onFiles(files: File[]): void
}

export function FileList({ tool, list, onFiles }: FileListProps): JSX.Element {
  const { files } = STRINGS
  const picker = useRef<HTMLInputElement>(null)
  const { accept, maxFiles, minFiles } = tool.inputs
  const isJoined = maxFiles > 1
  const types = acceptWords(accept, files.groups)
  return (
    <section aria-label={files.title}>
      <div class={list.length > 0 ? 'drop small-drop' : 'drop'}>
        {list.length === 0 && <Icon name="upload" size={28} />}
        <p>
          <strong>{isJoined ? files.dropSeveral(minFiles, maxFiles) : files.drop}</strong>
          <span class="faint small block">{types}</span>
        </p>
        <div class="row">
          <button type="button" class={list.length > 0 ? 'plain' : ''} onClick={() => picker.current?.click()}>
            {list.length > 0 ? files.more : files.choose}
          </button>
          <FromLibrary accept={accept} onFiles={onFiles} />
        </div>
        <input
          ref={picker}
          id="files"
          class="hidden"
          type="file"
          multiple
          tabIndex={-1}
          aria-label={files.choose}
          accept={acceptAttribute(accept, groups.value)}
          onChange={(event) => {
            onFiles([...(event.currentTarget.files ?? [])])
            event.currentTarget.value = ''
          }}
        />
      </div>
      {list.length > 0 && (
        <ul class="file-list">
          {list.map((work, index) => (
            <FileRow
              key={work.id}
              work={work}
              before={list[index - 1]}
              after={list[index + 1]}
              isOrdered={isJoined && list.length > 1}
            />
          ))}
        </ul>
      )}
    </section>
  )
}
