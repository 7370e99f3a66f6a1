import type { FastifyInstance } from 'fastify'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import { labelOf, type Setting, type SettingsTable } from '../../tool/settings.ts'
import { toolLabel } from '../../tool/tool-label.ts'
import type { ServerContext } from '../context.ts'
import { missingBundles } from '../features/gate.ts'
import { notFound } from '../http/answers.ts'
import { operation } from '../openapi/operations.ts'
import { the } from '../openapi/shapes.ts'
import { usableTools } from './tool-list.ts'

/** What a form needs of a row. Aliases are for the command line. */
function shownRow([name, row]: [string, Setting]): object {
  const { aliases: _, valueAliases: _values, short: _short, grows: _grows, items, fields, ...facts } = row
  return {
    name,
    ...facts,
    label: labelOf(name, row),
    ...(items && { items: shownRow(['', items]) }),
    ...(fields && { fields: shownRows(fields) }),
  }
}

const shownRows = (table: SettingsTable): object[] => Object.entries(table).map(shownRow)

/** Files that a request sends under names of their own: `mask`, `watermark`. */
function secondaryFiles({ input }: CatalogueEntry): object[] {
  return Object.entries(input.secondary ?? {}).map(([name, { what, accept, required, requiredFor }]) => ({
    ...{ name, label: labelOf(name, {}), help: what, accept, required },
    ...(requiredFor && { requiredFor }),
  }))
}

/** One tool with its form, as data: the rows are those of its settings table, in the same order. */
export async function toolDetailRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  app.get<{ Params: { section: string; toolId: string } }>(
    '/api/v1/tools/:section/:toolId',
    {
      config: { access: 'auth' },
      ...operation('instance', 'A tool or preset with its settings, for a form', { answer: the('ToolForm') }),
    },
    async ({ caller, params }) => {
      const usable = await usableTools(context, caller)
      const found = usable.find(({ section, id }) => section === params.section && id === params.toolId)
      if (!found) throw notFound()
      const { id, section, summary, input, output, settings, batch, async, bundles, body, base, overHttp } = found
      const missing = await missingBundles(found, context.config.modelsFolder)
      return {
        ...{ id, section, label: toolLabel(found), summary, batch, async, bundles, body },
        available: missing.length === 0,
        // Some tools have no route of their own: they work in several requests.
        direct: overHttp !== false,
        ...(base !== undefined && { base }),
        inputs: { accept: input.accept, minFiles: input.min, maxFiles: input.max, files: secondaryFiles(found) },
        outputs: { kind: output.kind },
        scalable: found.scalable === true,
        settings: shownRows(settings),
        actions: found.actions.map((action) => ({ id: action.id, summary: action.summary })),
      }
    },
  )
}
