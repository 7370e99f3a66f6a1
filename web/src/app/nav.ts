/** The pages of the header, the menu and the palette. To add one, add a row. */
import { shownParts } from '../admin/parts.ts'
import { may, user } from '../api/session.ts'
import { STRINGS } from '../strings.ts'
import type { IconName } from './icons.tsx'

interface NavRow {
  /** Names of the pages below it, as in the router. */
  names: readonly string[]
  path: string
  icon: IconName
  label: string
  /** Whether the user may see it; for every user if absent. */
  isShown?(): boolean
}

const { nav } = STRINGS

const NAV: readonly NavRow[] = [
  {
    ...{ names: ['pipelines', 'pipeline'], path: 'pipelines', icon: 'pipeline', label: nav.pipelines },
    isShown: () => may('tools:use') || may('pipelines:own'),
  },
  { names: ['library'], path: 'library', icon: 'library', label: nav.library, isShown: () => may('files:own') },
  { names: ['jobs'], path: 'jobs', icon: 'history', label: nav.jobs },
  {
    ...{ names: ['admin'], path: 'admin', icon: 'shield', label: STRINGS.admin.title },
    isShown: () => shownParts().length > 0,
  },
  { names: ['account'], path: 'account', icon: 'user', label: nav.account },
]

/** The pages that the user may see. */
export function navRows(): NavRow[] {
  if (!user.value) return []
  return NAV.filter(({ isShown }) => isShown?.() ?? true)
}
