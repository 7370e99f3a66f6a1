/** Every JSON response matches its description in the OpenAPI document, to the last property. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { exportArchive } from '../../src/models/store/export-archive.ts'
import { Authenticator } from '../helpers/authenticator.ts'
import { makeAudio } from '../helpers/av.ts'
import { afterEveryFile } from '../helpers/clean-up.ts'
import { type ModelSource, sampleBytes, serveModels } from '../helpers/model-source.ts'
import { plain } from '../helpers/picture.ts'
import { RECEIVER_ENVIRONMENT, startReceiver } from '../helpers/receiver.ts'
import { type Answer, call, FIRST_PASSWORD, makeUser, PASSWORD, type Served, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'
import { totpCode } from '../helpers/totp.ts'

interface Operation {
  operationId: string
  tags: string[]
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: object }> }>
  requestBody?: { content: Record<string, { example: object }> }
}

let server: Served
let admin: string
let models: ModelSource
let operations: { method: string; path: string; operation: Operation }[]
let responses: Operation['responses']
let ajv: Ajv2020
const walked = new Set<string>()

beforeAll(async () => {
  const file = { name: 'faces.bin', bytes: sampleBytes('faces', 100) }
  const bundles = { 'face-detection': { light: ['faces'] }, ocr: { light: ['faces'] } }
  models = await serveModels({ faces: { files: [file] } }, bundles, (clean) => afterEveryFile(clean))
  server = await serveHere({
    environment: {
      ...RECEIVER_ENVIRONMENT,
      MEDIAPROC_MODELS: models.store,
      MODEL_OFFLINE: 'false',
      EXTERNAL_URL: 'https://media.example',
    },
  })
  admin = await signIn(server)
  const document = parse((await call(server, 'GET', '/api/v1/openapi.yaml')).bytes.toString())
  operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  responses = document.components.responses
  ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema({ $id: 'api', components: document.components })
})

/** Compares a response with the declaration of its operation for its status. */
function hold(operationId: string, { status, json }: Answer): void {
  const { operation } = operations.find((one) => one.operation.operationId === operationId)!
  const answer = operation.responses[status]
  const shared = answer?.$ref === undefined ? answer : responses[answer.$ref.split('/').at(-1)!]
  const schema = (shared?.content?.['application/json'] ?? shared?.content?.['application/scim+json'])?.schema
  expect([operationId, status, schema]).toEqual([operationId, status, expect.any(Object)])
  const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components'))
  const isValid = ajv.validate(local, json)
  expect([operationId, status, isValid ? null : ajv.errors, json]).toEqual([operationId, status, null, json])
  if (status < 300) walked.add(operationId)
}

/** Calls a route by the name of its operation, and compares the response. */
async function ask(operationId: string, { at = [], body, query = '', token = admin }: Question = {}): Promise<Answer> {
  const { method, path } = operations.find(({ operation }) => operation.operationId === operationId)!
  const names = [...at]
  const address = path.replaceAll(/\{\w+\}/g, () => names.shift()!) + query
  const answer = await call(server, method.toUpperCase(), address, { token, ...(body !== undefined && { body }) })
  hold(operationId, answer)
  expect([operationId, answer.status < 300]).toEqual([operationId, true])
  return answer
}

interface Question {
  /** For the parameters of the address. */
  at?: string[]
  body?: unknown
  query?: string
  token?: string
}

/** The first example of a JSON body in the description. */
function exampleOf(operationId: string): object {
  const { operation } = operations.find((one) => one.operation.operationId === operationId)!
  return operation.requestBody!.content['application/json']!.example
}

