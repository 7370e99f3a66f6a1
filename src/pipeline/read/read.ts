import { readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { environmentNumber } from '../../environment.ts'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { extensionOf, printableName, stemOf } from '../../media/file.ts'
import type { PipelinePlan } from '../plan/plan.ts'
import { type PlanOptions, planSteps } from '../plan/plan-steps.ts'
import type { Diagnostic } from './diagnostics.ts'
import type { Variables } from './expand-variables.ts'
import { type GivenParameters, refuseUnknownParameters } from './parameters.ts'
import { parsePipeline } from './parse.ts'
import { nodeOf } from './places.ts'
import { PipelineSource } from './source.ts'

export interface ReadOptions extends Omit<PlanOptions, 'maxSteps' | 'ignoresUnknown' | 'refusesIneffective'> {
  /** Values of `${NAME}`; without it, such text is unchanged. */
  variables?: Variables
  /** Values of the parameters that the pipeline declares. */
  parameters?: GivenParameters
}

/** A plan, or all diagnostics. */
export type ReadPipeline =
  | { plan: PipelinePlan; diagnostics: readonly [] }
  | { plan: undefined; diagnostics: readonly Diagnostic[] }

const inOrder = (diagnostics: readonly Diagnostic[]): Diagnostic[] =>
  [...diagnostics].sort((one, other) => one.line - other.line || one.column - other.column)

/**
 * Reads and checks a pipeline in YAML or JSON, and reports all mistakes at once. The planner checks the data; this
 * module adds the YAML forms and the locations of diagnostics. Nothing runs.
 * @throws MediaprocError INVALID_SETTINGS for given parameters that it does not declare or that have another type
 */
export async function readPipeline(
  text: string,
  { variables, parameters = {}, ...options }: ReadOptions,
): Promise<ReadPipeline> {
  const source = new PipelineSource(text, variables)
  if (!source.isReadable) return { plan: undefined, diagnostics: source.diagnostics }
  const written = parsePipeline(source, parameters)
  const declared = written.declared.map(({ name }) => name)
  refuseUnknownParameters(declared, parameters)
  if (source.unknownAliases.size > 0 || source.lacksParameters)
    return { plan: undefined, diagnostics: inOrder(source.diagnostics) }
  const unread = new Set(source.diagnostics.map(({ line, column }) => `${line}:${column}`))
  const maxSteps = environmentNumber('MAX_PIPELINE_STEPS')
  const { plan, diagnostics } = await planSteps(written, { ...options, maxSteps, refusesIneffective: true })
  for (const { path, isName = false, message, hint } of diagnostics) {
    const node = nodeOf(source, written, path, isName)
    // A list of steps that could not be parsed is one diagnostic; that it is then empty is not a second one.
    if (unread.size > 0 && (path.length === 0 || unread.has(source.place(node)))) continue
    source.note(node, message, hint)
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
  options: Pick<ReadOptions, 'variables' | 'parameters' | 'placeholders'>,
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
