import { blockingEngines } from '../../engines/index.ts'
import { firstOf } from '../../lists.ts'
import type { Group, PlannedStep } from '../plan/plan.ts'
import type { Items, Sink } from '../run/item.ts'
import type { RunContext } from '../run/run-context.ts'
import type { IsolatedNews, IsolatedQuestion, IsolatedStep } from './isolated-work.ts'

const isolated = ({ tool: _tool, ...step }: PlannedStep): IsolatedStep => step

/**
 * Whether a group needs its own thread: the caller requests isolation, and one of its engines blocks the calling
 * thread.
 */
export async function isIsolated({ isolation }: RunContext, { steps }: Group): Promise<boolean> {
  if (!isolation) return false
  return (await blockingEngines(steps.flatMap(({ tool }) => tool.engines))).length > 0
}

/** Runs a group on a thread, on items that are files; all results are files, too. */
export async function runIsolated(
  context: RunContext,
  { medium, steps }: Group,
  { list, ...set }: Items,
  last?: Sink,
): Promise<Items> {
  const { job, variant, progress, isAlone } = context
  const work = {
    ...{ variant, progress, isAlone, medium },
    steps: steps.map(isolated),
    items: { ...set, list: list.map(({ picture: _none, ...item }) => item) },
    secondary: isAlone ? job.secondary : {},
    isLast: last !== undefined,
  }
  const onNews = (news: Exclude<IsolatedNews, { type: 'program' | 'consulted' }>): void => {
    if (news.type === 'progress') job.progress(news.fraction, news.phase)
    else if (news.type === 'moreTime') job.moreTime(news.seconds)
    else job.warn(news.message, news.manner)
  }
  const onQuestion = (question: IsolatedQuestion): Promise<string> =>
    question.type === 'scratch' ? job.scratch() : (last ?? job.output)(question.name)
  const { name, tool } = firstOf(steps)
  const first = { name, engines: tool.engines }
  const { items, times } = await context.isolation!.run(work, { tool: first, signal: job.signal, onNews, onQuestion })
  context.times.push(...times)
  return items
}
