import { basename, posix } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import { extensionOf, openMediaFile, stemOf } from '../../media/file.ts'
import type { ToolResult } from '../../tool/contract.ts'
import { counted } from '../../wording.ts'
import { COMMON, onlyContinuing, partOf, stepsOf, withNeeded } from '../plan/parts.ts'
import { type Group, groupSteps, type PipelinePlan, type PlannedStep, type PlannedVariant } from '../plan/plan.ts'
import type { PartInput, Reference } from '../plan/reference.ts'
import { fileOf, type Item, type Items, itemOf, type OpenPicture, type Sink } from './item.ts'
import { openFurther, pipelineManner, type RunContext, scratchSink } from './run-context.ts'
import { asFiles, finish, runGroups } from './run-groups.ts'

/** The result of the common steps or of a variant that others need. */
interface PartResult {
  /** Its images stay open. */
  items: Items
  context: RunContext
  last: PlannedStep | undefined
  /** The same with all images written: one encode serves all that need files. */
  files?: Promise<Items>
}

/** Open images that several steps need are computed once. */
async function settled(items: Items): Promise<Items> {
  const list: Item[] = []
  for (const item of items.list) {
    const { picture } = item
    list.push(picture ? { ...item, picture: { ...picture, frame: await picture.frame.settled() } } : item)
  }
  return { ...items, list }
}

/** A single result next to others is named after its variant: `photo_badge.png`. */
function named({ list, set }: Items, variant: string): readonly Item[] {
  const [only] = list
  if (!only || list.length > 1 || set !== undefined) return list
  const extension = extensionOf(only.name)
  const name = `${stemOf(posix.basename(only.name))}_${variant}${extension && `.${extension}`}`
  return [{ ...only, name }]
}

/** Whether steps can continue with open images. */
const takesPictures = ([first]: readonly Group[]): boolean => !first || first.steps[0]?.tool.medium === 'image'

/** Runs the parts of a pipeline for one job, each at most once, and those that a part needs before it. */
export class PartResults {
  readonly #plan: PipelinePlan
  readonly #context: RunContext
  readonly #further = openFurther()
  /** The steps of all parts that run. */
  readonly #weight: number
  /** Variants whose results others need. */
  readonly #needed: ReadonlySet<number>
  readonly #only: number | undefined
  readonly #inputs: Items
  readonly #results = new Map<number, Promise<PartResult>>()
  /** The paths of open images that were written for steps that read them as named files. */
  readonly #paths = new Map<OpenPicture['frame'], Promise<string>>()
  #done = 0

  /** @param wanted the variants whose outputs are made */
  constructor(plan: PipelinePlan, context: Pick<RunContext, 'job' | 'times' | 'isolation'>, wanted: readonly number[]) {
    this.#plan = plan
    this.#only = onlyContinuing(plan)
    const manner = pipelineManner('', this.#further)
    this.#context = { ...context, variant: '', progress: { from: 0, part: 1 }, ...manner }
    const parts = withNeeded(plan, wanted)
    this.#weight = parts.reduce((sum, index) => sum + partOf(plan, index).steps.length, 0)
    const references = parts.flatMap((index) => withNeeded(plan, [index]).filter((one) => one !== index))
    this.#needed = new Set(references)
    this.#inputs = { list: context.job.inputs.map((file): Item => ({ name: file.name, file })) }
  }

  /** The outputs of a variant. */
  async output(index: number, sink: Sink): Promise<ToolResult> {
    if (this.#needed.has(index)) {
      const result = await this.#result(index)
      const done = await finish(result.context, result.items, result.last, false, sink)
      const { files, ...others } = done
      result.files = Promise.resolve({ ...others, list: files.map(itemOf) })
      return done
    }
    const { groups, items, context, last } = await this.#begin(index)
    const done = await runGroups(context, groups, items, sink)
    return finish(context, done, last, groups.length > 0, sink)
  }

  #result(index: number): Promise<PartResult> {
    const result = this.#results.get(index) ?? this.#run(index)
    this.#results.set(index, result)
    return result
  }

