import { readFileSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { environmentNumber } from '../environment.ts'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { extensionOf, printableName, stemOf } from '../media/file.ts'
import { nearest } from '../tool/validate.ts'
import { type CheckedStep, checkChain, inputOf } from './check-chain.ts'
import { type Checking, checkStep } from './check-step.ts'
import type { Variables } from './expand-variables.ts'
import { flowInto } from './flow.ts'
import type { Mistake } from './mistakes.ts'
import { parsePipeline, type Written, type WrittenStep } from './parse.ts'
import {
  groupSteps,
  namedSettings,
  outputOf,
  type PipelinePlan,
  type PlannedStep,
  type PlannedVariant,
} from './plan.ts'
import { PipelineSource } from './source.ts'

export interface ReadOptions {
  /** The pipeline's name where it states none. */
  name: string
  /** Where it was read from. */
  path?: string
  /** The folder that named files start from; without it a pipeline may name none. */
  folder?: string
  /** What `${NAME}` stands for; without it such text stays as it is. */
  variables?: Variables
  /** Words that the pattern of output names may hold besides the names of settings; without it there is no check. */
  placeholders?: readonly string[]
}

/** A plan, or everything that is wrong. */
export type ReadPipeline =
  | { plan: PipelinePlan; mistakes: readonly [] }
  | { plan: undefined; mistakes: readonly Mistake[] }

async function checkSteps(checking: Checking, steps: readonly WrittenStep[], first: number): Promise<CheckedStep[]> {
  const checked: CheckedStep[] = []
  for (const [index, written] of steps.entries())
    checked.push({ written, planned: await checkStep(checking, written, first + index) })
  return checked
}

function checkCount(source: PipelineSource, steps: readonly WrittenStep[]): void {
  const most = environmentNumber('MAX_PIPELINE_STEPS')
  if (most === 0 || steps.length <= most) return
  source.note(
    steps[most]!.where,
    `A file goes through at most ${most} steps, and these are ${steps.length}`,
    'Raise the limit with MAX_PIPELINE_STEPS.',
  )
}

function checkTemplate({ source }: Checking, { output }: Written, known: readonly string[]): void {
  if (!output) return
  if (/[/\\]$/.test(output.template))
    source.note(output.where, `Expected a pattern of file names, got the folder ${output.template}`)
  for (const [, name] of output.template.matchAll(/\{([^{}]*)\}/g)) {
    if (known.includes(name!)) continue
    const near = nearest(name!, known)
    const hint = near ? `Did you mean {${near}}?` : `Known are ${known.map((one) => `{${one}}`).join(', ')}.`
    source.note(output.where, `There is no placeholder {${name}}`, hint)
  }
}

const sound = (steps: readonly CheckedStep[]): PlannedStep[] => steps.flatMap(({ planned }) => planned ?? [])

/** A name as part of file names. */
const slug = (name: string): string => name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|-+$/g, '') || 'pipeline'

const MAGIC = /[*?[\]{}!]|[@+]\(/

/** An input as seen from the current folder. In a pattern, the folder's own signs mean nothing. */
function fromFolder(folder: string, input: string): string {
  if (/^https?:/i.test(input) || isAbsolute(input)) return input
  return join(MAGIC.test(input) ? folder.replace(/[()[\]{}!*?@+]/g, '\\$&') : folder, input)
}

/** Splits after the common steps even where a medium goes on: variants continue from an open picture. */
function planned(
  written: Written,
  common: readonly PlannedStep[],
  variants: readonly PlannedVariant[],
  options: ReadOptions,
  warnings: readonly string[],
): PipelinePlan {
  const chains = variants.map(({ groups }) => [...common, ...groups.flatMap(({ steps }) => steps)])
  const all = [...common, ...variants.flatMap(({ groups }) => groups.flatMap(({ steps }) => steps))]
  const { folder = '.', path } = options
  const here = relative('.', folder)
  return {
    name: slug(written.name ?? options.name),
    ...(path !== undefined && { path }),
    inputs: written.inputs.map((input) => fromFolder(here, input)),
    ...(written.output && { output: written.output.template }),
    input: inputOf(chains[0]![0]!),
    common: groupSteps(common),
    variants,
    timeoutS: all.reduce((sum, { tool }) => sum + tool.timeoutS, 0),
    heavy: all.some(({ tool }) => tool.heavy),
    warnings,
  }
}

/** Reads and checks a pipeline: YAML or JSON, with everything that is wrong with it at once. Nothing runs. */
export async function readPipeline(text: string, options: ReadOptions): Promise<ReadPipeline> {
  const source = new PipelineSource(text, options.variables)
  if (!source.isReadable) return { plan: undefined, mistakes: source.mistakes }
  const checking: Checking = { source, folder: options.folder, warnings: [] }
  const written = parsePipeline(source)
  const common = await checkSteps(checking, written.steps, 1)
  const start = checkChain(source, common)
  const isBroken = common.length > 0 && start === undefined
  const ways = written.variants.length > 0 ? written.variants : [{ name: '', steps: [] }]
  const variants: PlannedVariant[] = []
  const names = new Set([...(options.placeholders ?? []), ...(written.variants.length > 0 ? ['variant'] : [])])
  for (const { name, steps } of ways) {
    checkCount(source, [...written.steps, ...steps])
    const own = await checkSteps(checking, steps, common.length + 1)
    // Behind a broken common step nothing is known of what comes.
    const end = isBroken ? undefined : checkChain(source, own, start)
    const chain = [...sound(common), ...sound(own)]
    for (const { tool } of chain)
      for (const [setting, { secret }] of Object.entries(tool.settings)) if (!secret) names.add(setting)
    if (!end && source.mistakes.length === 0)
      source.note(source.document.contents, `Expected at least one step${name && ` for ${name}`}, got none`)
    const flow = end?.flow ?? flowInto({ accept: ['*'] })
    variants.push({
      name,
      groups: groupSteps(sound(own)),
      output: outputOf(chain, flow),
      settings: namedSettings(chain),
    })
  }
  checkFirsts(checking, written, variants, common)
  if (options.placeholders) checkTemplate(checking, written, [...names])
  if (source.mistakes.length > 0) return { plan: undefined, mistakes: inOrder(source.mistakes) }
  return { plan: planned(written, sound(common), variants, options, checking.warnings), mistakes: [] }
}

/** Without common steps the variants must all begin with what takes the same number of files. */
function checkFirsts(
  { source }: Checking,
  written: Written,
  variants: readonly PlannedVariant[],
  common: readonly CheckedStep[],
): void {
  if (common.length > 0) return
  const firsts = variants.map(({ groups }) => groups[0]?.steps[0])
  const [lead] = firsts
  for (const [index, first] of firsts.entries())
    if (lead && first && first.tool.input.files !== lead.tool.input.files)
      source.note(
        written.variants[index]?.steps[0]?.toolWhere,
        `${first.name} does not take the same number of files as ${lead.name}, the first step of the first variant`,
      )
}

const inOrder = (mistakes: readonly Mistake[]): Mistake[] =>
  [...mistakes].sort((one, other) => one.line - other.line || one.column - other.column)

/**
 * Reads a pipeline from a file; files that it names are relative to it.
 * @throws MediaprocError FILE_NOT_FOUND, IS_A_FOLDER, PERMISSION_DENIED, LIMIT_EXCEEDED
 */
export async function loadPipeline(
  path: string,
  options: Pick<ReadOptions, 'variables' | 'placeholders'>,
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
