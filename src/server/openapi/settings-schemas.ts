import type { CatalogueAction, CatalogueEntry } from '../../tool/catalogue.ts'
import { sentSettings } from '../../tool/from-job.ts'
import { type JsonSchema, tableSchema } from '../../tool/json-schema.ts'
import { catalogue } from '../../tool/registry.ts'

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** The component that describes the settings of a tool or action: `ImageResizeSettings` for image/resize. */
export function settingsName({ section, id }: CatalogueEntry, action?: Pick<CatalogueAction, 'id'>): string {
  const words = [section, id, action?.id ?? ''].flatMap((part) => part.split(/[^A-Za-z0-9]+/))
  return `${words.map(capital).join('')}Settings`
}

/** Reference to a component that is added after Fastify built the document, because Fastify does not resolve it. */
export const component = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

/** The settings of all tools and actions as components. The server ignores unknown settings, so none is forbidden. */
export function settingsSchemas(): Record<string, JsonSchema> {
  return Object.fromEntries(
    catalogue().flatMap((entry) => [
      [settingsName(entry), tableSchema(entry.settings)],
      ...entry.actions.map((action) => [settingsName(entry, action), tableSchema(sentSettings(action))]),
    ]),
  )
}

interface Media {
  schema?: JsonSchema & { properties?: Record<string, JsonSchema> }
  encoding?: Record<string, object>
}

interface Operation {
  requestBody?: { content: Record<string, Media> }
}

/**
 * Links the `settings` part of forms to its component, and declares the part as JSON. The OpenAPI plugin drops the
 * description and examples next to a reference, and does not support `encoding`; both are added to its output.
 */
export function typeSettings(paths: Record<string, Record<string, unknown>>): void {
  for (const item of Object.values(paths))
    for (const { requestBody } of Object.values(item) as Operation[]) {
      const form = requestBody?.content['multipart/form-data']
      const settings = form?.schema?.properties?.settings
      if (!form || !settings || !('x-settings' in settings)) continue
      const { 'x-settings': name, ...words } = settings
      form.schema!.properties!.settings = { ...component(String(name)), ...words }
      form.encoding = { settings: { contentType: 'application/json' } }
    }
}
