import { bundleStates, bytesOf, storeBytes } from '../../models/bundles.ts'
import { downloadBytesOf } from '../../models/install/download-size.ts'
import { allModels, type Bundle, type Licence, modelOf } from '../../models/manifest.ts'
import { findRuntime } from '../../models/runtime.ts'
import { installedModel, isShipped } from '../../models/store/installed.ts'
import { storeFolder } from '../../models/store/store-folder.ts'
import { toolsOf } from '../../tool/bundles.ts'
import { readableSize } from '../../wording.ts'
import type { Io } from '../output/io.ts'
import { table } from '../output/text.ts'

/** A short description of a licence. */
export const licenceWords = ({ name, commercial }: Licence): string =>
  commercial === true ? name : `${name} (${commercial === 'care' ? 'read the note' : 'non-commercial'})`

const tiersOf = (bundle: Bundle, id: string): string =>
  (['light', 'standard', 'onDemand'] as const).filter((tier) => bundle[tier].includes(id)).join(', ')

async function asData(): Promise<object> {
  const store = storeFolder()
  const models = await Promise.all(
    allModels().map(async (model) => ({
      id: model.id,
      role: model.role,
      licence: model.licence,
      bytes: bytesOf([model.id]),
      shipped: isShipped(model),
      installed: (await installedModel(model.id, store)) !== undefined,
    })),
  )
  const bundles = (await bundleStates(store)).map(({ bundle, ...state }) => ({
    ...bundle,
    ...state,
    tools: toolsOf(bundle.id).map(({ section, id }) => `${section}/${id}`),
  }))
  return { store, bytes: await storeBytes(store), runtime: (await findRuntime(store)) ?? null, bundles, models }
}

async function modelTable(bundle: Bundle): Promise<string> {
  const ids = [...new Set([...bundle.light, ...bundle.standard, ...bundle.onDemand])]
  const rows = await Promise.all(
    ids.map(async (id) => {
      const model = modelOf(id)
      const state = isShipped(model) ? 'comes along' : (await installedModel(id)) ? 'installed' : '-'
      return [id, state, readableSize(bytesOf([id])), tiersOf(bundle, id), licenceWords(model.licence), model.role]
    }),
  )
  return table(['MODEL', 'STATE', 'SIZE', 'TIERS', 'LICENCE', 'WHAT FOR'], rows)
}

/** `mediaproc models list [BUNDLE…] [--json]` */
export async function listModels(io: Io, bundles: readonly Bundle[], json: boolean): Promise<void> {
  if (json) return io.out(`${JSON.stringify(await asData(), null, 2)}\n`)
  for (const bundle of bundles) io.out(await modelTable(bundle))
  if (bundles.length > 0) return
  const store = storeFolder()
  const states = await bundleStates(store)
  const rows = states.map(({ bundle, installed, tier, installedBytes }) => [
    bundle.id,
    installed ? (tier ?? 'a part') : 'no',
    readableSize(installedBytes),
    readableSize(downloadBytesOf(bundle.light)),
    readableSize(downloadBytesOf(bundle.standard)),
    toolsOf(bundle.id)
      .map(({ id }) => id)
      .join(', ') || '-',
  ])
  io.out(table(['BUNDLE', 'INSTALLED', 'TAKES', 'LIGHT', 'STANDARD', 'TOOLS'], rows))
  const runtime = await findRuntime(store)
  const where = runtime
    ? `onnxruntime ${runtime.version} in ${runtime.folder}`
    : 'onnxruntime comes with the first bundle'
  io.out(`\n${readableSize(await storeBytes(store))} in ${store}; ${where}\n`)
}
