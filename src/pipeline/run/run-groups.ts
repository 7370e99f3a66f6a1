import { copyFile } from 'node:fs/promises'
import { firstOf, zip } from '../../lists.ts'
import { uniqueNames } from '../../media/unique-names.ts'
import { once } from '../../once.ts'
import type { OutputFile, ToolResult } from '../../tool/contract.ts'
import type { Group, PlannedStep } from '../plan/plan.ts'
import { fileOf, type Item, type Items, itemOf, type Sink, writePicture } from './item.ts'
import { noteWritten, type RunContext, scratchSink, timed } from './run-context.ts'

/** Writes the open images of a group as files: the single encode. */
export async function asFiles(
  context: RunContext,
  items: Items,
  step: PlannedStep | undefined,
  sink: Sink,
): Promise<Items> {
  const written: OutputFile[] = []
  const list: Item[] = []
  let { report } = items
  const names = distinct(items.list)
  context.job.progress(context.progress.from + context.progress.part / 2, 'encoding')
  for (const [item, name] of zip(items.list, names)) {
    const { picture } = item
    if (!picture) {
      list.push(item)
      continue
    }
    const named = { ...item, name, picture }
    const nameOf = (extension: string): string => context.nameOf(named, extension)
    const done = await timed(context, step!, 1, () => writePicture(named, nameOf, sink))
    for (const warning of done.warnings) context.job.warn(warning)
    if (done.report) report = { ...report, ...done.report }
    written.push(done.file)
    list.push(itemOf(done.file))
  }
  if (written.length > 0) await noteWritten(context, step!, written)
  return { ...items, list, ...(report && { report }) }
}

/** The names of items, made unique if an earlier step used a name twice. */
function distinct(list: readonly Item[]): string[] {
  const names = list.map(({ name }) => name)
  return new Set(names.map((name) => name.toLowerCase())).size === names.length ? names : uniqueNames(names)
}

/** Runs the steps of an AV or PDF group on one temporary file. */
async function runOnFile(context: RunContext, { medium, steps }: Group, item: Item, sink: Sink): Promise<OutputFile> {
  if (medium === 'av') return (await import('./run-av.ts')).runAvSteps(context, steps, item, sink)
  return (await import('./run-pdf.ts')).runPdfSteps(context, steps, item, sink)
}

/** The input of a group: everything as files, except for a step that reads images, which can stay open. */
async function givenTo(
  context: RunContext,
  group: Group,
  items: Items,
  before: PlannedStep | undefined,
): Promise<Items> {
  const takesPictures = firstOf(group.steps).tool.medium === 'image'
  if (takesPictures || !items.list.some(({ picture }) => picture)) return items
  return asFiles(context, items, before, await scratchSink(context))
}

const imageSteps = once(() => import('./run-image.ts'))

async function runGroup(context: RunContext, group: Group, items: Items, last?: Sink): Promise<Items> {
  const sinks = async (): Promise<Sink> => last ?? scratchSink(context)
  // Image transforms stay on this thread: an open image cannot leave it.
  if (context.isolation && group.medium !== 'image') {
    const { isIsolated, runIsolated } = await import('../isolate/run-isolated.ts')
    if (await isIsolated(context, group)) return runIsolated(context, group, await closed(context, items), last)
  }
  if (group.medium === 'general') {
    const { runGeneral } = await import('./run-general.ts')
    return runGeneral(context, firstOf(group.steps), items, sinks)
  }
  if (group.medium === 'image') {
    const { runImageSteps } = await imageSteps()
    const list: Item[] = []
    for (const item of items.list) list.push(await runImageSteps(context, group.steps, item))
    return { ...items, list }
  }
  const made: OutputFile[] = []
  for (const item of items.list) made.push(await runOnFile(context, group, item, await sinks()))
  return { ...items, list: made.map(itemOf) }
}

/** Items with all open images written, for steps that run elsewhere. */
async function closed(context: RunContext, items: Items): Promise<Items> {
  const list: Item[] = []
  for (const item of items.list) {
    const { picture, ...others } = item
    if (!picture) list.push(item)
    else {
      const { writeOpen } = await import('./write-open.ts')
      list.push({ ...others, file: await writeOpen(context, { ...item, picture }) })
    }
  }
  return { ...items, list }
}

/**
 * Runs groups on items. Images are left open at the end; everything else is files, those of the last group from `last`.
 */
export async function runGroups(
  context: RunContext,
  groups: readonly Group[],
  given: Items,
  last?: Sink,
): Promise<Items> {
  let items = given
  let before: PlannedStep | undefined
  const { from, part } = context.progress
  for (const [index, group] of groups.entries()) {
    const own = { ...context, progress: { from: from + (part * index) / groups.length, part: part / groups.length } }
    const isLast = index === groups.length - 1
    items = await runGroup(own, group, await givenTo(own, group, items, before), isLast ? last : undefined)
    before = group.steps.at(-1)
  }
  return items
}

/** The result of a variant, as a tool's result: images are encoded, files of the common steps copied. */
export async function finish(
  context: RunContext,
  items: Items,
  step: PlannedStep | undefined,
  hasOwnFiles: boolean,
  sink: Sink,
): Promise<ToolResult> {
  const { list, ...others } = items.list.some(({ picture }) => picture)
    ? await asFiles(context, items, step, sink)
    : items
  const files: OutputFile[] = []
  for (const item of list) {
    // Images encoded just now are already among the outputs.
    if (item.made && (hasOwnFiles || !items.list.includes(item))) files.push(item.made)
    else {
      const file = await fileOf(item)
      const path = await sink(item.name)
      await copyFile(file.path, path)
      files.push({ path, name: item.name, mime: item.made?.mime ?? file.type.mime })
    }
  }
  return { ...others, files }
}
