import type { Redis as Client } from 'ioredis'
import { isReply } from './check.ts'

type Listener = (text: string) => void

interface Channel {
  listeners: Set<Listener>
  /** Resolves when the server has the first subscription, or is away. */
  begun: Promise<unknown>
}

/** The channels of a connection, and who listens to them. After a reconnect they are subscribed again. */
export class Subscriber {
  readonly #client: Client
  readonly #channels = new Map<string, Channel>()
  readonly #followers = new Set<() => void>()

  constructor(client: Client) {
    this.#client = client
    client.on('message', (channel: string, text: string) => {
      for (const listener of [...(this.#channels.get(channel)?.listeners ?? [])]) listener(text)
    })
    client.on('ready', () => void this.#again())
  }

  /** Subscribes to all channels; what was published meanwhile is lost, so the followers look again. */
  async #again(): Promise<void> {
    const channels = [...this.#channels.keys()]
    try {
      if (channels.length > 0) await this.#client.subscribe(...channels)
    } catch (error) {
      // Without an answer the connection is of no use; the next one subscribes. After a refusal it would be refused again.
      if (!isReply(error)) {
        this.#client.disconnect(true)
        return
      }
    }
    for (const follower of [...this.#followers]) follower()
  }

  /** Returns once the server has the subscription, or at once if it is away: then it gets it when it is back. */
  async subscribe(channel: string, listener: Listener): Promise<() => void> {
    let known = this.#channels.get(channel)
    if (!known) {
      known = { listeners: new Set(), begun: this.#client.subscribe(channel).catch(() => {}) }
      this.#channels.set(channel, known)
    }
    known.listeners.add(listener)
    await known.begun
    return () => this.#stop(channel, listener)
  }

  #stop(channel: string, listener: Listener): void {
    const known = this.#channels.get(channel)
    if (!known?.listeners.delete(listener) || known.listeners.size > 0) return
    this.#channels.delete(channel)
    this.#client.unsubscribe(channel).catch(() => {})
  }

  onReconnect(follower: () => void): () => void {
    this.#followers.add(follower)
    return () => void this.#followers.delete(follower)
  }
}
