import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { STRINGS } from '../strings.ts'
import { BrandMark } from './brand-mark.tsx'
import { Icon, type IconName } from './icons.tsx'
import { navRows } from './nav.ts'
import { openPalette } from './palette-state.ts'
import { page, path } from './router.ts'
import { nextTheme, type Theme, theme } from './theme.ts'

const THEME_ICONS: Readonly<Record<Theme, IconName>> = { auto: 'auto', light: 'sun', dark: 'moon' }

/** The links; on narrow pages behind a button. Escape, a click elsewhere and a new page close them. */
function Menu(): JSX.Element {
  const { nav } = STRINGS
  const isOpen = useSignal(false)
  const frame = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const close = (): void => {
    isOpen.value = false
  }
  useEffect(close, [path.value])
  useEffect(() => {
    const onDown = ({ target }: PointerEvent): void => {
      if (!(target instanceof Node) || !frame.current?.contains(target)) close()
    }
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape' || !isOpen.value) return
      close()
      button.current?.focus()
    }
    addEventListener('pointerdown', onDown)
    addEventListener('keydown', onKey)
    return () => {
      removeEventListener('pointerdown', onDown)
      removeEventListener('keydown', onKey)
    }
  }, [])
  return (
    <div ref={frame} class="menu" data-open={isOpen.value ? '' : undefined}>
      <button
        ref={button}
        type="button"
        class="icon-button menu-button"
        aria-label={nav.menu}
        aria-expanded={isOpen.value}
        aria-controls="main-links"
        onClick={() => {
          isOpen.value = !isOpen.value
        }}
      >
        <Icon name={isOpen.value ? 'close' : 'menu'} />
      </button>
      <nav id="main-links" aria-label={nav.label}>
        {navRows().map(({ names, path: to, icon, label }) => (
          <a
            key={to}
            class="nav-link"
            href={to}
            aria-current={names.includes(page.value.name) ? 'page' : undefined}
            onClick={close}
          >
            <Icon name={icon} />
            <span>{label}</span>
          </a>
        ))}
      </nav>
    </div>
  )
}

export function Header(): JSX.Element {
  const { nav } = STRINGS
  return (
    <header class="header">
      <a class="brand" href="./">
        <BrandMark />
      </a>
      <button type="button" class="search-button" onClick={openPalette} aria-keyshortcuts="Control+K">
        <Icon name="search" size={18} />
        <span>{nav.palette}</span>
        <kbd>{nav.paletteKeys}</kbd>
      </button>
      <div class="header-end">
        <button
          type="button"
          class="icon-button"
          onClick={nextTheme}
          aria-label={nav.theme[theme.value]}
          title={nav.theme[theme.value]}
        >
          <Icon name={THEME_ICONS[theme.value]} />
        </button>
        <Menu />
      </div>
    </header>
  )
}