test('accounts', async () => {
  hold(
    'postAuthLogin',
    await call(server, 'POST', '/api/auth/login', { body: { username: 'admin', password: PASSWORD } }),
  )
  await ask('getAuthSession')
  await ask('postAuthRegister', { body: exampleOf('postAuthRegister') })
  const { json } = await ask('getAuthUsers')
  const olaf = json.users.find(({ username }: { username: string }) => username === 'olaf').id
  await ask('putAuthUsersById', { at: [olaf], body: exampleOf('putAuthUsersById') })
  await ask('postAuthUsersByIdResetPassword', { at: [olaf], body: { newPassword: FIRST_PASSWORD } })
  const login = await call(server, 'POST', '/api/auth/login', { body: { username: 'olaf', password: FIRST_PASSWORD } })
  const body = { ...exampleOf('postAuthChangePassword'), currentPassword: FIRST_PASSWORD }
  await ask('postAuthChangePassword', { token: login.json.token, body: { ...body, newPassword: PASSWORD } })
  const second = await call(server, 'POST', '/api/auth/login', { body: { username: 'olaf', password: PASSWORD } })
  await ask('postAuthConfirm', { token: second.json.token, body: { password: PASSWORD } })
  const { sessions } = (await ask('getAuthSessions', { token: second.json.token })).json
  await ask('getAuthUsersByIdSessions', { at: [olaf] })
  await ask('deleteAuthSessionsById', { at: [sessions[1].id], token: second.json.token })
  await ask('deleteAuthSessions', { token: second.json.token })
  await ask('postAuthLogout', { token: second.json.token })
  await ask('deleteAuthUsersByIdSessions', { at: [olaf] })
  const key = await ask('postApiKeys', { body: exampleOf('postApiKeys') })
  await ask('getApiKeys')
  await ask('deleteApiKeysById', { at: [key.json.id] })
  await ask('deleteAuthUsersById', { at: [olaf] })
})

test('second factors', async () => {
  const token = await makeUser(server, admin, 'mona')
  const { json } = await ask('postAuthMfaEnroll', { token })
  await ask('postAuthMfaVerify', { token, body: { code: await totpCode(json.secret) } })
  const body = { username: 'mona', password: PASSWORD }
  const challenge = await call(server, 'POST', '/api/auth/login', { body })
  hold('postAuthLogin', challenge)
  const { mfaToken } = challenge.json
  const wrong = await call(server, 'POST', '/api/auth/mfa/complete', { body: { mfaToken, code: 'abcdef' } })
  expect(wrong.json.code).toBe('INVALID_CODE')
  const done = await ask('postAuthMfaComplete', { token: '', body: { mfaToken, code: json.recoveryCodes[0] } })
  await ask('postAuthMfaDisable', { token: done.json.token, body: { code: json.recoveryCodes[1] } })
  const again = await ask('postAuthMfaEnroll', { token })
  await ask('postAuthMfaVerify', { token, body: { code: await totpCode(again.json.secret) } })
  const { users } = (await call(server, 'GET', '/api/auth/users', { token: admin })).json
  const mona = users.find(({ username }: { username: string }) => username === 'mona').id
  await ask('postAuthUsersByIdMfaReset', { at: [mona] })
})

test('passkeys', async () => {
  const token = await makeUser(server, admin, 'pia')
  const device = new Authenticator('https://media.example')
  const { json: creation } = await ask('postAuthPasskeysRegisterOptions', { token })
  const body = { credential: device.create(creation), name: 'Laptop' }
  const { id } = (await ask('postAuthPasskeysRegisterVerify', { token, body })).json
  await ask('getAuthPasskeys', { token })
  await ask('patchAuthPasskeysById', { at: [id], token, body: exampleOf('patchAuthPasskeysById') })
  const { json: options } = await ask('postAuthPasskeysSignInOptions', { token: '' })
  await ask('postAuthPasskeysSignInVerify', { token: '', body: { credential: device.get(options) } })
  const { mfaToken } = (
    await call(server, 'POST', '/api/auth/login', { body: { username: 'pia', password: PASSWORD } })
  ).json
  const { json: step } = await ask('postAuthMfaPasskeyOptions', { token: '', body: { mfaToken } })
  await ask('postAuthMfaPasskeyComplete', { token: '', body: { mfaToken, credential: device.get(step) } })
  const { json: confirmation } = await ask('postAuthPasskeysConfirmOptions', { token })
  await ask('postAuthConfirm', { token, body: { passkey: device.get(confirmation) } })
  await ask('deleteAuthPasskeysById', { at: [id], token })
})

