/** Serializes operations that concern the same thing. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Starts `work` when the previous operation with this key has ended, with whatever result. */
  async run<R>(key: string, work: () => Promise<R>): Promise<R> {
    const before = this.#last.get(key) ?? Promise.resolve()
    const result = before.catch(() => undefined).then(work)
    this.#last.set(key, result)
    try {
      return await result
    } finally {
      if (this.#last.get(key) === result) this.#last.delete(key)
    }
  }
}
