const MAX_KEYS = 1000

/**
 * Cache of keys whose hash was verified since the start, so that requests with a key need no scrypt. Holds only
 * digests; the store is asked at every use whether the key still exists and is valid.
 */
export class VerifiedKeys {
  /** Id by SHA-256 of the key; least recently used first. */
  readonly #ids = new Map<string, string>()
  readonly #checking = new Map<string, Promise<boolean>>()

  get(digest: string): string | undefined {
    const id = this.#ids.get(digest)
    if (id !== undefined) this.add(digest, id)
    return id
  }

  add(digest: string, id: string): void {
    this.#ids.delete(digest)
    this.#ids.set(digest, id)
    if (this.#ids.size > MAX_KEYS) this.#ids.delete(this.#ids.keys().next().value!)
  }

  /** Removes keys by id. */
  drop(ids: ReadonlySet<string>): void {
    for (const [digest, id] of this.#ids) if (ids.has(id)) this.#ids.delete(digest)
  }

  /** Concurrent requests with the same unknown key share one check. */
  async check(digest: string, id: string, verify: () => Promise<boolean>): Promise<boolean> {
    const name = `${digest} ${id}`
    const running = this.#checking.get(name) ?? verify()
    this.#checking.set(name, running)
    const right = await running.finally(() => this.#checking.delete(name))
    if (right) this.add(digest, id)
    return right
  }
}
