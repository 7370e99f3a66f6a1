import { MediaprocError } from '../../errors.ts'
import type { JobRecord } from '../job-record.ts'
import { clientIdUsed, queueIsFull, tooManyJobs } from '../memory/queue.ts'
import { type Access, jsonOf, LOCKS, unflushed } from '../postgres/access.ts'
import { columnsOf } from '../postgres/job-rows.ts'
import type { JobNeeds, QueueLimits, SubmitOptions } from '../queue.ts'

/** Up to this many jobs are counted for every new one; counting more takes longer than a job may wait. */
const COUNTED_EXACTLY = 1000
/** How long a count of more jobs is used, in milliseconds. */
const COUNT_MS = 1000

/** What `submit_job` answers; counts of PostgreSQL are texts. */
interface Answer {
  refusal: 'owner' | 'queue' | 'used' | null
  own: string
  allowed: string
  total: string
}

/** Accepts jobs into the queue within its limits, by one statement: `submit_job` of the database. */
export class Admission {
  readonly #access: Access
  #count = { jobs: 0, at: 0 }

  constructor(access: Access) {
    this.#access = access
  }

  /** A recent number of unfinished jobs, if counting them again would take long. */
  #known({ places }: QueueLimits): number | null {
    const { jobs, at } = this.#count
    const isNear = jobs <= COUNTED_EXACTLY || jobs > 0.9 * places
    return isNear || Date.now() - at > COUNT_MS ? null : jobs
  }

  /**
   * Writes the record of a waiting job. The owner's other submissions wait until it is written, in every process.
   * @throws CONCURRENCY_LIMIT, QUEUE_UNAVAILABLE, CONFLICT, STORE_UNAVAILABLE
   */
  async submit(
    record: JobRecord,
    needs: JobNeeds,
    { limits, isUnique = false, mayBeLost = false }: SubmitOptions,
  ): Promise<void> {
    const { sql, executor } = this.#access
    const { places, share = null, most = null } = limits
    const known = this.#known(limits)
    const row = { ...columnsOf(record), ...needs, heavy: record.task?.heavy ?? false }
    const { rows } =
      await sql<Answer>`select *${mayBeLost ? sql`, ${unflushed(sql)}` : sql``} from submit_job(json_populate_record(null::jobs, ${jsonOf(row)}::json),
      ${LOCKS}, ${places}, ${share}, ${most}, ${known}, ${isUnique})`.execute(executor)
    const [answer] = rows
    if (!answer) throw new MediaprocError('INTERNAL', 'submit_job gave no answer')
    const { refusal, own, allowed } = answer
    const total = Number(answer.total)
    this.#count = { jobs: refusal === null ? total + 1 : total, at: known === null ? Date.now() : this.#count.at }
    if (refusal === 'owner') throw tooManyJobs(Number(own), Number(allowed))
    if (refusal === 'queue') throw queueIsFull(total)
    if (refusal === 'used') throw clientIdUsed(record.clientJobId)
  }
}
