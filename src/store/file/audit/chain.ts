import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ChainCheck } from '../../audit-chain.ts'
import type { AuditCheck } from '../../store.ts'
import { linesOf, parseLine } from './lines.ts'

const FILE_NAME = /^audit-(\d{4}-\d{2})\.ndjson$/
export const fileOfMonth = (month: string): string => `audit-${month}.ndjson`

/** The months of the files of a log, newest first. */
export const monthsIn = (names: readonly string[]): string[] =>
  names
    .flatMap((name) => FILE_NAME.exec(name)?.[1] ?? [])
    .sort()
    .reverse()

/** The months of the files in a folder, newest first. */
export const monthsOf = async (folder: string): Promise<string[]> => monthsIn(await readdir(folder))

/**
 * Checks the links of all lines of a log.
 * @param knownHead the hash of any line, from an earlier check
 */
export async function checkChain(folder: string, knownHead?: string): Promise<AuditCheck> {
  const check = new ChainCheck(knownHead)
  for (const month of (await monthsOf(folder)).reverse()) {
    const file = fileOfMonth(month)
    let line = 0
    for await (const bytes of linesOf(join(folder, file))) {
      line++
      if (bytes.length === 0) continue
      const entry = parseLine(bytes.toString())
      if (entry) check.add(bytes, entry, { file, line })
      else check.addCutOff()
    }
  }
  return check.result()
}
