const SECOND_MS = 1000

/**
 * Waits until all pages were closed for some time. Seconds are counted one by one: while the machine sleeps, none passes.
 */
export class Pages {
  #open = 0
  #hadSome = false
  #left: number
  readonly #after: number

  /** @param after seconds without a page */
  constructor(after: number) {
    this.#after = after
    this.#left = after
  }

  /** Reports the number of open pages. */
  set(count: number): void {
    this.#open = count
    if (count > 0) this.#hadSome = true
    this.#left = this.#after
  }

  /** Whether no page is open after there was one. */
  get areClosed(): boolean {
    return this.#hadSome && this.#open === 0
  }

  /** Resolves when the time is over; checks with `mayEnd` then, and starts over if not. */
  async over(mayEnd: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(signal)
      if (!this.areClosed) continue
      this.#left--
      if (this.#left > 0) continue
      if ((await mayEnd()) && this.areClosed) return
      this.#left = 1
    }
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, SECOND_MS)
    signal.addEventListener('abort', end)
  })
}
