import type { Repositories } from '../repositories.ts'

type Settings = Repositories['settings']

/** How long what was read is used, in milliseconds: by then, a change of another server counts here. */
const FRESH_MS = 500
/** Names come from requests as well. */
const MAX_NAMES = 200

/** Settings, of which a request needs several: what was read is used for a moment. */
export interface RecentSettings extends Settings {
  /** From now on, they are read again: this process has changed some. */
  forget(): void
}

export function recentSettings(settings: Settings): RecentSettings {
  const read = new Map<string, { at: number; value: ReturnType<Settings['get']> }>()
  const forget = (): void => read.clear()
  return {
    ...settings,
    forget,
    get(name) {
      const known = read.get(name)
      const now = performance.now()
      if (known && now - known.at < FRESH_MS) return known.value
      if (read.size >= MAX_NAMES) forget()
      const value = settings.get(name)
      const one = { at: now, value }
      read.set(name, one)
      value.catch(() => {
        if (read.get(name) === one) read.delete(name)
      })
      return value
    },
    set: (...given) => settings.set(...given).finally(forget),
    remove: (...given) => settings.remove(...given).finally(forget),
  }
}
