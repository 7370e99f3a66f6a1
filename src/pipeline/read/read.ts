import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { environmentNumber } from '../../environment.ts'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { extensionOf, printableName, stemOf } from '../../media/file.ts'
import type { PlanOrDiagnostics } from '../plan/plan.ts'
import { type PlanOptions, planSteps } from '../plan/plan-steps.ts'
import type { DataPath, Diagnostic } from './diagnostics.ts'
import type { Variables } from './expand-variables.ts'
import { type GivenParameters, refuseUnknownParameters } from './parameters.ts'
import { parsePipeline } from './parse.ts'
import { placeOf } from './places.ts'
import { findTable, readForRows } from './read-rows.ts'
import { PipelineSource, type SourceFile, type SourceRow } from './source.ts'
import { SourceText } from './source-text.ts'

export interface ReadOptions
  extends Omit<PlanOptions, 'maxSteps' | 'ignoresUnknown' | 'refusesIneffective' | 'placeOf'> {
  /** Values of `${NAME}`; without it, such text is unchanged. */
  variables?: Variables
  /** Values of the parameters that the pipeline declares. */
  parameters?: GivenParameters
  /** A CSV or JSON file with a row for each run, instead of the one that the pipeline names. */
  rows?: string
}

export type ReadPipeline = PlanOrDiagnostics

/** The location in the pipeline itself: for an included file, that of its include. */
const inPipeline = (one: Diagnostic): { line: number; column: number } => one.included?.at(-1) ?? one

function inOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics].sort((one, other) => {
    const [here, there] = [inPipeline(one), inPipeline(other)]
    return here.line - there.line || here.column - there.column || one.line - other.line || one.column - other.column
  })
}

/** Where the paths of a pipeline are relative to, and its real path for cycles. */
function sourceFile({ path, folder }: Pick<PlanOptions, 'path' | 'folder'>): SourceFile {
  const isThere = path !== undefined && existsSync(path)
  return { ...(folder !== undefined && { folder }), ...(isThere && { realPath: realpathSync(path) }) }
}

/**
 * Reads and checks a pipeline in YAML or JSON, and reports all mistakes at once. The planner checks the data; this
 * module adds the YAML forms and the locations of diagnostics. Nothing runs.
 * @throws MediaprocError INVALID_SETTINGS for given parameters that it does not declare or that have another type; for
 * `rows`, those of `readTable`
 */
export async function readPipeline(text: string, { rows, ...options }: ReadOptions): Promise<ReadPipeline> {
  const parsed = new SourceText(text)
  const source = new PipelineSource(parsed, options.variables, sourceFile(options))
  const found = source.isReadable ? await findTable(source, rows) : undefined
  if (!found) return readOnce(parsed, options)
  if (!found.table) return { plan: undefined, diagnostics: inOrder(source.diagnostics) }
  return readForRows(found.table, found.warnings, (row) => readOnce(parsed, options, row))
}

/** Reads a pipeline once, perhaps for a row. */
async function readOnce(
  text: SourceText,
  { variables, parameters = {}, ...options }: Omit<ReadOptions, 'rows'>,
  row?: SourceRow,
): Promise<ReadPipeline> {
  const source = new PipelineSource(text, variables, sourceFile(options))
  source.row = row
  if (!source.isReadable) return { plan: undefined, diagnostics: source.diagnostics }
  const written = parsePipeline(source, parameters)
  const declared = written.declared.map(({ name }) => name)
  refuseUnknownParameters(declared, parameters)
  if (source.unknownAliases.size > 0 || source.lacksParameters)
    return { plan: undefined, diagnostics: inOrder(source.diagnostics) }
  const unread = new Set(source.diagnostics.map(({ file = '', line, column }) => `${file}:${line}:${column}`))
  const maxSteps = environmentNumber('MAX_PIPELINE_STEPS')
  const shown = options.path === undefined ? 'the pipeline' : basename(options.path)
  const placeText = (path: DataPath): string => {
    const { source: own, node } = placeOf(source, written, path, false)
    return own.including ? own.place(node) : `${shown}${own.place(node)}`
  }
  const { plan, diagnostics } = await planSteps(
    { ...written, includes: [...source.included.keys()] },
    { ...options, maxSteps, refusesIneffective: true, placeOf: placeText },
  )
  for (const { path, isName = false, message, hint } of diagnostics) {
    const { source: own, node } = placeOf(source, written, path, isName)
    // A list of steps that could not be parsed is one diagnostic; that it is then empty is not a second one.
    if (unread.size > 0 && (path.length === 0 || unread.has(own.place(node)))) continue
    own.note(node, message, hint)
  }
  if (!plan || source.diagnostics.length > 0) return { plan: undefined, diagnostics: inOrder(source.diagnostics) }
  return { plan, diagnostics: [] }
}

/**
 * Reads a pipeline from a file; paths in it are relative to the file.
 * @throws MediaprocError FILE_NOT_FOUND, IS_A_FOLDER, PERMISSION_DENIED, LIMIT_EXCEEDED
 */
export async function loadPipeline(
  path: string,
  options: Pick<ReadOptions, 'variables' | 'parameters' | 'placeholders' | 'rows'>,
): Promise<ReadPipeline> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = toMediaprocError(error)
    const what =
      code === 'FILE_NOT_FOUND' ? 'does not exist' : code === 'IS_A_FOLDER' ? 'is a folder' : 'cannot be read'
    throw new MediaprocError(code, `The pipeline ${printableName(path)} ${what}`, { cause: error })
  }
  const name = extensionOf(path) === '' ? basename(path) : stemOf(path)
  return readPipeline(text, { ...options, name, path: resolve(path), folder: dirname(path) })
}
