import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { addressOf } from '../api/call.ts'
import { groups } from '../api/tools.ts'
import type { LibraryItem } from '../api/types.ts'
import { Icon, type IconName } from '../app/icons.tsx'
import { extensionOf } from '../files/accept.ts'
import { filePath } from './items.ts'

/** The group of a file by its name: `image`, `video`, `audio`, `pdf`; undefined for others. */
function groupOf(name: string): 'image' | 'video' | 'audio' | 'pdf' | undefined {
  const extension = extensionOf(name)
  if (extension === 'pdf') return 'pdf'
  return (['image', 'video', 'audio'] as const).find((group) => groups.value[group]?.includes(extension))
}

/** A thumbnail from the server, for the types that have one; an icon otherwise. */
export function Picture({ item }: { item: LibraryItem }): JSX.Element {
  const isBroken = useSignal(false)
  const group = groupOf(item.originalName)
  const icon: IconName = group ?? 'files'
  if (group === undefined || group === 'audio' || isBroken.value)
    return (
      <span class="library-picture">
        <Icon name={icon} size={28} />
      </span>
    )
  // An item whose content was replaced has the same id.
  const version = `${item.toolChain.length}-${item.size}`
  return (
    <img
      class="library-picture"
      src={addressOf(`${filePath(item.id)}/thumbnail?v=${version}`)}
      alt=""
      loading="lazy"
      onError={() => {
        isBroken.value = true
      }}
    />
  )
}
