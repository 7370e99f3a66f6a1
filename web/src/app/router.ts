/** Pages by address, below the address of the console. */
import { computed, signal } from '@preact/signals'
import { ROOT } from '../api/call.ts'

export type Page =
  | { name: 'home' }
  | { name: 'login' }
  | { name: 'tool'; section: string; id: string }
  | { name: 'pipelines' }
  | { name: 'pipeline'; id: string }
  | { name: 'library' }
  | { name: 'jobs' }
  | { name: 'account' }
  | { name: 'device' }
  | { name: 'admin'; part: string }
  | { name: 'unknown' }

const pathNow = (): string => decodeURI(location.pathname.slice(new URL(ROOT).pathname.length))

/** The address below the console, such as `tools/image/resize`. */
export const path = signal(pathNow())

/** Pages without a part in their addresses. */
const PLAIN = ['login', 'pipelines', 'library', 'jobs', 'account', 'device'] as const

const isPlain = (address: string): address is (typeof PLAIN)[number] => (PLAIN as readonly string[]).includes(address)

function pageOf(address: string): Page {
  const [first = '', section = '', id = '', ...more] = address.split('/')
  if (address === '') return { name: 'home' }
  if (first === 'tools' && id !== '' && more.length === 0) return { name: 'tool', section, id }
  if (first === 'pipelines' && section !== '' && id === '') return { name: 'pipeline', id: section }
  if (isPlain(address)) return { name: address }
  if (first === 'admin' && id === '' && more.length === 0) return { name: 'admin', part: section }
  return { name: 'unknown' }
}

export const page = computed(() => pageOf(path.value))

export const toolPath = ({ section, id }: { section: string; id: string }): string => `tools/${section}/${id}`

/** Opens a page. The focus moves to its heading, so that screen readers announce it. */
export function navigate(to: string, how: 'push' | 'replace' = 'push'): void {
  const url = new URL(to, ROOT)
  if (how === 'push') history.pushState(null, '', url)
  else history.replaceState(null, '', url)
  path.value = pathNow()
  scrollTo(0, 0)
}

/** Moves the focus to the heading of the page, unless something in it has the focus. */
export function focusHeading(): void {
  const main = document.querySelector('main')
  if (main?.contains(document.activeElement)) return
  main?.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
}

/** Shows a part of the page and moves the focus there. `#part` alone is an address below `<base>`, not on this page. */
function goToPart(id: string): void {
  const part = document.getElementById(id)
  part?.scrollIntoView()
  part?.focus({ preventScroll: true })
}

function isOwn(link: HTMLAnchorElement): boolean {
  const url = new URL(link.href)
  const below = url.pathname.slice(ROOT.pathname.length)
  return url.origin === ROOT.origin && url.pathname.startsWith(ROOT.pathname) && !/^(?:api|assets)\//.test(below)
}

/** Links to pages of the console do not load the document again. */
export function startRouter(): void {
  // The user may have gone back while the session was loaded.
  path.value = pathNow()
  addEventListener('popstate', () => {
    path.value = pathNow()
  })
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link?.href || link.target || link.hasAttribute('download')) return
    const to = link.getAttribute('href') ?? ''
    if (!to.startsWith('#') && !isOwn(link)) return
    event.preventDefault()
    if (to.startsWith('#')) return goToPart(to.slice(1))
    navigate(link.href)
  })
}
