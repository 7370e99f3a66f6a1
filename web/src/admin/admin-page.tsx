/** The pages of administrators: their navigation, and the page of the address. */
import { useSignal } from '@preact/signals'
import { type ComponentType, h, type JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Confirm, useProof } from '../account/confirm.tsx'
import { call } from '../api/call.ts'
import { authConfig } from '../api/session.ts'
import type { GetAuthPasskeys } from '../api/types.ts'
import { setTitle } from '../app/brand.ts'
import { Icon, type IconName } from '../app/icons.tsx'
import { lazily } from '../app/lazily.tsx'
import { page } from '../app/router.ts'
import { canUsePasskeys } from '../sign-in/passkeys.ts'
import { STRINGS } from '../strings.ts'
import { Overview } from './overview.tsx'
import { type AdminPart, isAdminPart, shownParts } from './parts.ts'
import { ProofContext } from './proof.ts'
import '../styles/account.css'
import '../styles/form.css'
import '../styles/admin.css'

const PAGES: Readonly<Record<AdminPart, ComponentType>> = {
  users: lazily(async () => (await import('./users/users-page.tsx')).UsersPage),
  teams: lazily(async () => (await import('./teams/teams-page.tsx')).TeamsPage),
  roles: lazily(async () => (await import('./roles/roles-page.tsx')).RolesPage),
  settings: lazily(async () => (await import('./settings/settings-page.tsx')).SettingsPage),
  branding: lazily(async () => (await import('./branding/branding-page.tsx')).BrandingPage),
  models: lazily(async () => (await import('./models/models-page.tsx')).ModelsPage),
  audit: lazily(async () => (await import('./audit/audit-page.tsx')).AuditPage),
  usage: lazily(async () => (await import('./usage/usage-page.tsx')).UsagePage),
  health: lazily(async () => (await import('./health/health-page.tsx')).HealthPage),
}

function Navigation({ part }: { part: string }): JSX.Element {
  const { admin } = STRINGS
  const links: { id: string; icon: IconName; label: string }[] = [
    { id: '', icon: 'grid', label: admin.overview },
    ...shownParts().map(({ id, icon }) => ({ id, icon, label: admin.parts[id] })),
  ]
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    // On a phone the links are a line that scrolls.
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' })
  }, [])
  return (
    <nav ref={nav} class="admin-nav" aria-label={admin.title}>
      {links.map(({ id, icon, label }) => (
        <a
          key={id}
          class="nav-link"
          href={id ? `admin/${id}` : 'admin'}
          aria-current={id === part ? 'page' : undefined}
        >
          <Icon name={icon} size={18} />
          <b>{label}</b>
        </a>
      ))}
    </nav>
  )
}

/** Asks for a confirmation when a page needs one. A passkey is offered to users who have one. */
function Confirmation({ proof }: { proof: ReturnType<typeof useProof> }): JSX.Element | null {
  const hasPasskeys = useSignal(false)
  useEffect(() => {
    if (!proof.isPending || !authConfig.value.passkeysEnabled || !canUsePasskeys) return
    call<GetAuthPasskeys>('api/auth/passkeys').then(
      ({ passkeys }) => {
        hasPasskeys.value = passkeys.length > 0
      },
      () => undefined,
    )
  }, [proof.isPending])
  return proof.isPending ? <Confirm proof={proof} hasPasskeys={hasPasskeys.value} /> : null
}

export function AdminPage(): JSX.Element {
  const { admin } = STRINGS
  const proof = useProof()
  const now = page.value
  const part = now.name === 'admin' ? now.part : ''
  const isShown = part === '' ? shownParts().length > 0 : shownParts().some(({ id }) => id === part)
  useEffect(() => {
    setTitle(isAdminPart(part) ? admin.parts[part] : admin.title)
  }, [part])
  if (!isShown)
    return (
      <div class="page narrow">
        <h1 tabIndex={-1}>{part === '' || isAdminPart(part) ? admin.forbidden : STRINGS.errors.notFound}</h1>
        <p>
          <a href="./">{STRINGS.errors.toTools}</a>
        </p>
      </div>
    )
  return (
    <ProofContext.Provider value={proof}>
      <div class="page admin">
        <Navigation part={part} />
        <div class="admin-content">{isAdminPart(part) ? h(PAGES[part], {}) : <Overview />}</div>
      </div>
      <Confirmation proof={proof} />
    </ProofContext.Provider>
  )
}
