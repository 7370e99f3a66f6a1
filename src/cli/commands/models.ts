import { EXIT, type ExitCode, MediaprocError } from '../../errors.ts'
import { firstOf } from '../../lists.ts'
import { findBundle, findModel } from '../../models/manifest.ts'
import type { Removal } from '../../models/store/remove.ts'
import { storeFolder } from '../../models/store/store-folder.ts'
import type { SettingsOf } from '../../tool/settings.ts'
import { parseOwnOptions } from '../input/own-options.ts'
import { MODELS_OPTIONS, MODELS_SETTINGS } from '../models/options.ts'
import type { Io } from '../output/io.ts'
import { withSignals } from '../signals.ts'

interface Values extends SettingsOf<typeof MODELS_SETTINGS> {
  output: string | undefined
  dryRun: boolean
  json: boolean
  quiet: boolean
}
type Act = (io: Io, names: readonly string[], values: Values) => Promise<ExitCode>

const usage = (message: string): MediaprocError =>
  new MediaprocError('USAGE', message, { hint: 'mediaproc models --help shows how it is used.' })

const onWait =
  (io: Io) =>
  (pid: number): void =>
    io.err(`mediaproc: waiting for process ${pid}, which is changing the models\n`)

const list: Act = async (io, names, { json }) => {
  const { listModels } = await import('../models/list.ts')
  const bundles = names.map((name) => {
    const bundle = findBundle(name)
    if (!bundle) throw usage(`There is no bundle ${name}`)
    return bundle
  })
  await listModels(io, bundles, json)
  return EXIT.ok
}

const install: Act = async (io, names, values) => {
  const [{ requirementsFor }, { installModels }] = await Promise.all([
    import('../../tool/bundles.ts'),
    import('../models/install.ts'),
  ])
  if (names.length === 0) throw usage('Expected a bundle, a tool or a model to install')
  const requirements = names.flatMap((name) => requirementsFor(name, values.tier))
  await installModels(io, requirements, values)
  return EXIT.ok
}

const remove: Act = async (io, names, { all, json }) => {
  const [{ remove: removeSome, removeAll }, { requirementsFor }] = await Promise.all([
    import('../../models/store/remove.ts'),
    import('../../tool/bundles.ts'),
  ])
  if ((names.length === 0) !== all) throw usage('Expected what to remove, or --all')
  const removals = names
    .flatMap((name) => requirementsFor(name, 'light'))
    .flatMap(({ bundle, models }): Removal[] =>
      bundle === undefined ? models.map((model) => ({ model })) : [{ bundle }],
    )
  await withSignals(io, async (signal) => {
    const turn = { signal, onWait: onWait(io) }
    if (all) await removeAll(storeFolder(), turn)
    else await removeSome(removals, storeFolder(), turn)
  })
  if (json) io.out(`${JSON.stringify({ removed: all ? 'all' : removals })}\n`)
  return EXIT.ok
}

const verify: Act = async (io, _names, { json, quiet }) => {
  const { verify: verifyStore } = await import('../../models/store/verify.ts')
  const findings = await withSignals(io, (signal) =>
    verifyStore(storeFolder(), { signal, onWait: onWait(io) }, (id) => {
      if (!quiet && io.stderrIsTerminal) io.err(`reading ${id}\n`)
    }),
  )
  const bad = findings.filter(({ state }) => state !== 'good')
  if (json) io.out(`${JSON.stringify(findings, null, 2)}\n`)
  else for (const { model, file, state } of bad) io.out(`${model}: ${file} is ${state}\n`)
  if (!json && bad.length === 0) io.out(`${findings.length} files are intact\n`)
  if (bad.length > 0) io.err('mediaproc: damaged models are disabled; install them again\n')
  return bad.length > 0 ? EXIT.failed : EXIT.ok
}

const exportBundle: Act = async (io, names, { output, tier, json }) => {
  const [{ exportArchive }, { requirementsFor }] = await Promise.all([
    import('../../models/store/export-archive.ts'),
    import('../../tool/bundles.ts'),
  ])
  if (names.length !== 1 || output === undefined) throw usage('Expected one bundle, tool or model, and --output FILE')
  const [requirement, ...more] = requirementsFor(firstOf(names), tier)
  if (more.length > 0)
    throw usage(
      `${names[0]} needs ${more.length + 1} bundles; export them one by one: ${[requirement!, ...more].map(({ bundle }) => bundle).join(', ')}`,
    )
  const written = await withSignals(io, (signal) => exportArchive(requirement!, output, storeFolder(), signal))
  io.out(json ? `${JSON.stringify(written, null, 2)}\n` : `${output}\n`)
  return EXIT.ok
}

const importBundle: Act = async (io, names, { acceptLicence, json }) => {
  const { importArchive } = await import('../../models/store/import-archive.ts')
  if (names.length !== 1) throw usage('Expected one archive')
  const { list: written, warnings } = await withSignals(io, (signal) =>
    importArchive(firstOf(names), storeFolder(), { signal, acceptLicence, onWait: onWait(io) }),
  )
  for (const warning of warnings) io.err(`mediaproc: warning: ${warning}\n`)
  io.out(
    json
      ? `${JSON.stringify(written, null, 2)}\n`
      : Object.keys(written.models)
          .map((id) => `${id}\n`)
          .join(''),
  )
  return EXIT.ok
}

const path: Act = async (io, names, { json }) => {
  const { installedModel } = await import('../../models/store/installed.ts')
  const found: Record<string, Record<string, string>> = {}
  for (const name of names) {
    const installed = await installedModel(name)
    if (!installed)
      throw new MediaprocError(
        'FEATURE_NOT_INSTALLED',
        `The model ${name} is ${findModel(name) ? 'not installed' : 'unknown'}`,
        {
          hint: findModel(name)
            ? `mediaproc models install ${name}`
            : 'mediaproc models list shows all bundles and models.',
        },
      )
    found[name] = Object.fromEntries(installed.files)
  }
  const places = names.length === 0 ? [storeFolder()] : Object.values(found).flatMap((files) => Object.values(files))
  io.out(
    json
      ? `${JSON.stringify({ store: storeFolder(), models: found })}\n`
      : places.map((place) => `${place}\n`).join(''),
  )
  return EXIT.ok
}

const ACTS: Readonly<Record<string, Act>> = {
  list,
  install,
  remove,
  verify,
  export: exportBundle,
  import: importBundle,
  path,
}

/** `mediaproc models …`: lists, installs, verifies and removes models. */
export async function modelsCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { operands, values, common } = parseOwnOptions('models', args, MODELS_SETTINGS, 1000, MODELS_OPTIONS)
  const [name = 'list', ...names] = operands
  const act = Object.hasOwn(ACTS, name) ? ACTS[name] : undefined
  if (!act) throw usage(`Expected ${Object.keys(ACTS).join(', ')}, got ${name}`)
  const { output, dryRun = false, json = false, quiet = false } = common
  return act(io, names, { ...values, output, dryRun, json, quiet })
}
