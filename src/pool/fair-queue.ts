/** What the queue must know of a job. */
export interface Queued {
  /** Whose it is. */
  ownerKey: string
  /** Uses many cores or much memory. */
  isHeavy: boolean
}

/**
 * Waiting jobs. Owners take turns, so that one who brings a hundred does not keep the others waiting; the jobs of one
 * owner start in the order in which they came, but light ones pass heavy ones while no heavy one may start.
 */
export class FairQueue<Job extends Queued> {
  /** In the order of their turns. No owner without a job. */
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

  /** Takes the next job out of the queue. @param allowsHeavy whether it may be a heavy one of this owner */
  take(allowsHeavy: (ownerKey: string) => boolean): Job | undefined {
    for (const [ownerKey, jobs] of this.#owners) {
      const job = allowsHeavy(ownerKey) ? jobs[0] : jobs.find(({ isHeavy }) => !isHeavy)
      if (!job) continue
      this.remove(job)
      const rest = this.#owners.get(job.ownerKey)
      if (rest) {
        // To the end of the row.
        this.#owners.delete(job.ownerKey)
        this.#owners.set(job.ownerKey, rest)
      }
      return job
    }
    return undefined
  }

  /** Takes a job out, wherever it stands. False when it is not there (any more). */
  remove(job: Job): boolean {
    const jobs = this.#owners.get(job.ownerKey) ?? []
    const place = jobs.indexOf(job)
    if (place < 0) return false
    jobs.splice(place, 1)
    if (jobs.length === 0) this.#owners.delete(job.ownerKey)
    this.#length -= 1
    return true
  }

  /** Takes all jobs out. */
  clear(): Job[] {
    const all = [...this.#owners.values()].flat()
    this.#owners.clear()
    this.#length = 0
    return all
  }
}
