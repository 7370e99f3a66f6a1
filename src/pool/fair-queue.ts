/** Properties of a job that the queue needs. */
export interface Queued {
  /** The job's owner. */
  ownerKey: string
  /** Uses many cores or much memory. */
  isHeavy: boolean
}

/**
 * Queue of waiting jobs. Owners take turns, so that one owner's hundred jobs do not delay the others. One owner's jobs
 * start in order of arrival, but light jobs overtake heavy ones while no heavy job may start.
 */
export class FairQueue<Job extends Queued> {
  /** In order of their turns. Every owner in it has a job. */
  readonly #owners = new Map<string, Job[]>()
  #length = 0

  get length(): number {
    return this.#length
  }

  add(job: Job): void {
    const jobs = this.#owners.get(job.ownerKey)
    if (jobs) jobs.push(job)
    else this.#owners.set(job.ownerKey, [job])
    this.#length += 1
  }

  /** Removes and returns the next job. @param allowsHeavy whether a heavy job of this owner may start */
  take(allowsHeavy: (ownerKey: string) => boolean): Job | undefined {
    for (const [ownerKey, jobs] of this.#owners) {
      const job = allowsHeavy(ownerKey) ? jobs[0] : jobs.find(({ isHeavy }) => !isHeavy)
      if (!job) continue
      this.remove(job)
      const rest = this.#owners.get(job.ownerKey)
      if (rest) {
        // Moves the owner to the end.
        this.#owners.delete(job.ownerKey)
        this.#owners.set(job.ownerKey, rest)
      }
      return job
    }
    return undefined
  }

  /** Removes a job at any position. Returns false when it is not in the queue. */
  remove(job: Job): boolean {
    const jobs = this.#owners.get(job.ownerKey) ?? []
    const place = jobs.indexOf(job)
    if (place < 0) return false
    jobs.splice(place, 1)
    if (jobs.length === 0) this.#owners.delete(job.ownerKey)
    this.#length -= 1
    return true
  }

  /** Removes and returns all jobs. */
  clear(): Job[] {
    const all = [...this.#owners.values()].flat()
    this.#owners.clear()
    this.#length = 0
    return all
  }
}
