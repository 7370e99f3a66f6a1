/** Where a browser arrives: who is signed in, and a key for programs. */
import { byId, call, onSubmit, say, show } from './common.js'

/** What the user had wanted before a proof was asked for. */
let wanted = {}

async function makeKey() {
  const { key } = await call('POST', 'api/v1/api-keys', wanted)
  byId('value').textContent = key
  const address = new URL('api/v1/tools/image/resize', location.href)
  byId('example').textContent =
    `curl -H 'Authorization: Bearer ${key}' \\\n  -F file=@photo.jpg -F 'settings={"width":800}' \\\n  ${address}`
  show(byId('made'))
}

onSubmit(byId('key'), async ({ name }) => {
  wanted = name ? { name } : {}
  try {
    await makeKey()
  } catch (error) {
    if (error.code !== 'CONFIRMATION_REQUIRED') throw error
    show(byId('confirm'))
  }
})

onSubmit(byId('confirm'), async ({ password, code }) => {
  await call('POST', 'api/auth/confirm', code ? { code } : { password })
  await makeKey()
})

byId('another').addEventListener('click', () => {
  byId('value').textContent = ''
  byId('example').textContent = ''
  show(byId('key'))
})

byId('sign-out').addEventListener('click', async () => {
  const { logoutUrl } = await call('POST', 'api/auth/logout')
  location.assign(logoutUrl ?? 'login')
})

const { authEnabled } = await call('GET', 'api/v1/config/auth')
if (!authEnabled) byId('who').textContent = 'Nobody has to sign in here.'
else {
  try {
    const { user } = await call('GET', 'api/auth/session')
    if (user.mustChangePassword) location.replace('login')
    byId('who').textContent = `Signed in as ${user.username} (${user.role}).`
    byId('sign-out').hidden = false
    if (user.permissions.includes('apikeys:own')) show(byId('key'))
  } catch (error) {
    if (error.code === 'AUTH_REQUIRED' || error.code === 'SESSION_INVALID' || error.code === 'IDLE_TIMEOUT')
      location.replace('login')
    else say(error.message)
  }
}