test('programs with a code', async () => {
  const { json } = await ask('postAuthDevice', { token: '', body: exampleOf('postAuthDevice') })
  const pending = await call(server, 'POST', '/api/v1/auth/device/token', { body: exampleOf('postAuthDeviceToken') })
  expect(pending.json.code).toBe('EXPIRED_TOKEN')
  hold('postAuthDeviceToken', pending)
  const unknown = await call(server, 'POST', '/api/v1/auth/device/lookup', { token: admin, body: { userCode: 'x' } })
  expect(unknown.json.code).toBe('INVALID_USER_CODE')
  hold('postAuthDeviceLookup', unknown)
  const body = { userCode: json.user_code }
  await ask('postAuthDeviceLookup', { body })
  await ask('postAuthDeviceApprove', { body })
  await ask('postAuthDeviceToken', { token: '', body: { device_code: json.device_code } })
  const second = await ask('postAuthDevice', { token: '', body: {} })
  await ask('postAuthDeviceRefuse', { body: { userCode: second.json.user_code } })
})

test('roles and teams', async () => {
  await ask('getRoles')
  const role = await ask('postRoles', { body: exampleOf('postRoles') })
  await ask('putRolesById', { at: [role.json.id], body: exampleOf('putRolesById') })
  await ask('getRoles')
  await ask('deleteRolesById', { at: [role.json.id] })
  const team = await ask('postTeams', { body: exampleOf('postTeams') })
  await ask('putTeamsById', { at: [team.json.id], body: exampleOf('putTeamsById') })
  await ask('getTeams')
  await ask('deleteTeamsById', { at: [team.json.id] })
})

test('service accounts', async () => {
  const { id } = (await ask('postServiceAccounts', { body: exampleOf('postServiceAccounts') })).json
  await ask('putServiceAccountsById', { at: [id], body: exampleOf('putServiceAccountsById') })
  const body = exampleOf('postServiceAccountsByIdKeys')
  const key = (await ask('postServiceAccountsByIdKeys', { at: [id], body })).json
  for (const name of ['getServiceAccounts', 'getAuthUsers']) await ask(name)
  await ask('getServiceAccountsByIdKeys', { at: [id] })
  await ask('deleteServiceAccountsByIdKeysByKeyId', { at: [id, key.id] })
  await ask('deleteServiceAccountsById', { at: [id] })
})

test('users and teams of a provider', async () => {
  const { token } = (await ask('postEnterpriseScimToken')).json
  for (const name of ['ServiceProviderConfig', 'Schemas', 'ResourceTypes']) await ask(`getScimV2${name}`)
  const user = (await ask('postScimV2Users', { token, body: exampleOf('postScimV2Users') })).json
  const members = [{ value: user.id }]
  const group = (await ask('postScimV2Groups', { token, body: { displayName: 'Press', members } })).json
  for (const name of ['Users', 'Groups']) {
    const at = [name === 'Users' ? user.id : group.id]
    await ask(`getScimV2${name}`, { token })
    await ask(`getScimV2${name}`, { token, query: '?attributes=displayName' })
    await ask(`getScimV2${name}ById`, { token, at })
    const replaced = `putScimV2${name}ById`
    await ask(replaced, { token, at, body: exampleOf(replaced) })
    await ask(`patchScimV2${name}ById`, { token, at, body: exampleOf(`patchScimV2${name}ById`) })
    hold(`getScimV2${name}ById`, await call(server, 'GET', `/api/v1/scim/v2/${name}/none`, { token }))
    hold(`getScimV2${name}`, await call(server, 'GET', `/api/v1/scim/v2/${name}?filter=x`, { token }))
    hold(`getScimV2${name}`, await call(server, 'GET', `/api/v1/scim/v2/${name}`))
  }
  await ask('deleteEnterpriseScimToken')
})

