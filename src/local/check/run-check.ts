import { toMediaprocError } from '../../errors.ts'
import { defaultConcurrency, runBatch } from '../../job/batch.ts'
import { Workspace } from '../../job/workspace.ts'
import type { InputItem } from '../inputs.ts'
import { openInput } from '../open-input.ts'
import { inputError } from '../planned-run.ts'
import { checkFile, unreadable } from './check-file.ts'
import { findDuplicates } from './duplicates.ts'
import type { CheckedFile } from './finding.ts'
import { rulesByInput } from './match-files.ts'
import type { Rule } from './rule.ts'

export interface CheckRequest {
  items: readonly InputItem[]
  rules: readonly Rule[]
  /** The rules about each item, if they are not found by their patterns. */
  rulesOf?: (item: InputItem) => readonly Rule[]
  /** Maximum number of files that are measured at the same time. */
  jobs?: number
  signal: AbortSignal
  /** A file is done. */
  onEnd?(index: number): void
}

async function checkItem(
  item: InputItem,
  rules: readonly Rule[],
  scratch: () => Promise<string>,
  signal: AbortSignal,
): Promise<CheckedFile> {
  const started = performance.now()
  const names = rules.map(({ name }) => name)
  const result: CheckedFile = {
    ...{ file: item.given, path: item.path ?? '', bytes: 0, rules: names, findings: [], ms: 0 },
  }
  try {
    const known = inputError({ index: 0, items: [item], given: item.given })
    if (known) throw known.error
    const file = await openInput(item, scratch, signal)
    Object.assign(result, { path: file.path, bytes: file.bytes })
    result.findings.push(...(await checkFile(file, item.given, rules, signal)))
  } catch (error) {
    if (!signal.aborted) result.findings.push(unreadable(item.given, toMediaprocError(error)))
  }
  result.ms = Math.round(performance.now() - started)
  return result
}

/**
 * Measures files and compares them with rules. Files that cannot be read are findings. Results are in the order of the
 * items; after a stop, those of the files that were done.
 */
export async function runCheck(request: CheckRequest): Promise<CheckedFile[]> {
  const { items, rules, rulesOf, jobs = defaultConcurrency(false), signal, onEnd } = request
  const about = rulesOf ? items.map(rulesOf) : rulesByInput(rules, items)
  const workspace = new Workspace('.')
  const scratch = (): Promise<string> => workspace.scratch()
  const found = new Map<CheckedFile, readonly Rule[]>()
  try {
    const work = async (item: InputItem, index: number): Promise<CheckedFile> => {
      const own = about[index] ?? []
      const result = await checkItem(item, own, scratch, signal)
      found.set(result, own)
      onEnd?.(index)
      return result
    }
    const results = await runBatch(items, jobs, work, () => !signal.aborted)
    const done = results.filter((result) => result !== undefined)
    if (!signal.aborted)
      await findDuplicates(done, (file) => found.get(file) ?? [], signal).catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
    return done
  } finally {
    await workspace.remove()
  }
}
