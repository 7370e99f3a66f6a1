import { EXIT, type ExitCode, MediaprocError } from '../../errors.ts'
import type { StoreMigration } from '../../server/instance/migrate.ts'
import { readableSize } from '../../wording.ts'
import { parseOwnOptions } from '../input/own-options.ts'
import { STORE_OPTIONS } from '../input/server-options.ts'
import { fetchProgress } from '../models/progress.ts'
import type { Io } from '../output/io.ts'
import { table } from '../output/text.ts'
import { withSignals } from '../signals.ts'

function countsTable({ counts }: StoreMigration): string {
  const rows = counts
    .filter(({ records }) => records > 0)
    .map(({ kind, records, files, bytes }) => [
      kind,
      String(records),
      files > 0 ? String(files) : '',
      files > 0 ? readableSize(bytes) : '',
    ])
  return table(['KIND', 'RECORDS', 'FILES', 'SIZE'], rows)
}

function report(io: Io, result: StoreMigration, isJson: boolean, isQuiet: boolean): void {
  for (const warning of result.warnings) io.err(`mediaproc: warning: ${warning}\n`)
  if (isJson) io.out(`${JSON.stringify(result, null, 2)}\n`)
  else io.out(`${countsTable(result)}Hash of the last entry of the audit log: ${result.audit.head}\n`)
  if (isQuiet) return
  if (result.to === undefined) io.err(`mediaproc: dry run: nothing was copied from ${result.from}\n`)
  else io.err(`mediaproc: ${result.to} has everything of ${result.from}, which was not changed\n`)
}

/** `mediaproc store migrate FROM TO`: copies the data of a server that is not running to another place, and compares both. */
export async function storeCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { operands, common } = parseOwnOptions('store', args, {}, 3, STORE_OPTIONS)
  const [action, from, to] = operands
  if (action !== 'migrate' || from === undefined || to === undefined)
    throw new MediaprocError('USAGE', 'Expected migrate FROM TO', {
      hint: 'mediaproc store --help shows how it is used.',
    })
  const { configOf, migrateStore } = await import('../../server/instance/migrate.ts')
  const [isQuiet, isJson] = [common.quiet === true, common.json === true]
  const progress = await fetchProgress(io, isQuiet)
  const result = await withSignals(io, (signal) =>
    migrateStore(configOf(from), configOf(to), {
      signal,
      isDryRun: common.dryRun === true,
      onWarning: (message) => progress.say(`warning: ${message}`),
      onProgress: (done, total, phase) => progress.show(done, total, phase),
    }),
  ).finally(() => progress.stop())
  report(io, result, isJson, isQuiet)
  return common.strict === true && result.warnings.length > 0 ? EXIT.failed : EXIT.ok
}