test('the library, jobs and pipelines', async () => {
  const png = ['file', { name: 'a.png', bytes: await plain(8, 6, '#ff0000').png().toBuffer() }] as const
  const audio = ['file', { name: 'a.txt', bytes: Buffer.from(await makeAudio({ seconds: 0.1 })) }] as const
  const kept = await send(server, '/api/v1/files/upload', [png, audio], admin)
  hold('postFilesUpload', kept)
  const [{ id }] = kept.json.files
  hold('postFilesSaveResult', await send(server, '/api/v1/files/save-result', [png, ['parentId', id]], admin))
  await ask('getFiles')
  await ask('getFilesById', { at: [id] })
  await ask('patchFilesById', { at: [id], body: { name: 'b.png' } })
  await ask('getFilesUsage')
  hold('postUpload', await send(server, '/api/v1/upload', [png], admin))
  const result = await send(server, '/api/v1/tools/image/resize', [png, ['settings', '{"width":4}']], admin)
  hold('imageResize', result)
  const bad = await send(server, '/api/v1/tools/image/resize', [audio, ['settings', '{"width":4}']], admin)
  expect(bad.status).toBeGreaterThanOrEqual(400)
  hold('imageResize', bad)
  const failed = await send(server, '/api/v1/tools/image/resize', [png, ['settings', '{"width":-4}']], admin)
  hold('imageResize', failed)
  await ask('getJobs')
  await ask('getJobsByJobId', { at: [result.json.jobId] })
  const [, name] = /([^/]+)$/.exec(result.json.downloadUrl)!
  const link = exampleOf('postDownloadByJobIdByFilenameLink')
  await ask('postDownloadByJobIdByFilenameLink', { at: [result.json.jobId, name!], body: link })
  await ask('postJobsByJobIdCancel', { at: [result.json.jobId] })
  await ask('deleteJobsByJobId', { at: [result.json.jobId] })
  const pipeline = JSON.stringify({ steps: [{ toolId: 'resize', settings: { width: 4 } }] })
  hold('postPipelineExecute', await send(server, '/api/v1/pipeline/execute', [png, ['pipeline', pipeline]], admin))
  const saved = await ask('postPipelineSave', { body: exampleOf('postPipelineSave') })
  await ask('getPipelineList')
  await ask('getPipelineTools')
  await ask('postPipelineExplain', { body: exampleOf('postPipelineExplain') })
  await ask('getPipelineById', { at: [saved.json.id] })
  await ask('patchPipelineById', { at: [saved.json.id], body: { name: 'other' } })
  await ask('deletePipelineById', { at: [saved.json.id] })
  await ask('deleteFiles', { body: { ids: [id] } })
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': '5' }
  hold('postUploads', await call(server, 'POST', '/api/v1/uploads', { token: admin, headers }))
  await ask('getUploads')
  await ask('postUploadsHave', { body: { sha256: ['0'.repeat(64)] } })
  await ask('postFetchUrls', { body: { urls: ['http://127.0.0.1/'] } })
})

test('webhooks', async () => {
  const receiver = await startReceiver()
  const body = { ...exampleOf('postWebhooks'), url: `${receiver.base}/hook` }
  const { id } = (await ask('postWebhooks', { body })).json
  for (const name of ['getWebhooks', 'getWebhooksCallbackSecret', 'postWebhooksCallbackSecret']) await ask(name)
  for (const name of ['getWebhooksById', 'postWebhooksByIdRotate', 'postWebhooksByIdTest'])
    await ask(name, { at: [id] })
  await ask('patchWebhooksById', { at: [id], body: exampleOf('patchWebhooksById') })
  const { deliveries } = (await ask('getWebhooksByIdDeliveries', { at: [id] })).json
  await ask('getWebhooksDeliveries', { query: '?status=delivered' })
  await ask('postWebhooksDeliveriesByDeliveryIdRedeliver', { at: [deliveries[0].id] })
  await ask('deleteWebhooksById', { at: [id] })
})

