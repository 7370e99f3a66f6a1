/** The frame of every page, and the page of the address. */
import { useComputed } from '@preact/signals'
import type { ComponentType, JSX } from 'preact'
import { useEffect, useErrorBoundary } from 'preact/hooks'
import { sentenceOf } from '../api/call.ts'
import { STRINGS } from '../strings.ts'
import { Home } from '../tools/home.tsx'
import { announcement } from './announce.ts'
import { Header } from './header.tsx'
import { lazily, NotLoadedError } from './lazily.tsx'
import { notice } from './notice.ts'
import { closePalette, openPalette, paletteIsOpen } from './palette-state.ts'
import { focusHeading, page, path } from './router.ts'

const PAGES: Readonly<Record<string, ComponentType>> = {
  home: Home,
  login: lazily(async () => (await import('../sign-in/sign-in.tsx')).SignIn),
  tool: lazily(async () => (await import('../tools/tool-page.tsx')).ToolPage),
  pipelines: lazily(async () => (await import('../pipelines/pipelines-page.tsx')).PipelinesPage),
  pipeline: lazily(async () => (await import('../pipelines/editor.tsx')).PipelinePage),
  library: lazily(async () => (await import('../library/library-page.tsx')).LibraryPage),
  jobs: lazily(async () => (await import('../jobs/jobs-page.tsx')).JobsPage),
  account: lazily(async () => (await import('../account/account-page.tsx')).AccountPage),
  device: lazily(async () => (await import('../account/device-page.tsx')).DevicePage),
  admin: lazily(async () => (await import('../admin/admin-page.tsx')).AdminPage),
  unknown: Unknown,
}

const Palette = lazily(async () => (await import('./palette.tsx')).Palette)

/** Loaded before it is needed, so that no letter typed after the shortcut is lost. */
const PALETTE_AFTER_MS = 500

function Unknown(): JSX.Element {
  return (
    <div class="page narrow">
      <h1 tabIndex={-1}>{STRINGS.errors.notFound}</h1>
      <p>
        <a href="./">{STRINGS.errors.toTools}</a>
      </p>
    </div>
  )
}

/** Ctrl-K or ⌘K, from everywhere. */
function usePaletteKey(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      openPalette()
    }
    addEventListener('keydown', onKey)
    const soon = setTimeout(() => import('./palette.tsx'), PALETTE_AFTER_MS)
    return () => {
      clearTimeout(soon)
      removeEventListener('keydown', onKey)
    }
  }, [])
}

export function App(): JSX.Element {
  const name = useComputed(() => page.value.name)
  const [failure, reset] = useErrorBoundary(closePalette)
  usePaletteKey()
  const Current = PAGES[name.value] ?? Unknown
  const isSignIn = name.value === 'login'
  useEffect(() => {
    // The failure is of the page before.
    if (failure) reset()
    if (path.value !== '') focusHeading()
  }, [path.value])
  const retry = (): void => (failure instanceof NotLoadedError ? location.reload() : reset())
  return (
    <>
      <a class="skip" href="#content">
        {STRINGS.skip}
      </a>
      {!isSignIn && <Header />}
      {notice.value && (
        <p class="banner" role="alert">
          {notice.value}
        </p>
      )}
      <main id="content" tabIndex={-1}>
        {failure ? (
          <div class="page narrow">
            <h1 tabIndex={-1}>{STRINGS.errors.unexpected}</h1>
            <p role="alert">{sentenceOf(failure)}</p>
            <button type="button" class="plain" onClick={retry}>
              {STRINGS.errors.retry}
            </button>
          </div>
        ) : (
          <Current key={path.value} />
        )}
      </main>
      {paletteIsOpen.value && <Palette />}
      <p class="hidden" role="status" aria-live="polite">
        {announcement.value}
      </p>
    </>
  )
}
