/** The landing page: the signed-in user, API keys and passkeys. */
import { byId, call, onClick, onSubmit, say, show } from './common.js'
import { canUsePasskeys, registerPasskey, usePasskey } from './passkeys.js'

/** The change that waits for a confirmation. */
let pending = async () => {}
let hasOwnPasskeys = false

/** Runs a change, and asks for a confirmation first if the server requires it. */
async function withProof(work) {
  try {
    await work()
  } catch (error) {
    if (error.code !== 'CONFIRMATION_REQUIRED') throw error
    pending = work
    byId('confirm').reset()
    byId('confirm-passkey').hidden = !hasOwnPasskeys
    show(byId('confirm'))
  }
}

async function resume() {
  show(byId('account'))
  await pending()
}

onSubmit(byId('confirm'), async ({ password, code }) => {
  await call('POST', 'api/auth/confirm', code ? { code } : { password })
  await resume()
})

onClick(byId('confirm-passkey'), async () => {
  const passkey = await usePasskey('api/auth/passkeys/confirm/options')
  await call('POST', 'api/auth/confirm', { passkey })
  await resume()
})

onClick(byId('cancel'), async () => show(byId('account')))

onSubmit(byId('key'), ({ name }) =>
  withProof(async () => {
    const { key } = await call('POST', 'api/v1/api-keys', name ? { name } : {})
    byId('value').textContent = key
    const address = new URL('api/v1/tools/image/resize', location.href)
    byId('example').textContent =
      `curl -H 'Authorization: Bearer ${key}' \\\n  -F file=@photo.jpg -F 'settings={"width":800}' \\\n  ${address}`
    show(byId('made'))
  }),
)

byId('another').addEventListener('click', () => {
  byId('value').textContent = ''
  byId('example').textContent = ''
  show(byId('account'))
})

const button = (text, label) => {
  const made = document.createElement('button')
  made.className = 'plain'
  made.type = 'button'
  made.textContent = text
  made.setAttribute('aria-label', label)
  return made
}

const day = (moment) => new Date(moment).toLocaleDateString()

/** One passkey: its name, which can be changed, its dates, and a button that removes it. */
function itemOf({ id, name, createdAt, lastUsedAt }) {
  const path = `api/auth/passkeys/${id}`
  const item = document.createElement('li')
  const field = document.createElement('input')
  field.value = name
  field.maxLength = 100
  field.required = true
  field.setAttribute('aria-label', `Name of the passkey ${name}`)
  const dates = document.createElement('p')
  dates.className = 'faint'
  dates.textContent = `Added ${day(createdAt)}, ${lastUsedAt ? `last used ${day(lastUsedAt)}` : 'not used yet'}`
  const [rename, remove] = [
    button('Rename', `Rename the passkey ${name}`),
    button('Remove', `Remove the passkey ${name}`),
  ]
  onClick(rename, async () => {
    await call('PATCH', path, { name: field.value })
    await listPasskeys()
  })
  onClick(remove, async () => {
    if (!confirm(`Remove the passkey “${name}”? You can no longer sign in with it.`)) return
    await withProof(async () => {
      await call('DELETE', path)
      await listPasskeys()
    })
  })
  item.append(field, dates, rename, remove)
  return item
}

async function listPasskeys() {
  const { passkeys } = await call('GET', 'api/auth/passkeys')
  hasOwnPasskeys = passkeys.length > 0 && canUsePasskeys
  byId('passkey-list').replaceChildren(...passkeys.map(itemOf))
}

onSubmit(byId('add-passkey'), ({ name }) =>
  withProof(async () => {
    await registerPasskey(name.trim())
    byId('add-passkey').reset()
    await listPasskeys()
  }),
)

byId('sign-out').addEventListener('click', async () => {
  const { logoutUrl } = await call('POST', 'api/auth/logout')
  location.assign(logoutUrl ?? 'login')
})

const { authEnabled, passkeysEnabled } = await call('GET', 'api/v1/config/auth')
if (!authEnabled) byId('who').textContent = 'This server does not require sign-in.'
else {
  try {
    const { user } = await call('GET', 'api/auth/session')
    if (user.mustChangePassword) location.replace('login')
    byId('who').textContent = `Signed in as ${user.username} (${user.role}).`
    byId('sign-out').hidden = false
    byId('key').hidden = !user.permissions.includes('apikeys:own')
    byId('passkeys').hidden = !passkeysEnabled || !canUsePasskeys
    if (passkeysEnabled) await listPasskeys()
    show(byId('account'))
  } catch (error) {
    if (error.code === 'AUTH_REQUIRED' || error.code === 'SESSION_INVALID' || error.code === 'IDLE_TIMEOUT')
      location.replace('login')
    else say(error.message)
  }
}
