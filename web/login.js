/** The sign-in page: single sign-on, password or passkey, and the second step. */
import { byId, call, onClick, onSubmit, say, show } from './common.js'
import { canUsePasskeys, registerPasskey, usePasskey } from './passkeys.js'

/** Target after the sign-in. */
const HOME = './'

/** The correct password, for users who must change it. */
let current = ''
/** The pending sign-in, and what its second step accepts. After single sign-on both are in the address. */
const fragment = new URLSearchParams(location.hash.slice(1))
let mfaToken = fragment.get('mfaToken') ?? ''
/** Valid only for setting up a second factor. */
let enrolmentToken = ''

function begun({ user }) {
  if (!user.mustChangePassword) location.assign(HOME)
  else if (current !== '') show(byId('change'))
  else {
    show(byId('sign-in'))
    say('You must change your password. Sign in with it to continue.')
  }
}

function askSecondStep(methods) {
  byId('code').hidden = !methods.includes('totp')
  byId('step-passkey').hidden = !methods.includes('passkey')
  show(byId('second-step'))
  if (byId('code').hidden) byId('use-step-passkey').focus()
}

async function enrol(token) {
  enrolmentToken = token
  const { qrCode, secret, recoveryCodes } = await call('POST', 'api/auth/mfa/enroll', {}, token)
  byId('qr').src = qrCode
  byId('secret').textContent = secret
  byId('recovery').textContent = recoveryCodes.join('\n')
  show(byId('enrol'))
}

function enrolled() {
  show(byId('sign-in'))
  say('The second factor is enabled. Sign in again.')
}

onSubmit(byId('password'), async ({ username, password }) => {
  try {
    current = password
    const answer = await call('POST', 'api/auth/login', { username, password })
    if (!answer.requiresMfa) return begun(answer)
    mfaToken = answer.mfaToken
    askSecondStep(answer.methods)
  } catch (error) {
    if (error.code !== 'MFA_ENROLLMENT_REQUIRED') throw error
    await enrol(error.enrollmentToken)
  }
})

onClick(byId('use-passkey'), async () => {
  current = ''
  const credential = await usePasskey('api/auth/passkeys/sign-in/options')
  begun(await call('POST', 'api/auth/passkeys/sign-in/verify', { credential }))
})

onSubmit(byId('code'), async ({ code }) => begun(await call('POST', 'api/auth/mfa/complete', { mfaToken, code })))

onClick(byId('use-step-passkey'), async () => {
  const credential = await usePasskey('api/auth/mfa/passkey/options', { mfaToken })
  begun(await call('POST', 'api/auth/mfa/passkey/complete', { mfaToken, credential }))
})

onSubmit(byId('change'), async ({ newPassword }) => {
  await call('POST', 'api/auth/change-password', { currentPassword: current, newPassword })
  location.assign(HOME)
})

onSubmit(byId('enrol'), async ({ code }) => {
  await call('POST', 'api/auth/mfa/verify', { code }, enrolmentToken)
  enrolled()
})

onClick(byId('enrol-passkey'), async () => {
  await registerPasskey('', enrolmentToken)
  enrolled()
})

function addProvider(address, name) {
  const link = document.createElement('a')
  link.className = 'button'
  // Relative, because the server may be below a BASE_PATH.
  link.href = address.replace(/^\//, '')
  link.textContent = `Sign in with ${name}`
  byId('providers').append(link)
  byId('providers').hidden = false
}

const config = await call('GET', 'api/v1/config/auth')
if (!config.authEnabled) location.replace(HOME)
if (config.oidcEnabled) addProvider(config.oidcLoginUrl, config.oidcProviderName)
if (config.samlEnabled) addProvider(config.samlLoginUrl, config.samlProviderName)
const hasPasskeys = config.passkeysEnabled === true && canUsePasskeys
byId('password').hidden = config.ssoEnforced
byId('passkey').hidden = config.ssoEnforced || !hasPasskeys
byId('enrol-passkey').hidden = !hasPasskeys
byId('emergency').hidden = !config.ssoEnforced
byId('emergency').addEventListener('click', () => {
  byId('emergency').hidden = true
  byId('password').hidden = false
  byId('passkey').hidden = !hasPasskeys
  byId('password').querySelector('input').focus()
})
if (mfaToken) {
  // The address must not be bookmarked or shared.
  history.replaceState(null, '', location.pathname)
  askSecondStep((fragment.get('methods') ?? 'totp').split(','))
}
