import { join } from 'node:path'
import type { Kind } from '../kinds.ts'
import { damagedFile } from './journal.ts'
import { badRecords } from './record-checks.ts'
import { openSnapshot, type Snapshot } from './snapshot.ts'
import { KINDS, type Tables } from './tables.ts'

type Content = Record<string, unknown[] | Record<string, unknown>>

/** Which file contains which kinds: lists of records with an id, and records by name. */
const FILES: Readonly<Record<string, Readonly<Partial<Record<Kind, 'list' | 'object'>>>>> = {
  'accounts.json': {
    ...{ users: 'list', sessions: 'list', apiKeys: 'list', factors: 'list', identities: 'list', tickets: 'list' },
    ...{ teams: 'list', roles: 'list', passkeys: 'list' },
  },
  'settings.json': { settings: 'object', preferences: 'object' },
  'pipelines.json': { pipelines: 'list' },
  'idempotency-keys.json': { idempotencyKeys: 'list' },
  'webhooks.json': { webhooks: 'list', deliveries: 'list' },
}

/** The files with all small records at one point in time. Later changes are in the journal. */
export class Snapshots {
  /** Whether one of the files does not exist yet. */
  readonly isIncomplete: boolean
  readonly #writers: ReadonlyMap<string, Snapshot<Content>['write']>

  private constructor(writers: ReadonlyMap<string, Snapshot<Content>['write']>, isIncomplete: boolean) {
    this.#writers = writers
    this.isIncomplete = isIncomplete
  }

  /** Loads the files into tables. @throws INVALID_CONFIG when one is damaged */
  static async read(folder: string, tables: Tables, needsChecksum: boolean): Promise<Snapshots> {
    const writers = new Map<string, Snapshot<Content>['write']>()
    let isIncomplete = false
    for (const [name, kinds] of Object.entries(FILES)) {
      const initial = Object.fromEntries(Object.entries(kinds).map(([kind, form]) => [kind, form === 'list' ? [] : {}]))
      const { found, write } = await openSnapshot<Content>(join(folder, name), initial, needsChecksum)
      writers.set(name, write)
      if (!found) isIncomplete = true
      for (const kind of KINDS.filter((one) => found && kinds[one])) {
        // An older version may not know this kind.
        const content = found![kind] ?? []
        const entries = Array.isArray(content)
          ? content.map((record) => [(record as { id: string }).id, record] as const)
          : Object.entries(content)
        const changes = entries.map(([id, record]) => [kind, id, record] as const)
        const wrong = badRecords(changes)
        if (wrong !== undefined) throw damagedFile(join(folder, name), wrong)
        tables.apply(changes)
      }
    }
    return new Snapshots(writers, isIncomplete)
  }

  /** Returns the size of all files in bytes. */
  async write(tables: Tables): Promise<number> {
    let bytes = 0
    for (const [name, kinds] of Object.entries(FILES)) {
      const content: Content = {}
      for (const [kind, form] of Object.entries(kinds) as [Kind, 'list' | 'object'][]) {
        const entries = tables.rows(kind).all()
        content[kind] = form === 'list' ? entries.map(([, record]) => record) : Object.fromEntries(entries)
      }
      bytes += await this.#writers.get(name)!(content)
    }
    return bytes
  }
}
