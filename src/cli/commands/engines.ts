import { isAvailable, isOwn } from '../../engines/library.ts'
import { allPacks, type Pack, packNamed, packSize } from '../../engines/packs/manifest.ts'
import { enginesFolder, isInstalled, packFolder, removePacks } from '../../engines/packs/store.ts'
import { EXIT, type ExitCode, MediaprocError } from '../../errors.ts'
import { firstOf } from '../../lists.ts'
import { readableSize } from '../../wording.ts'
import { install, withPackProgress } from '../engines/install.ts'
import { ENGINES_OPTIONS, ENGINES_SETTINGS } from '../engines/options.ts'
import { parseOwnOptions } from '../input/own-options.ts'
import type { Io } from '../output/io.ts'
import { table } from '../output/text.ts'
import { withSignals } from '../signals.ts'

interface Values {
  all: boolean
  output: string | undefined
  dryRun: boolean
  json: boolean
  quiet: boolean
}
type Act = (io: Io, names: readonly string[], values: Values) => Promise<void>

const usage = (message: string): MediaprocError =>
  new MediaprocError('USAGE', message, { hint: 'mediaproc engines --help shows how it is used.' })

const data = (pack: Pack): object => ({
  ...{ name: pack.name, purpose: pack.purpose, licence: pack.licence },
  ...{ downloadBytes: packSize([pack]).fetched, installedBytes: packSize([pack]).kept },
  state: isOwn(pack) ? 'node_modules' : isInstalled(pack) ? 'installed' : 'missing',
  ...(isInstalled(pack) && { folder: packFolder(pack) }),
  packages: pack.packages.map(({ name, version, integrity }) => ({ name, version, integrity })),
})

/** The named packs, or all. @throws MediaprocError USAGE for unknown names, and for none without --all */
function chosen(names: readonly string[], { all }: Values, act: string): Pack[] {
  if (all !== (names.length === 0)) throw usage(`Expected the packs to ${act}, or --all`)
  return all ? [...allPacks()] : [...new Set(names)].map(packNamed)
}

const list: Act = async (io, names, { json }) => {
  const packs = names.length > 0 ? names.map(packNamed) : allPacks()
  if (json) return io.out(`${JSON.stringify({ folder: enginesFolder(), packs: packs.map(data) }, null, 2)}\n`)
  const rows = packs.map((pack) => [
    pack.name,
    isOwn(pack) ? 'in node_modules' : isInstalled(pack) ? 'installed' : 'no',
    readableSize(packSize([pack]).fetched),
    readableSize(packSize([pack]).kept),
    pack.licence,
    pack.purpose,
  ])
  io.out(table(['PACK', 'INSTALLED', 'DOWNLOAD', 'ON DISK', 'LICENCE', 'WHAT FOR'], rows))
}

const installSome: Act = async (io, names, values) => {
  const missing = chosen(names, values, 'install').filter((pack) => !isAvailable(pack))
  const { json, quiet } = values
  if (missing.length > 0 && !quiet) {
    const { fetched, kept } = packSize(missing)
    io.err(`mediaproc: ${readableSize(fetched)} to fetch, ${readableSize(kept)} on the disk\n`)
  }
  if (!values.dryRun) await withSignals(io, (signal) => install(io, missing, quiet, signal))
  if (json) io.out(`${JSON.stringify({ installed: !values.dryRun, packs: missing.map(data) }, null, 2)}\n`)
  else
    io.out(missing.length === 0 ? 'Everything is installed already\n' : missing.map(({ name }) => `${name}\n`).join(''))
}

const remove: Act = async (io, names, values) => {
  const packs = chosen(names, values, 'remove')
  for (const pack of values.all ? [] : packs)
    if (!isInstalled(pack)) throw new MediaprocError('CONFLICT', `The engine pack ${pack.name} is not installed`)
  const removed = packs.map(({ name }) => name)
  await withSignals(io, (signal) => removePacks(removed, enginesFolder(), { signal }, values.all))
  if (values.json) io.out(`${JSON.stringify({ removed })}\n`)
}

const exportSome: Act = async (io, names, values) => {
  const { output, json, quiet } = values
  if (output === undefined) throw usage('Expected --output FILE')
  const packs = chosen(names, values, 'export')
  const { exportPacks } = await import('../../engines/packs/archive.ts')
  await withSignals(io, (signal) =>
    withPackProgress(io, quiet, signal, (options) => exportPacks(packs, output, enginesFolder(), options)),
  )
  io.out(json ? `${JSON.stringify({ output, packs: packs.map(data) }, null, 2)}\n` : `${output}\n`)
}

const importSome: Act = async (io, names, { json, quiet }) => {
  if (names.length !== 1) throw usage('Expected one archive')
  const { importPacks } = await import('../../engines/packs/archive.ts')
  const packs = await withSignals(io, (signal) =>
    withPackProgress(io, quiet, signal, (options) => importPacks(firstOf(names), enginesFolder(), options)),
  )
  io.out(
    json ? `${JSON.stringify({ packs: packs.map(data) }, null, 2)}\n` : packs.map(({ name }) => `${name}\n`).join(''),
  )
}

const ACTS: Readonly<Record<string, Act>> = {
  list,
  install: installSome,
  remove,
  export: exportSome,
  import: importSome,
}

/** `mediaproc engines …`: lists, installs and removes engine packs. */
export async function enginesCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { operands, values, common } = parseOwnOptions('engines', args, ENGINES_SETTINGS, 1000, ENGINES_OPTIONS)
  const [name = 'list', ...names] = operands
  const act = Object.hasOwn(ACTS, name) ? ACTS[name] : undefined
  if (!act) throw usage(`Expected ${Object.keys(ACTS).join(', ')}, got ${name}`)
  const { output, dryRun = false, json = false, quiet = false } = common
  await act(io, names, { ...values, output, dryRun, json, quiet })
  return EXIT.ok
}
