import type { Repositories } from '../repositories.ts'

type Settings = Repositories['settings']

/** How long what was read is used, in milliseconds: by then, a change of another server counts here. */
const FRESH_MS = 500
/** What is used after this time is read again meanwhile, so that under load no request waits. */
const RENEWED_MS = 250
/** Names come from requests as well. */
const MAX_NAMES = 200

/** Settings, of which a request needs several: what was read is used for a moment. */
export interface RecentSettings extends Settings {
  /** From now on, they are read again: this process has changed some. */
  forget(): void
}

interface Read {
  at: number
  value: ReturnType<Settings['get']>
  isRenewed: boolean
}

export function recentSettings(settings: Settings): RecentSettings {
  const known = new Map<string, Read>()
  const forget = (): void => known.clear()
  const read = (name: string): Read => ({ at: performance.now(), value: settings.get(name), isRenewed: false })
  const keep = (name: string, one: Read): void => {
    if (known.size >= MAX_NAMES && !known.has(name)) forget()
    known.set(name, one)
  }
  const renew = async (name: string, old: Read): Promise<void> => {
    old.isRenewed = true
    const next = read(name)
    await next.value
    // It may have been forgotten meanwhile.
    if (known.get(name) === old) keep(name, next)
  }
  return {
    ...settings,
    forget,
    get(name) {
      const old = known.get(name)
      const age = old ? performance.now() - old.at : Number.POSITIVE_INFINITY
      if (old && age < FRESH_MS) {
        if (age >= RENEWED_MS && !old.isRenewed) renew(name, old).catch(() => {})
        return old.value
      }
      const one = read(name)
      keep(name, one)
      one.value.catch(() => {
        if (known.get(name) === one) known.delete(name)
      })
      return one.value
    },
    set: (...given) => settings.set(...given).finally(forget),
    remove: (...given) => settings.remove(...given).finally(forget),
  }
}
