import type { Store } from '../../store/store.ts'

const DAY = 24 * 3_600_000
/** Number of tools in the list. */
const MAX_TOOLS = 20

/** Usage statistics of the last days, from the job records. */
export async function usage(
  { jobs, users, library }: Pick<Store, 'jobs' | 'users' | 'library'>,
  days: number,
): Promise<Record<string, unknown>> {
  const { perDay, perTool, perOwner, durations } = await jobs.usage(new Date(Date.now() - days * DAY).toISOString())
  const names = new Map((await users.list()).map(({ id, username }) => [id, username]))
  const { items, bytes } = await library.totals()
  return {
    days,
    jobsPerDay: perDay,
    topTools: perTool.slice(0, MAX_TOOLS).map(({ toolId, runs }) => ({ toolId: toolId ?? 'pipeline', runs })),
    perUser: perOwner.map(({ ownerId, ...counts }) => ({ username: names.get(ownerId ?? '') ?? ownerId, ...counts })),
    durations: durations.map(({ type, ...times }) => ({ pool: type, ...times })),
    storage: { libraryBytes: bytes, libraryFiles: items },
  }
}
