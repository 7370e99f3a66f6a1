import { stat } from 'node:fs/promises'
import { mapConcurrently } from '../../concurrency.ts'
import { printableName } from '../../media/file.ts'
import { fingerprintOf } from '../../models/store/file-hash.ts'
import type { CheckedFile, Finding } from './finding.ts'
import type { Rule } from './rule.ts'

/** Maximum number of files that are hashed at the same time. */
const READS = 4

/** Links to one file are one file. */
async function identity(path: string): Promise<string> {
  const { dev, ino } = await stat(path)
  return `${dev}:${ino}`
}

/** Groups of values with the same key; groups of one are left out. */
function grouped<T>(values: readonly T[], keyOf: (value: T, index: number) => unknown): T[][] {
  const groups = new Map<unknown, T[]>()
  for (const [index, value] of values.entries()) {
    const key = keyOf(value, index)
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), value])
  }
  return [...groups.values()].filter(({ length }) => length > 1)
}

/**
 * Adds a finding to every file whose content equals that of an earlier one, for each rule that forbids it. Only files
 * of equal size are read.
 * @param rulesOf the rules about each file
 */
export async function findDuplicates(
  files: readonly CheckedFile[],
  rulesOf: (file: CheckedFile) => readonly Rule[],
  signal: AbortSignal,
): Promise<void> {
  const forbids = (file: CheckedFile): Rule[] => rulesOf(file).filter(({ duplicates }) => duplicates === false)
  const concerned = files.filter((file) => file.bytes > 0 && forbids(file).length > 0)
  for (const group of grouped(concerned, ({ bytes }) => bytes)) {
    const hashes = await mapConcurrently(group, READS, ({ path }) =>
      fingerprintOf(path, signal).then(
        ({ sha256 }) => sha256,
        () => undefined,
      ),
    )
    signal.throwIfAborted()
    for (const same of grouped(group, (_file, index) => hashes[index])) {
      const ids = await Promise.all(same.map(({ path }) => identity(path).catch(() => path)))
      const distinct = same.filter((_file, index) => ids.indexOf(ids[index] ?? '') === index)
      for (const [index, file] of distinct.entries())
        for (const rule of forbids(file)) {
          const first = distinct.find((other, at) => at < index && forbids(other).includes(rule))
          if (first) file.findings.push(duplicate(file, first, rule))
        }
    }
  }
}

const duplicate = ({ file }: CheckedFile, first: CheckedFile, rule: Rule): Finding => ({
  ...{ file, rule: rule.name, severity: rule.severity, limit: 'duplicates', actual: first.file, expected: false },
  message: `has the same content as ${printableName(first.file)}`,
})
