import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { planSteps } from '../../pipeline/plan/plan-steps.ts'
import type { OutputOptions } from '../destination.ts'
import { type InputItem, namedInput } from '../inputs.ts'
import { planPipelineRun } from '../pipeline-run.ts'
import { type JobOutcome, runAll } from '../planned-run.ts'
import { combinedSteps } from './combine-fixes.ts'
import type { CheckedFile, FixStep } from './finding.ts'
import type { Rule } from './rule.ts'
import { runCheck } from './run-check.ts'

export interface FixRequest {
  /** The results of the check, in the order of `items`; they are updated. */
  files: readonly CheckedFile[]
  items: readonly InputItem[]
  rules: readonly Rule[]
  options: OutputOptions & { timeout?: number; jobs?: number }
  signal: AbortSignal
}

/** The default pattern of the names of fixed files. */
const FIXED_NAME = '{stem}_fixed.{ext}'

interface Fixable {
  file: CheckedFile
  item: InputItem
}

/** Files with equal steps, which one run processes. */
function groupsOf({ files, items }: FixRequest): { steps: FixStep[]; members: Fixable[] }[] {
  const groups = new Map<string, { steps: FixStep[]; members: Fixable[] }>()
  for (const [index, file] of files.entries()) {
    const steps = combinedSteps(file.findings)
    const item = items[index]
    if (steps.length === 0 || !item) continue
    const key = JSON.stringify(steps)
    const group = groups.get(key) ?? { steps, members: [] }
    group.members.push({ file, item })
    groups.set(key, group)
  }
  return [...groups.values()]
}

/** Runs the steps on each file. @throws MediaprocError for problems with the run as a whole */
async function runSteps(steps: readonly FixStep[], members: readonly Fixable[], request: FixRequest) {
  const { options, signal } = request
  const { plan, diagnostics } = await planSteps({ name: 'fixed', steps }, { name: 'fixed', folder: '.' })
  if (!plan)
    throw new MediaprocError('INVALID_SETTINGS', diagnostics.map(({ message }) => message).join('; '), { hint: '' })
  const run = await planPipelineRun({
    plan,
    inputs: [],
    items: members.map(({ item }) => item),
    options: { ...options, name: options.name ?? FIXED_NAME },
    signal,
  })
  const outcomes: JobOutcome[] = []
  try {
    await runAll(
      run,
      { ...(options.jobs !== undefined && { jobs: options.jobs }), signal },
      { onProgress() {}, onEnd() {}, onOutcome: (outcome) => void outcomes.push(outcome) },
    )
  } finally {
    await run.close()
  }
  return outcomes
}

/**
 * Writes a fixed copy of every file that has findings with automatic fixes, checks the copies with the rules of their
 * originals, and updates the results. The originals are not changed.
 */
export async function applyFixes(request: FixRequest): Promise<void> {
  const { rules, signal, options } = request
  const copies = new Map<InputItem, CheckedFile>()
  for (const { steps, members } of groupsOf(request)) {
    if (signal.aborted) return
    const outcomes = await runSteps(steps, members, request).catch((error: unknown) => toMediaprocError(error))
    for (const [index, { file }] of members.entries()) {
      const outcome = Array.isArray(outcomes) ? outcomes[index] : undefined
      if (!outcome?.ok) {
        const error = outcomes instanceof MediaprocError ? outcomes : outcome?.error
        file.fixError = error?.message ?? 'The fixes were not started'
        continue
      }
      const [output] = outcome.outputs
      if (!output) continue
      file.fixed = { output: output.path, findings: [], warnings: outcome.warnings }
      copies.set(namedInput(output.path), file)
    }
  }
  const named = new Map(rules.map((rule) => [rule.name, rule]))
  const checked = await runCheck({
    items: [...copies.keys()],
    rules,
    rulesOf: (item) => (copies.get(item)?.rules ?? []).flatMap((name) => named.get(name) ?? []),
    ...(options.jobs !== undefined && { jobs: options.jobs }),
    signal,
  })
  for (const [index, file] of [...copies.values()].entries()) {
    const after = checked[index]
    if (after && file.fixed) update(file, file.fixed, after)
  }
}

/** Duplicates are not checked again: a copy that differs is a new file, and the originals remain. */
function update(file: CheckedFile, fixed: NonNullable<CheckedFile['fixed']>, after: CheckedFile): void {
  const duplicates = file.findings.filter(({ limit }) => limit === 'duplicates')
  const isLeft = ({ rule, limit }: CheckedFile['findings'][number]): boolean =>
    limit === 'duplicates' || after.findings.some((left) => left.rule === rule && left.limit === limit)
  file.fixed = { ...fixed, findings: file.findings.filter((finding) => !isLeft(finding)) }
  file.findings = [...after.findings.filter(({ limit }) => limit !== 'duplicates'), ...duplicates]
}
