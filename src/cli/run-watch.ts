import { EXIT, type ExitCode, MediaprocError } from '../errors.ts'
import { abandonedWork } from '../job/run.ts'
import { OutputClaims } from '../local/conflicts.ts'
import type { InputItem } from '../local/inputs.ts'
import { patternFolder } from '../local/pipeline-outputs.ts'
import { planPipelineRun } from '../local/pipeline-run.ts'
import type { PlannedRun } from '../local/planned-run.ts'
import { physicalFolder } from '../local/records/record-store.ts'
import { planToolRun } from '../local/tool-run.ts'
import { isBelow, type WatchRoot, watchRoots } from '../local/watch/roots.ts'
import { WatchSession } from '../local/watch/watch.ts'
import { printableName } from '../media/file.ts'
import { Isolation } from '../pipeline/isolate/isolation.ts'
import type { PipelinePlan } from '../pipeline/plan/plan.ts'
import type { OpenRemote } from '../remote/open.ts'
import type { InputSpec } from '../tool/contract.ts'
import { usesPlaceholder } from '../tool/names/template.ts'
import type { CheckedTool } from './checked-tool.ts'
import { offerPack } from './engines/offer.ts'
import { withPacks } from './engines/with-packs.ts'
import type { CommandOptions } from './input/effective-options.ts'
import { dimensionsOf } from './output/dimensions.ts'
import type { Io } from './output/io.ts'
import { printOutcome, summaryLine, totalsLine } from './output/output-lines.ts'
import { exitCodeOf } from './output/record.ts'
import { resultLines } from './output/result-lines.ts'
import { RunTotals } from './output/run-totals.ts'
import { remoteFor } from './remote/server.ts'
import { endProcess, withSignals } from './signals.ts'

/** What a watch does with each file. */
export type WatchedWork =
  | { kind: 'tool'; tool: CheckedTool }
  | { kind: 'pipeline'; plan: PipelinePlan; name: string | undefined }

/** The options of `mediaproc watch` itself. */
export interface WatchOptions {
  settleMs: number
  pollMs: number | undefined
  done: string | undefined
  failed: string | undefined
  once: boolean
}

const nameOf = (work: WatchedWork): string =>
  work.kind === 'tool' ? `${work.tool.found.entry.section}/${work.tool.found.entry.id}` : `pipeline/${work.plan.name}`

/** The pattern of output names, and the folder that outputs are written to, if there is one. */
function outputsOf(work: WatchedWork, { outputDir, name }: CommandOptions): { pattern?: string; folder?: string } {
  const pattern = (work.kind === 'pipeline' ? (work.name ?? work.plan.output) : undefined) ?? name
  const folder = outputDir ?? (work.kind === 'pipeline' ? patternFolder(pattern) : undefined)
  return { ...(pattern !== undefined && { pattern }), ...(folder !== undefined && { folder }) }
}

/** @throws MediaprocError USAGE, TOO_FEW_FILES for work that does not take one file */
function checkWork(work: WatchedWork, input: InputSpec, pattern: string | undefined): void {
  if (input.files === 'none')
    throw new MediaprocError('USAGE', `${nameOf(work)} takes no input file, so there is nothing to watch`)
  if (input.min > 1)
    throw new MediaprocError(
      'TOO_FEW_FILES',
      `${nameOf(work)} needs ${input.min} files, and watch processes each file alone`,
      {
        hint: 'Watch with a tool that takes one file.',
      },
    )
  if (usesPlaceholder(pattern, 'index'))
    throw new MediaprocError('USAGE', 'A watch does not number its inputs, so {index} has no value in output names', {
      hint: "Use {stem}, such as --name '{stem}_{tool}.{ext}'.",
    })
}

/** @throws MediaprocError USAGE if originals would be moved to where they are watched */
async function checkHotFolders(roots: readonly WatchRoot[], options: WatchOptions): Promise<void> {
  for (const name of ['done', 'failed'] as const) {
    const folder = options[name]
    if (folder === undefined) continue
    const real = physicalFolder(folder)
    const root = roots.find((one) => one.real === real || isBelow(one.real, real))
    if (root)
      throw new MediaprocError(
        'USAGE',
        `--${name} ${printableName(folder)} contains the watched folder ${printableName(root.given)}`,
        { hint: 'Name a folder next to or inside the watched one.' },
      )
  }
}

interface Session {
  isolation: Isolation
  shared: { claims: OutputClaims; likelyClaims: OutputClaims }
  signal: AbortSignal
  /** Runs the jobs on a server. */
  remote: OpenRemote | undefined
}

