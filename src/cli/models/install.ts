import { bytesOf } from '../../models/bundles.ts'
import { delicate, type InstallPlan, install, planInstall, type Requirement } from '../../models/install/install.ts'
import { storeFolder } from '../../models/store/store-folder.ts'
import { readableSize } from '../../wording.ts'
import type { Io } from '../output/io.ts'
import { table } from '../output/text.ts'
import { withSignals } from '../signals.ts'
import { licenceWords } from './list.ts'
import { fetchProgress } from './progress.ts'

interface Wanted {
  acceptLicence: boolean
  dryRun: boolean
  json: boolean
  quiet: boolean
}

const asData = ({ missing, bytes, keptBytes }: InstallPlan, installed: boolean): object => ({
  installed,
  downloadBytes: bytes,
  installedBytes: keptBytes,
  models: missing.map(({ id, licence, files }) => ({
    id,
    licence,
    files: files.map(({ name, bytes: size, sha256 }) => ({ name, bytes: size, sha256 })),
  })),
})

/** The planned downloads and their licences. */
function describe(io: Io, plan: InstallPlan): void {
  const rows = plan.missing.map(({ id, licence, role }) => [
    id,
    readableSize(bytesOf([id])),
    licenceWords(licence),
    role,
  ])
  io.err(table(['MODEL', 'SIZE', 'LICENCE', 'WHAT FOR'], rows))
  for (const { id, licence } of delicate(plan))
    io.err(`\n${id}: ${licence.name}${licence.note ? `; ${licence.note}` : ''}\n`)
  io.err(`\n${readableSize(plan.bytes)} to fetch, ${readableSize(plan.keptBytes)} on the disk\n`)
}

/** Prompts on a terminal; elsewhere only --accept-licence accepts. */
async function isAccepted(io: Io, plan: InstallPlan, given: boolean): Promise<boolean> {
  if (given || delicate(plan).length === 0 || !io.stdinIsTerminal || !io.stderrIsTerminal) return given
  const { confirm } = await import('@inquirer/prompts')
  return confirm({ message: 'Accept these licences?', default: false })
}

/** `mediaproc models install NAME…` */
export async function installModels(io: Io, requirements: readonly Requirement[], wanted: Wanted): Promise<void> {
  const store = storeFolder()
  const plan = await planInstall(requirements, store)
  if (plan.missing.length > 0 && !wanted.quiet) describe(io, plan)
  if (wanted.dryRun) {
    if (wanted.json) io.out(`${JSON.stringify(asData(plan, false), null, 2)}\n`)
    return
  }
  const acceptLicence = await isAccepted(io, plan, wanted.acceptLicence)
  const done = await withSignals(io, async (signal) => {
    const progress = await fetchProgress(io, wanted.quiet)
    try {
      return await install(requirements, store, {
        ...{ signal, acceptLicence },
        onProgress: progress.show,
        onWait: (pid) => progress.say(`waiting for process ${pid}, which is changing the models`),
      })
    } finally {
      progress.stop()
    }
  })
  if (wanted.json) io.out(`${JSON.stringify(asData(done, true), null, 2)}\n`)
  else if (done.missing.length === 0) io.out('Everything is installed already\n')
  else for (const { id } of done.missing) io.out(`${id}\n`)
}