  async #run(index: number): Promise<PartResult> {
    const { groups, items, context, last } = await this.#begin(index)
    return { items: await settled(await runGroups(context, groups, items)), context, last }
  }

  /** What a part runs, after all that it needs. */
  async #begin(
    index: number,
  ): Promise<{ groups: readonly Group[]; items: Items; context: RunContext; last: PlannedStep | undefined }> {
    const { common, variants } = this.#plan
    const variant = variants[index]
    const isFused = index === this.#only
    const own = variant ? variant.groups : common
    const planned = isFused ? groupSteps([...stepsOf(common), ...stepsOf(own)]) : own
    const items = await this.#itemsFor(variant, isFused, takesPictures(planned))
    const groups = await this.#withPaths(planned)
    const part = stepsOf(groups).length / Math.max(1, this.#weight)
    const progress = { from: this.#done, part }
    this.#done += part
    const name = variant?.name ?? ''
    const context = { ...this.#context, variant: name, progress, ...pipelineManner(name, this.#further) }
    // With conditions, all steps may be skipped: the input is the result.
    const before = variant && !variant.inputs ? stepsOf(common) : []
    return { groups, items, context, last: [...before, ...stepsOf(groups)].at(-1) }
  }

  /** What a part begins with. Without variants there is no boundary after the common steps. */
  async #itemsFor(variant: PlannedVariant | undefined, isFused: boolean, isOpen: boolean): Promise<Items> {
    if (!variant || isFused) return this.#inputs
    if (!variant.inputs) return this.#itemsOf(COMMON, isOpen)
    const list: Item[] = []
    for (const input of variant.inputs) list.push(...(await this.#inputItems(input, isOpen)))
    return { list, ...(list.length > 1 && { set: variant.name }) }
  }

  async #inputItems(input: PartInput, isOpen: boolean): Promise<readonly Item[]> {
    if (typeof input !== 'string') return this.#meant(input, isOpen)
    const name = basename(input)
    return [{ name, file: await openMediaFile(input, name) }]
  }

  async #itemsOf(index: number, isOpen: boolean): Promise<Items> {
    const result = await this.#result(index)
    const { items, context, last } = result
    if (isOpen || !last || !items.list.some(({ picture }) => picture)) return items
    result.files ??= scratchSink(context).then((sink) => asFiles(context, items, last, sink))
    return result.files
  }

  /** The items that a reference means. @throws MediaprocError TOO_FEW_FILES if there is no such file */
  async #meant({ of, file, label, place }: Reference, isOpen: boolean): Promise<readonly Item[]> {
    const all: Item[] = []
    if (of === 'input') all.push(...this.#inputs.list)
    else
      for (const index of of)
        all.push(...named(await this.#itemsOf(index, isOpen), this.#plan.variants[index]?.name ?? ''))
    if (file === undefined) return all
    const chosen = all[file - 1]
    if (chosen) return [chosen]
    const where = place === undefined ? '' : `${place}: `
    throw new MediaprocError(
      'TOO_FEW_FILES',
      `${where}There is no file ${file}: ${label} has ${counted(all.length, 'file')}`,
      {
        hint: '',
      },
    )
  }

  /** The steps with the paths of the named files that the run makes. */
  async #withPaths(groups: readonly Group[]): Promise<readonly Group[]> {
    if (!stepsOf(groups).some(({ references }) => references)) return groups
    const list: Group[] = []
    for (const { medium, steps } of groups) {
      const own: PlannedStep[] = []
      for (const step of steps) {
        const secondary = { ...step.secondary }
        for (const [key, reference] of Object.entries(step.references ?? {}))
          secondary[key] = await this.#pathOf(reference)
        own.push({ ...step, secondary })
      }
      list.push({ medium, steps: own })
    }
    return list
  }

  /** The path of the one file that a reference means. @throws MediaprocError TOO_FEW_FILES */
  async #pathOf(reference: Reference): Promise<string> {
    const [item] = await this.#meant({ ...reference, file: reference.file ?? 1 }, true)
    if (!item?.picture) return item ? (await fileOf(item)).path : ''
    const { writeLossless } = await import('./write-open.ts')
    const { picture } = item
    const path = this.#paths.get(picture.frame) ?? writeLossless(this.#context, { ...item, picture })
    this.#paths.set(picture.frame, path)
    return path
  }
}