/** The run of one file, with the options of the whole watch. */
function planFor(
  work: WatchedWork,
  item: InputItem,
  given: CommandOptions,
  { isolation, shared, signal, remote }: Session,
): Promise<PlannedRun> {
  // Up-to-date files are skipped, so that a restart processes only the others.
  const options = { ...given, ...(given.newer === undefined && !given.force && { newer: 'time' as const }) }
  const common = { inputs: [item.given], isolation, shared, signal, remote }
  if (work.kind === 'tool') {
    const { found, settings, parsed } = work.tool
    return planToolRun({ ...common, found, settings, secondary: parsed.secondary, options, items: [item] })
  }
  const { plan, name } = work
  const hasFolders = usesPlaceholder(name ?? plan.output ?? given.name, 'dir')
  const items = [hasFolders ? { ...item, subfolder: '' } : item]
  return planPipelineRun({ ...common, plan, items, options: { ...options, name }, defaultName: given.name })
}

/** A run that reports problems of settings and options before anything is watched; its file does not exist. */
async function checkPlan(plan: (item: InputItem) => Promise<PlannedRun>, root: WatchRoot): Promise<PlannedRun> {
  const path = `${root.real}/.mediaproc-check`
  const run = await plan({ given: path, kind: 'file', path, subfolder: '' })
  run.prepare?.()
  return run
}

/** Installs each missing engine pack once, if that is allowed. A watch never asks: nobody may be at the terminal. */
function packInstaller(
  { installEngines, quiet }: CommandOptions,
  io: Io,
  signal: AbortSignal,
): (pack: string) => Promise<boolean> {
  const requested = new Map<string, Promise<boolean>>()
  return (pack) => {
    const known =
      requested.get(pack) ??
      offerPack({ ...io, stdinIsTerminal: false }, pack, { installEngines, quiet, signal, onPause: () => {} })
    requested.set(pack, known)
    return known
  }
}

/** Watches folders and prints outcomes, until a signal or with `once` until the present files are processed. */
export async function runWatch(
  work: WatchedWork,
  operands: readonly string[],
  options: CommandOptions,
  watch: WatchOptions,
  io: Io,
): Promise<ExitCode> {
  const { quiet, json } = options
  const input = work.kind === 'tool' ? work.tool.found.entry.input : work.plan.input
  const { pattern, folder } = outputsOf(work, options)
  checkWork(work, input, pattern)
  const { done, failed, once, settleMs, pollMs } = watch
  const roots = await watchRoots(
    operands,
    [folder, done, failed].flatMap((one) => one ?? []),
  )
  await checkHotFolders(roots, watch)
  const note = (text: string): void => {
    if (!quiet) io.err(`mediaproc: ${text}\n`)
  }
  if (work.kind === 'tool') for (const line of work.tool.deprecated) note(line)
  const totals = new RunTotals()
  const isolation = new Isolation()
  const remote = await remoteFor(options, io)
  const code = await withSignals(io, async (signal) => {
    const shared = { claims: new OutputClaims(), likelyClaims: new OutputClaims() }
    const packs = packInstaller(options, io, signal)
    const plan = async (item: InputItem): Promise<PlannedRun> =>
      withPacks(await planFor(work, item, options, { isolation, shared, signal, remote }), packs)
    const checked = await checkPlan(plan, roots[0])
    const results = await resultLines(io, options, Number.POSITIVE_INFINITY)
    const session = new WatchSession({
      roots,
      name: nameOf(work),
      input,
      plan,
      concurrency: options.jobs ?? checked.concurrency,
      settleMs,
      ...(pollMs !== undefined && { pollMs }),
      once,
      hotFolders: { ...(done !== undefined && { done }), ...(failed !== undefined && { failed }) },
      listener: {
        onReady: () => {
          if (!once) note(`watching ${roots.map(({ given }) => printableName(given)).join(', ')}; Ctrl-C ends it`)
        },
        async onOutcome(outcome, moved) {
          totals.add(outcome)
          const dimensions = results && outcome.ok ? await dimensionsOf(outcome.outputs, signal) : undefined
          printOutcome(io, outcome, options, Number.POSITIVE_INFINITY, { results, dimensions, moved })
        },
        onNote: note,
      },
      signal,
    })
    try {
      await session.run()
    } finally {
      await checked.close()
    }
    if (!once) return EXIT.ok
    if (totals.jobs > 1 && !json)
      for (const line of [summaryLine(totals, totals.jobs), totalsLine(totals)]) if (line !== undefined) note(line)
    return exitCodeOf(totals, signal.aborted)
  }).finally(async () => {
    await remote?.close()
    await isolation.close()
  })
  // A normal exit waits for threads inside libraries, whose aborted work may take minutes.
  return code === EXIT.ok && abandonedWork() ? endProcess(code) : code
}
