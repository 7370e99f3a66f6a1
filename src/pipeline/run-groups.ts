import { copyFile } from 'node:fs/promises'
import type { MediaFile } from '../media/file.ts'
import { uniqueNames } from '../media/unique-names.ts'
import type { OutputFile, ToolResult } from '../tool/contract.ts'
import { fileOf, type Item, type Items, type Sink, writePicture } from './item.ts'
import type { Group, PlannedStep } from './plan.ts'
import { noteWritten, type RunContext, scratchSink, timed } from './run-context.ts'
import { runGeneralStep } from './run-general.ts'

/** The open pictures that a group left as files: the one encode. */
export async function asFiles(
  context: RunContext,
  items: Items,
  step: PlannedStep | undefined,
  sink: Sink,
): Promise<Items & { written: OutputFile[] }> {
  const written: OutputFile[] = []
  let { report } = items
  const names = distinct(items.list)
  for (const [index, item] of items.list.entries()) {
    const { picture } = item
    if (!picture) continue
    const done = await timed(context, step!, 1, () => writePicture({ name: names[index]!, picture }, sink))
    if (done.loss) context.job.warn(done.loss)
    if (done.report) report = { ...report, ...done.report }
    written.push(done.file)
  }
  if (written.length > 0) await noteWritten(context, step!, written)
  return { ...items, list: written.map(itemOf), written, ...(report && { report }) }
}

const itemOf = (made: OutputFile): Item => ({ name: made.name, made })

/** The names of items, told apart where an earlier step gave two the same. */
function distinct(list: readonly Item[]): string[] {
  const names = list.map(({ name }) => name)
  return new Set(names.map((name) => name.toLowerCase())).size === names.length ? names : uniqueNames(names)
}

/** One file of ours through the steps of a group of AV or PDF. */
async function runOnFile(context: RunContext, { medium, steps }: Group, item: Item, sink: Sink): Promise<OutputFile> {
  if (medium === 'av') return (await import('./run-av.ts')).runAvSteps(context, steps, item, sink)
  return (await import('./run-pdf.ts')).runPdfSteps(context, steps, item, sink)
}

async function runGeneral(
  context: RunContext,
  step: PlannedStep,
  items: Items,
  sinks: () => Promise<Sink>,
): Promise<Items> {
  const files = await Promise.all(items.list.map(fileOf))
  const jobs: MediaFile[][] = step.tool.input.files === 'one' ? files.map((file) => [file]) : [files]
  const results: ToolResult[] = []
  for (const inputs of jobs) results.push(await runGeneralStep(context, step, inputs, await sinks()))
  const made = results.flatMap((result) => result.files)
  await noteWritten(context, step, made)
  const set = jobs.length > 1 || items.set !== undefined ? items.set : results[0]?.set
  const list = made.map(itemOf)
  const isGathered = step.tool.input.files === 'many'
  const kept = isGathered ? results[0]?.set : set
  const report = results.length === 1 ? results[0]!.report : reportsOf(results, files)
  return { list, ...(kept !== undefined && { set: kept }), ...(report && { report }) }
}

/** Reports on the members of a set, by the members' names. */
function reportsOf(results: readonly ToolResult[], files: readonly MediaFile[]): Record<string, unknown> | undefined {
  const named = results.flatMap(({ report }, index) => (report ? [[files[index]!.name, report]] : []))
  return named.length > 0 ? (Object.fromEntries(named) as Record<string, unknown>) : undefined
}

/** Runs groups on what comes. Pictures are left open at the end; everything else is files, the last group's from `last`. */
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
    const sinks = async (): Promise<Sink> => (index === groups.length - 1 && last ? last : scratchSink(own))
    if (group.medium === 'image') {
      const { runImageSteps } = await import('./run-image.ts')
      const list: Item[] = []
      for (const item of items.list) list.push(await runImageSteps(own, group.steps, item))
      items = { ...items, list }
    } else {
      if (items.list.some(({ picture }) => picture)) items = await asFiles(own, items, before, await scratchSink(own))
      if (group.medium === 'general') items = await runGeneral(own, group.steps[0]!, items, sinks)
      else {
        const made: OutputFile[] = []
        for (const item of items.list) made.push(await runOnFile(own, group, item, await sinks()))
        items = { ...items, list: made.map(itemOf) }
      }
    }
    before = group.steps.at(-1)
  }
  return items
}

/** What comes out of a variant, as a tool's result: pictures are encoded, files of the common steps copied. */
export async function finish(
  context: RunContext,
  items: Items,
  step: PlannedStep,
  hasOwnFiles: boolean,
  sink: Sink,
): Promise<ToolResult> {
  const extra = { ...(items.set !== undefined && { set: items.set }), ...(items.report && { report: items.report }) }
  if (items.list.some(({ picture }) => picture)) {
    const { written, report } = await asFiles(context, items, step, sink)
    return { ...extra, files: written, ...(report && { report }) }
  }
  const files: OutputFile[] = []
  for (const item of items.list) {
    if (hasOwnFiles && item.made) files.push(item.made)
    else {
      const file = await fileOf(item)
      const path = await sink(item.name)
      await copyFile(file.path, path)
      files.push({ path, name: item.name, mime: item.made?.mime ?? file.type.mime })
    }
  }
  return { ...extra, files }
}
