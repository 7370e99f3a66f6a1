/** Runs groups of steps on behalf of a thread. */

import { watchConsulted } from '../../engines/consulted.ts'
import { watchGroups } from '../../engines/process/group.ts'
import { answerRequests, type Consult } from '../../engines/workers/worker-answers.ts'
import { lastOf } from '../../lists.ts'
import type { AnyJob } from '../../tool/contract.ts'
import type { PlannedStep } from '../plan/plan.ts'
import { findTool } from '../read/find-tool.ts'
import { aloneManner } from '../run/run-alone.ts'
import { openFurther, pipelineManner, type RunContext, scratchSink } from '../run/run-context.ts'
import { asFiles, runGroups } from '../run/run-groups.ts'
import type { IsolatedNews, IsolatedQuestion, IsolatedResult, IsolatedStep, IsolatedWork } from './isolated-work.ts'

const withTool = async (step: IsolatedStep): Promise<PlannedStep> => ({
  ...step,
  tool: await findTool(step.name).loadTool(),
})

/** The job as seen by this thread: its folders and listeners are in the main thread. */
function remoteJob(
  { secondary }: IsolatedWork,
  send: (news: IsolatedNews) => void,
  consult: Consult,
  signal: AbortSignal,
): AnyJob {
  const ask = (question: IsolatedQuestion): Promise<string> => consult(question) as Promise<string>
  return {
    inputs: [],
    secondary,
    signal,
    scratch: () => ask({ type: 'scratch' }),
    output: (name) => ask({ type: 'output', name }),
    progress: (fraction, phase) => send({ type: 'progress', fraction, phase }),
    warn: (message, manner) => send({ type: 'warning', message, ...(manner && { manner }) }),
    moreTime: (seconds) => send({ type: 'moreTime', seconds }),
  }
}

async function run(work: IsolatedWork, job: AnyJob): Promise<IsolatedResult> {
  const { medium, variant, progress, isAlone, secondary, isLast } = work
  const steps = await Promise.all(work.steps.map(withTool))
  const last = lastOf(steps)
  const manner = isAlone ? aloneManner(last.tool, last.settings, secondary) : pipelineManner(variant, openFurther())
  const context: RunContext = { job, variant, progress, times: [], ...manner }
  const sink = isLast ? job.output : undefined
  const items = await runGroups(context, [{ medium, steps }], work.items, sink)
  // An open image cannot leave the thread.
  const files = items.list.some(({ picture }) => picture)
    ? await asFiles(context, items, last, sink ?? (await scratchSink(context)))
    : items
  return { items: files, times: context.times }
}

/** Makes this thread run the groups that it receives. */
export function answerGroups(): void {
  answerRequests<IsolatedWork, IsolatedResult, IsolatedNews>(async (work, send, consult, signal) => {
    watchGroups((processId, isAlive) => send({ type: 'program', processId, isAlive }))
    watchConsulted((what) => send({ type: 'consulted', what }))
    return { answer: await run(work, remoteJob(work, send, consult, signal)) }
  })
}

/** Preloads the code of a tool, so that the first group does not wait for it. */
export async function loadCode(name: string): Promise<void> {
  await findTool(name).loadTool()
}
