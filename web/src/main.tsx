import { render } from 'preact'
import { sentenceOf, whenSignedOut } from './api/call.ts'
import { authConfig, leaveForSignIn, loadSession, takeNext, user } from './api/session.ts'
import { App } from './app/app.tsx'
import { loadBrand } from './app/brand.ts'
import { navigate, page, path, startRouter } from './app/router.ts'
import './app/theme.ts'
import { rememberServerMessage } from './sign-in/server-message.ts'
import { STRINGS } from './strings.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import './styles/shell.css'

const place = document.getElementById('app')

async function start(root: HTMLElement): Promise<void> {
  rememberServerMessage()
  await Promise.all([loadSession(), loadBrand()])
  const isSignIn = page.value.name === 'login'
  if (isSignIn && !authConfig.value.authEnabled) navigate('', 'replace')
  if (!isSignIn && user.value === undefined) return leaveForSignIn(path.value)
  // A sign-in elsewhere ends at the first page.
  const next = path.value === '' && user.value ? takeNext() : ''
  if (next !== '') navigate(next, 'replace')
  whenSignedOut(() => leaveForSignIn(path.value))
  startRouter()
  root.replaceChildren()
  render(<App />, root)
  if (authConfig.value.isPersonal) (await import('./app/opened.ts')).takeOpenedFiles()
}

/** Without a server there is nothing to show but the reason. */
function showFailure(root: HTMLElement, error: unknown): void {
  const message = document.createElement('p')
  message.setAttribute('role', 'alert')
  message.textContent = sentenceOf(error)
  const retry = document.createElement('button')
  retry.textContent = STRINGS.errors.retry
  retry.addEventListener('click', () => location.reload())
  root.className = 'failure'
  root.replaceChildren(message, retry)
}

if (place) start(place).catch((error: unknown) => showFailure(place, error))
