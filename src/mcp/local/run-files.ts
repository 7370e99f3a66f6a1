import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { checkCount } from '../../job/accept.ts'
import { type RunResult, runPlanned } from '../../library/run.ts'
import { planPipelineRun } from '../../local/pipeline-run.ts'
import { planToolRun } from '../../local/tool-run.ts'
import type { Isolation } from '../../pipeline/isolate/isolation.ts'
import type { PipelinePlan } from '../../pipeline/plan/plan.ts'
import { type FoundTool, findRedirected } from '../../pipeline/read/find-tool.ts'
import { checkSettings } from '../../tool/validate.ts'
import { type Failure, failureOf } from '../answers.ts'
import type { Call } from '../backend.ts'
import { type Finished, finishedIn } from './place-outputs.ts'
import type { Snapshot } from './snapshot.ts'

/** What runs on the inputs of one job. */
export interface Runner {
  /** How many inputs a job takes. */
  files: 'one' | 'many' | 'none'
  run(
    inputs: readonly Snapshot[],
    options: { staged: string; call: Call; onProgress: Call['onProgress'] },
  ): Promise<RunResult<'file'>>
}

/** Runs a tool. @param outputName the file name of the only output, if the client chose one */
export function toolRunner(
  route: FoundTool,
  settings: Readonly<Record<string, unknown>>,
  secondary: Readonly<Record<string, Snapshot>>,
  outputName: string | undefined,
  isolation: Isolation,
): Runner {
  const { found, given } = findRedirected(route, settings)
  const { entry } = found
  const values = checkSettings(entry.settings, given)
  const unknown = Object.keys(secondary).find((name) => !Object.hasOwn(entry.input.secondary ?? {}, name))
  if (unknown !== undefined)
    throw new MediaprocError('VALIDATION_ERROR', `extra_files: ${entry.section}/${entry.id} has no file ${unknown}`, {
      hint: 'describe_tool lists the names of additional files.',
    })
  const paths = Object.fromEntries(Object.entries(secondary).map(([name, { path }]) => [name, path]))
  return {
    files: entry.input.files,
    run(inputs, { staged, call: { signal }, onProgress }) {
      checkCount(entry.input, inputs.length, `${entry.section}/${entry.id}`)
      const to = outputName === undefined ? { outputDir: staged } : { output: join(staged, outputName) }
      return runPlanned(
        inputs.map(({ path }) => path),
        { as: 'file', ...to, signal, onProgress, secondary: paths },
        (request) => planToolRun({ ...request, found, settings: structuredClone(values), isolation }),
      )
    },
  }
}

/** Runs a pipeline. */
export const pipelineRunner = (plan: PipelinePlan): Runner => ({
  files: plan.input.files,
  run: (inputs, { staged, call: { signal }, onProgress }) =>
    runPlanned(
      inputs.map(({ path }) => path),
      { as: 'file', outputDir: staged, signal, onProgress },
      ({ secondary: _none, ...request }) => planPipelineRun({ ...request, plan }),
    ),
})

/** The outcome of one job. */
export interface JobDone {
  input: string | string[] | null
  outputs: readonly Finished[]
  report?: Record<string, unknown>
  warnings: readonly string[]
  error?: Failure
}

/** Private paths are nothing that a client can use. */
const withoutScratch = (text: string, scratch: string): string =>
  text.replaceAll(
    new RegExp(`${scratch.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}[/\\\\](?:in|out)-\\w+[/\\\\]`, 'g'),
    '',
  )

async function runOne(
  runner: Runner,
  inputs: readonly Snapshot[],
  {
    scratch,
    folder,
    call,
    onProgress,
  }: { scratch: string; folder: string; call: Call; onProgress: Call['onProgress'] },
): Promise<JobDone> {
  const [first] = inputs
  const input = runner.files === 'many' ? inputs.map(({ given }) => given) : (first?.given ?? null)
  try {
    const staged = await mkdtemp(join(scratch, 'out-'))
    const { outputs, report, warnings } = await runner.run(inputs, { staged, call, onProgress })
    return {
      input,
      outputs: finishedIn(staged, folder, outputs),
      ...(report && { report }),
      warnings: warnings.map(({ message }) => withoutScratch(message, scratch)),
    }
  } catch (error) {
    call.signal.throwIfAborted()
    const failure = failureOf(error, 'local')
    const shown = { ...failure, message: withoutScratch(failure.message, scratch) }
    return { input, outputs: [], warnings: [], error: shown }
  }
}

/**
 * Runs all jobs, one after the other; a job that fails does not stop the others.
 * @param folderOf the output folder for the inputs of a job
 * @throws MediaprocError CANCELED
 */
export async function runJobs(
  runner: Runner,
  inputs: readonly Snapshot[],
  { scratch, folderOf, call }: { scratch: string; folderOf(inputs: readonly Snapshot[]): string; call: Call },
): Promise<JobDone[]> {
  const jobs = runner.files === 'one' && inputs.length > 0 ? inputs.map((one) => [one]) : [inputs]
  const done: JobDone[] = []
  for (const [index, job] of jobs.entries()) {
    const onProgress: Call['onProgress'] = (fraction, phase) =>
      call.onProgress(
        (index + fraction) / jobs.length,
        jobs.length > 1 ? `${index + 1}/${jobs.length} ${phase}` : phase,
      )
    try {
      done.push(await runOne(runner, job, { scratch, folder: folderOf(job), call, onProgress }))
      onProgress(1, 'done')
    } catch (error) {
      throw toMediaprocError(error)
    }
  }
  return done
}