test('the instance', async () => {
  for (const name of ['getHealth', 'getReadyz', 'getConfigAuth', 'getConfigLocale', 'getConfigAnalytics'])
    await ask(name)
  for (const name of ['getAdminHealth', 'getAdminLogLevel', 'getAdminUsage', 'getAuditLog', 'getTools']) await ask(name)
  for (const name of ['getToolsPopular', 'getFeatures', 'getAdminFeaturesDiskUsage', 'getMemeTemplates'])
    await ask(name)
  await ask('postAdminLogLevel', { body: { level: 'silent' } })
  await ask('putSettings', { body: exampleOf('putSettings') })
  await ask('putBranding', { body: exampleOf('putBranding') })
  await ask('getBranding')
  const png = ['file', { name: 'a.png', bytes: await plain(8, 6, '#ff0000').png().toBuffer() }] as const
  hold('postSettingsLogo', await send(server, '/api/v1/settings/logo', [png], admin))
  await ask('deleteSettingsLogo')
  await ask('getSettings')
  await ask('getSettingsByKey', { at: ['defaultLocale'] })
  for (const name of ['getAdminSettings', 'getAuditLogActions', 'getAdminSignInSources']) await ask(name)
  await ask('deleteSettingsByKey', { at: ['defaultLocale'] })
  await ask('putPreferences', { body: exampleOf('putPreferences') })
  await ask('getPreferences')
  await ask('getOpenedFiles')
})

test('the bundles', async () => {
  const { json } = await ask('postAdminToolsByToolIdFeaturesInstall', { at: ['smart-crop'] })
  expect(json.bundles).toEqual([{ bundleId: 'face-detection', jobId: expect.any(String), queued: false }])
  const jobId = json.bundles[0].jobId
  await call(server, 'GET', `/api/v1/jobs/${jobId}/progress`, { token: admin })
  expect((await ask('getJobsByJobId', { at: [jobId] })).json).toMatchObject({ type: 'install', status: 'completed' })
  await ask('postAdminToolsByToolIdFeaturesInstall', { at: ['smart-crop'] })
  const again = await call(server, 'POST', '/api/v1/admin/features/face-detection/install', { token: admin })
  hold('postAdminFeaturesByBundleIdInstall', again)
  await ask('getFeatures')
  await ask('getAdminFeaturesDiskUsage')
  const archive = join(models.store, '..', 'faces.tar.gz')
  const what = { bundle: 'face-detection', tier: 'light' as const, models: ['faces'] }
  await exportArchive(what, archive, models.store, new AbortController().signal)
  await ask('postAdminFeaturesByBundleIdUninstall', { at: ['face-detection'] })
  const asked = await ask('postAdminFeaturesByBundleIdInstall', { at: ['ocr'], body: { tier: 'light' } })
  await call(server, 'GET', `/api/v1/jobs/${asked.json.jobId}/progress`, { token: admin })
  await ask('postAdminFeaturesReset')
  const file = { name: 'faces.tar.gz', bytes: readFileSync(archive) }
  hold('postAdminFeaturesImport', await send(server, '/api/v1/admin/features/import', [['file', file]], admin))
})

test('messages of agents', async () => {
  const headers = { accept: 'application/json, text/event-stream' }
  const answer = await call(server, 'POST', '/mcp', { token: admin, headers, body: exampleOf('postMcp') })
  // The answer is the only event of a stream.
  const json = JSON.parse(/^data: (.*)$/m.exec(answer.bytes.toString())![1]!)
  hold('postMcp', { ...answer, json })
  expect(json.result.tools.length).toBeGreaterThan(3)
})

test('covers every route', () => {
  const answering = operations.filter(({ path, operation: { responses } }) => {
    const isTool = path.startsWith('/api/v1/tools/') && path.split('/').length > 5
    const done = Object.keys(responses).filter((status) => status < '202')
    const isJson = (type: string) => /^application\/(?:scim\+)?json$/.test(type)
    return !isTool && done.some((status) => Object.keys(responses[status]!.content ?? {}).some(isJson))
  })
  expect(answering.map(({ operation }) => operation.operationId).filter((id) => !walked.has(id))).toEqual([])
  expect(answering.length).toBeGreaterThan(40)
})
