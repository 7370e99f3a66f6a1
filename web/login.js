/** Signing in: with a provider, or a password and what the instance asks for besides. */
import { byId, call, onSubmit, say, show } from './common.js'

/** Where a signed-in browser goes. */
const HOME = './'

/** The password that was right, for those who must change it. */
let current = ''
/** What a code is sent with. */
let mfaToken = new URLSearchParams(location.hash.slice(1)).get('mfaToken') ?? ''
/** Good for setting up a second factor, and nothing else. */
let enrolmentToken = ''

function begun({ user }) {
  if (user.mustChangePassword && current !== '') show(byId('change'))
  else location.assign(HOME)
}

async function enrol(token) {
  enrolmentToken = token
  const { qrCode, secret, recoveryCodes } = await call('POST', 'api/auth/mfa/enroll', {}, token)
  byId('qr').src = qrCode
  byId('secret').textContent = secret
  byId('recovery').textContent = recoveryCodes.join('\n')
  show(byId('enrol'))
}

onSubmit(byId('password'), async ({ username, password }) => {
  try {
    current = password
    const answer = await call('POST', 'api/auth/login', { username, password })
    if (!answer.requiresMfa) return begun(answer)
    mfaToken = answer.mfaToken
    show(byId('code'))
  } catch (error) {
    if (error.code !== 'MFA_ENROLLMENT_REQUIRED') throw error
    await enrol(error.enrollmentToken)
  }
})

onSubmit(byId('code'), async ({ code }) => begun(await call('POST', 'api/auth/mfa/complete', { mfaToken, code })))

onSubmit(byId('change'), async ({ newPassword }) => {
  await call('POST', 'api/auth/change-password', { currentPassword: current, newPassword })
  location.assign(HOME)
})

onSubmit(byId('enrol'), async ({ code }) => {
  await call('POST', 'api/auth/mfa/verify', { code }, enrolmentToken)
  show(byId('sign-in'))
  say('The second factor is on: sign in with it now.')
})

function addProvider(address, name) {
  const link = document.createElement('a')
  link.className = 'button'
  // As an address of this server, below its BASE_PATH.
  link.href = address.replace(/^\//, '')
  link.textContent = `Sign in with ${name}`
  byId('providers').append(link)
  byId('providers').hidden = false
}

const config = await call('GET', 'api/v1/config/auth')
if (!config.authEnabled) location.replace(HOME)
if (config.oidcEnabled) addProvider(config.oidcLoginUrl, config.oidcProviderName)
if (config.samlEnabled) addProvider(config.samlLoginUrl, config.samlProviderName)
byId('password').hidden = config.ssoEnforced
byId('emergency').hidden = !config.ssoEnforced
byId('emergency').addEventListener('click', () => {
  byId('emergency').hidden = true
  byId('password').hidden = false
  byId('password').querySelector('input').focus()
})
if (mfaToken) {
  // It is no address to come back to.
  history.replaceState(null, '', location.pathname)
  show(byId('code'))
}
