import { mkdtempSync } from 'node:fs'
import { basename, join } from 'node:path'
import { placeFile } from '../../src/job/workspace.ts'
import { openMediaFile } from '../../src/media/file.ts'
import type { PipelinePlan } from '../../src/pipeline/plan/plan.ts'
import { type ReadOptions, readPipeline } from '../../src/pipeline/read/read.ts'
import { runPipeline, type StepTime } from '../../src/pipeline/run/run.ts'
import { findEntry, loadTool } from '../../src/tool/registry.ts'
import { run } from './tool.ts'

/** One step as a pair, for chains that are run in both ways. */
export type ChainStep = readonly [tool: string, settings?: Record<string, unknown>, secondary?: Record<string, string>]

/** The plan of a valid pipeline. */
export async function planOf(text: string, options: Partial<ReadOptions> = {}): Promise<PipelinePlan> {
  const { plan, diagnostics } = await readPipeline(text, { name: 'test', folder: '/', ...options })
  if (!plan) throw new Error(diagnostics.map(({ line, column, message }) => `${line}:${column} ${message}`).join('\n'))
  return plan
}

export interface Fused {
  /** Paths of the outputs, by variant. */
  paths: string[]
  names: string[]
  variants: string[]
  times: readonly StepTime[]
  warnings: string[]
}

/** Runs a plan as the command line and the server do, with outputs in `folder`. */
export async function runPlan(plan: PipelinePlan, folder: string, inputs: readonly string[]): Promise<Fused> {
  const destination = mkdtempSync(join(folder, 'fused-'))
  const warnings: string[] = []
  const files = await Promise.all(inputs.map((path) => openMediaFile(path, basename(path))))
  const onWarning = (message: string): void => void warnings.push(message)
  return runPipeline({ plan, inputs: files, destination, onWarning }, async (results, times) => {
    const fused: Fused = { paths: [], names: [], variants: [], times, warnings }
    for (const { index, result } of results)
      for (const file of result.files) {
        const to = join(destination, plan.variants[index]!.name, file.name)
        await placeFile(file.path, to, false)
        fused.paths.push(to)
        fused.names.push(file.name)
        fused.variants.push(plan.variants[index]!.name)
      }
    return fused
  })
}

/** A chain as a pipeline. */
export const chainText = (steps: readonly ChainStep[]): string =>
  JSON.stringify(steps.map(([tool, settings = {}, secondary = {}]) => ({ [tool]: { ...settings, ...secondary } })))

/** The same chain as one pipeline. */
export async function fused(steps: readonly ChainStep[], folder: string, input: string): Promise<Fused> {
  return runPlan(await planOf(chainText(steps)), folder, [input])
}

/** The same chain, each tool separately on the output of the previous one. */
export async function stepByStep(steps: readonly ChainStep[], folder: string, input: string): Promise<string> {
  let path = input
  for (const [name, settings = {}, secondary = {}] of steps) {
    const tool = await loadTool(findEntry(name))
    path = (await run(tool, folder, [path], settings, { secondary })).paths[0]!
  }
  return path
}
