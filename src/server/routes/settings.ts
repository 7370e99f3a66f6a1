import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../accounts/caller.ts'
import { MediaprocError } from '../../errors.ts'
import type { ServerContext } from '../context.ts'
import { invalid, notFound } from '../http/answers.ts'
import { allowsAddress } from '../http/ip-allow-list.ts'
import { UNCHECKED } from '../http/route-options.ts'
import { audit, changesOf } from '../instance/audit.ts'
import { describeSetting, KNOWN_SETTINGS, SETTING_ROWS } from '../instance/known-settings.ts'
import { fitsSetting, isSecretSetting, isSecuritySetting, MASK, READONLY_SETTINGS } from '../instance/settings.ts'
import { operation } from '../openapi/operations.ts'
import { count, DONE, exactly, flag, listOf, moment, text } from '../openapi/shapes.ts'
import { lockOutWarnings } from '../sign-in/lockout.ts'
import { endPasswordSessions } from '../sign-in/sso.ts'

/** Longest preferences of one user, as JSON in characters: the preferences of all users share one file. */
const MAX_PREFERENCES = 65_536
/** Longest name and value of a setting, and most settings that only clients use. */
const MAX_NAME = 100
const MAX_VALUE = 65_536
const MAX_UNKNOWN = 100

/** Whether a text contains a tag: its start, and its end anywhere after that. Each is searched once. */
function holdsTag(text: string): boolean {
  const begin = text.search(/<[a-z!/]/i)
  return begin >= 0 && text.lastIndexOf('>') > begin + 1
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function checkUnknown(keys: readonly string[]): void {
  const unknown = keys.filter((key) => !Object.hasOwn(KNOWN_SETTINGS, key) && !READONLY_SETTINGS.includes(key))
  if (unknown.length > MAX_UNKNOWN)
    throw invalid(`At most ${MAX_UNKNOWN} settings are kept that the server does not know`)
}

/** Converts all values of a request to text, or returns the first error: either all or none are written. */
function checkedValues(body: unknown): [string, string][] {
  if (!isObject(body)) throw invalid('Expected a JSON object of settings')
  checkUnknown(Object.keys(body))
  return Object.entries(body).map(([key, value]) => {
    if (READONLY_SETTINGS.includes(key)) throw new MediaprocError('READONLY_SETTING', `${key} cannot be changed`)
    const text = asText(value)
    if (key.length > MAX_NAME || text.length > MAX_VALUE)
      throw invalid(`${key.slice(0, MAX_NAME)}: names have at most ${MAX_NAME} characters, values ${MAX_VALUE}`)
    if (holdsTag(key) || holdsTag(text)) throw invalid(`${key.replaceAll('<', '')}: HTML is not taken`)
    if (!fitsSetting(key, text)) throw invalid(`${key}: this value does not fit the setting`)
    return [key, text]
  })
}

/** @throws FORBIDDEN with the names of the settings that the caller may not change; nothing is changed in that case */
export function checkSecurity({ permissions }: Caller, keys: readonly string[]): void {
  const refused = keys.filter(isSecuritySetting)
  if (refused.length === 0 || permissions.has('security:manage')) return
  throw new MediaprocError('FORBIDDEN', `This needs the permission security:manage: ${refused.join(', ')}`, {
    hint: 'An administrator can change these; nothing was changed.',
    fields: { keys: refused },
  })
}

const described = SETTING_ROWS.map(describeSetting)

/** Settings of the server, and preferences of each user. */
export async function settingsRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { store, accounts } = context
  const read = { config: { access: 'settings:read' as const } }
  const ANY_OBJECT = { type: 'object', additionalProperties: true }
  app.get(
    '/api/v1/settings',
    {
      ...read,
      ...operation('instance', 'All settings, as text', {
        answer: exactly({ settings: { type: 'object', additionalProperties: text } }),
      }),
    },
    async ({ caller }) => {
      const seesSecrets = caller.permissions.has('settings:write')
      const shown = Object.entries(await store.settings.all()).filter(
        ([key]) => !READONLY_SETTINGS.includes(key) && (seesSecrets || !isSecretSetting(key)),
      )
      return {
        settings: Object.fromEntries(shown.map(([key, { value }]) => [key, isSecretSetting(key) ? MASK : value])),
      }
    },
  )
  app.put(
    '/api/v1/settings',
    {
      config: { access: 'settings:write' },
      ...operation('instance', 'Change settings; all or nothing', {
        body: { ...ANY_OBJECT, examples: [{ defaultLocale: 'en' }] },
        description: described.join('\n'),
        answer: exactly({ ok: flag, updatedCount: count, warnings: listOf(text) }, ['warnings']),
      }),
      // A body that is not an object gets this route's own message.
      ...UNCHECKED,
    },
    async (request) => {
      const values = checkedValues(request.body)
      checkSecurity(
        request.caller,
        values.map(([key]) => key),
      )
      const allowList = values.find(([key]) => key === 'ipAllowList')?.[1]
      if (allowList !== undefined && !allowsAddress(allowList, request.ip))
        throw invalid(`ipAllowList: your own address ${request.ip} is not in it`)
      const updatedAt = new Date().toISOString()
      const former = await store.transaction(async ({ settings }) => {
        const before = await settings.all()
        for (const [key, value] of values) {
          if (!isSecretSetting(key)) await settings.set(key, { value, updatedAt })
          else if (value !== MASK)
            await settings.set(key, { value: accounts.vault.seal(value, `setting ${key}`), isSealed: true, updatedAt })
        }
        checkUnknown(Object.keys(await settings.all()))
        return before
      })
      const changed = Object.fromEntries(values)
      const keys = values.map(([key]) => key)
      // Values under the clients' own names may be anything.
      const shown = keys.filter((key) => Object.hasOwn(KNOWN_SETTINGS, key))
      const formerValues = Object.fromEntries(shown.map((key) => [key, former[key]?.value]))
      await audit(context, request, 'SETTINGS_UPDATED', {
        details: { keys, ...changesOf(formerValues, changed, shown) },
      })
      if (changed.ssoEnforcement === 'true') await endPasswordSessions(context, request.caller.sessionId)
      const warnings = await lockOutWarnings(context, changed)
      return { ok: true, updatedCount: values.length, ...(warnings.length > 0 && { warnings }) }
    },
  )
  app.get<{ Params: { key: string } }>(
    '/api/v1/settings/:key',
    {
      ...read,
      ...operation('instance', 'One setting', { answer: exactly({ key: text, value: text, updatedAt: moment }) }),
    },
    async ({ params: { key } }) => {
      if (READONLY_SETTINGS.includes(key) || isSecretSetting(key))
        throw new MediaprocError('FORBIDDEN', 'This setting is secret')
      const setting = await store.settings.get(key)
      if (!setting) throw notFound()
      return { key, value: setting.value, updatedAt: setting.updatedAt }
    },
  )
  const own = { config: { access: 'auth' as const } }
  app.get(
    '/api/v1/preferences',
    { ...own, ...operation('account', "The caller's preferences", { answer: exactly({ preferences: ANY_OBJECT }) }) },
    async ({ caller }) => ({ preferences: await store.preferences.of(caller.userId) }),
  )
  app.put(
    '/api/v1/preferences',
    {
      ...own,
      ...operation('account', "Add to the caller's preferences", {
        body: { ...ANY_OBJECT, examples: [{ theme: 'dark' }] },
        answer: DONE,
      }),
    },
    async ({ caller, body }) => {
      await store.transaction(async ({ preferences }) => {
        const merged = { ...(await preferences.of(caller.userId)), ...(body as Record<string, unknown>) }
        if (JSON.stringify(merged).length > MAX_PREFERENCES)
          throw invalid(`The preferences are longer than ${MAX_PREFERENCES} characters`)
        await preferences.set(caller.userId, merged)
      })
      return { ok: true }
    },
  )
}
