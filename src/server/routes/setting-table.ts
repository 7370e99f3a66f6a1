import type { FastifyInstance } from 'fastify'
import { MediaprocError } from '../../errors.ts'
import type { ServerConfig } from '../config.ts'
import type { ServerContext } from '../context.ts'
import { notFound } from '../http/answers.ts'
import { audit } from '../instance/audit.ts'
import { SETTING_GROUPS, SETTING_ROWS } from '../instance/known-settings.ts'
import { READONLY_SETTINGS } from '../instance/settings.ts'
import { operation } from '../openapi/operations.ts'
import { DONE, exactly, listOf, text, the } from '../openapi/shapes.ts'
import { checkSecurity } from './settings.ts'

const HOUR_MS = 3_600_000

/** Values that the environment of the server decides while the setting is not set. */
const FROM_ENVIRONMENT = {
  LOGIN_ATTEMPT_LIMIT: ({ loginAttemptLimit }: ServerConfig) => String(loginAttemptLimit),
  FILE_MAX_AGE_HOURS: ({ resultAgeMs }: ServerConfig) => String(resultAgeMs / HOUR_MS),
  DEFAULT_LOCALE: ({ defaultLocale }: ServerConfig) => defaultLocale,
}

/** The settings with labels, groups, kinds and defaults, and the way back to a default. */
export async function settingTableRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { store, config } = context
  const access = { config: { access: 'settings:write' as const } }
  app.get(
    '/api/v1/admin/settings',
    {
      ...access,
      ...operation('instance', 'All settings of the server with what a form needs', {
        answer: exactly({ groups: listOf(text), settings: listOf(the('InstanceSetting')) }),
      }),
    },
    async () => {
      const stored = await store.settings.all()
      const settings = SETTING_ROWS.flatMap(
        ([name, { kind, variable, isSecurity, group, label, help, unit, ...row }]) => {
          if (group === undefined) return []
          const { value = null, updatedAt = null } = stored[name] ?? {}
          return {
            ...{ name, label, help, group, value, updatedAt, isSecurity: isSecurity === true },
            ...(typeof kind === 'string' ? { kind } : { kind: 'choice', options: kind }),
            ...(unit !== undefined && { unit }),
            default: variable ? FROM_ENVIRONMENT[variable](config) : (row.default ?? null),
          }
        },
      )
      return { groups: SETTING_GROUPS, settings }
    },
  )
  app.delete<{ Params: { key: string } }>(
    '/api/v1/settings/:key',
    { ...access, ...operation('instance', 'Return a setting to its default', { answer: DONE }) },
    async (request) => {
      const { key } = request.params
      if (READONLY_SETTINGS.includes(key)) throw new MediaprocError('READONLY_SETTING', `${key} cannot be changed`)
      checkSecurity(request.caller, [key])
      const wasSet = await store.transaction(async ({ settings }) => {
        const former = await settings.get(key)
        if (former) await settings.remove(key)
        return former !== undefined
      })
      if (!wasSet) throw notFound()
      await audit(context, request, 'SETTINGS_UPDATED', { details: { keys: [key], reset: true } })
      return { ok: true }
    },
  )
}
