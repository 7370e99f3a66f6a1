import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { isMap, isScalar } from 'yaml'
import { MediaprocError } from '../../errors.ts'
import { printableName } from '../../media/file.ts'
import type { PlanOrDiagnostics } from '../plan/plan.ts'
import { readTable } from '../rows/read-table.ts'
import { type Row, type RowTable, rowLabel, rowValues } from '../rows/row-table.ts'
import type { Diagnostic } from './diagnostics.ts'
import { nearbyFileHint } from './nearby-file.ts'
import { inWords } from './parse-step.ts'
import type { PipelineSource, Placed, SourceRow } from './source.ts'

/** A table, or nothing after a mistake. */
export interface FoundTable {
  table?: RowTable
  warnings: readonly string[]
}

/** Rows that are read before mistakes that all of them have count as mistakes of the pipeline. */
const SAMPLE = 50

/**
 * The table that a pipeline runs for; undefined if it has none. A mistake in the name of its file is recorded.
 * @param given the file named by the caller, relative to the current folder
 * @throws MediaprocError those of `readTable`, for a given file
 */
export async function findTable(source: PipelineSource, given: string | undefined): Promise<FoundTable | undefined> {
  const warnings: string[] = []
  const warn = (message: string): void => void warnings.push(message)
  if (given !== undefined) {
    if (given === '' || !existsSync(given))
      throw new MediaprocError('FILE_NOT_FOUND', `The rows ${printableName(given) || '(empty)'} do not exist`)
    return { table: await readTable(given, given, warn), warnings }
  }
  const root = source.resolve(source.document.contents)
  const pair = isMap(root) ? root.items.find(({ key }) => isScalar(key) && key.value === 'rows') : undefined
  if (!pair) return undefined
  const node = source.resolve(pair.value)
  const where = (node as Placed) ?? (pair.key as Placed)
  const path = isScalar(node) ? pathOf(source, node.value, where) : undefined
  if (!isScalar(node)) source.note(where, `Expected a CSV or JSON file for rows, got ${inWords(source, node)}`)
  if (path === undefined) return { warnings }
  try {
    return { table: await readTable(path, path, warn), warnings }
  } catch (error) {
    if (!(error instanceof MediaprocError)) throw error
    source.note(where, error.message, error.hint)
    return { warnings }
  }
}

/** The path of the rows, which is literal. */
function pathOf(source: PipelineSource, name: unknown, where: Placed): string | undefined {
  const { folder } = source.file
  if (typeof name !== 'string' || name === '')
    source.note(where, `Expected a CSV or JSON file for rows, got ${inWords(source, where)}`)
  else if (name.includes('${'))
    source.note(where, `The path of rows is literal, and ${name} has a variable`, 'Give another file with --rows.')
  else if (folder === undefined) source.note(where, 'This pipeline cannot name files of its own')
  else {
    const path = isAbsolute(name) ? name : join(folder, name)
    if (existsSync(path)) return path
    source.note(
      where,
      `The file ${printableName(path)} does not exist`,
      nearbyFileHint(path, name, 'It is looked for next to the pipeline.'),
    )
  }
  return undefined
}

const keyOf = ({ file = '', line, column, message }: Diagnostic): string => `${file}:${line}:${column}: ${message}`

/** The plan for the first row that has one, with all rows. Without any, the diagnostics of the pipeline are returned. */
export async function readForRows(
  table: RowTable,
  warnings: readonly string[],
  read: (row: SourceRow) => Promise<PlanOrDiagnostics>,
): Promise<PlanOrDiagnostics> {
  const planFor = async (row: Row): Promise<PlanOrDiagnostics> => {
    if (row.problem !== undefined) {
      const place = { line: row.line ?? row.number, column: 1, file: table.shown }
      return { plan: undefined, diagnostics: [{ ...place, message: row.problem }] }
    }
    return read({ table: printableName(table.shown), values: rowValues(table, row) })
  }
  let first: readonly Diagnostic[] | undefined
  let common: Set<string> | undefined
  let count = 0
  for (const row of table.rows) {
    const { plan, diagnostics } = await planFor(row)
    if (plan)
      return {
        plan: { ...plan, rows: { table, planFor }, warnings: [...warnings, ...plan.warnings] },
        diagnostics: [],
      }
    if (row.problem !== undefined) continue
    const keys = new Set(diagnostics.map(keyOf))
    common = common ? new Set([...common].filter((key) => keys.has(key))) : keys
    first ??= diagnostics
    count += 1
    if (count === SAMPLE && common.size > 0) break
  }
  if (first) return { plan: undefined, diagnostics: first }
  const message = `No row of ${rowLabel(table, { number: 1, line: 1, cells: [] })} can be used`
  return { plan: undefined, diagnostics: [{ file: table.shown, line: 1, column: 1, message }] }
}
