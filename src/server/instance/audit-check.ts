import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import { printableName } from '../../media/file.ts'
import { checkChain } from '../../store/file/audit/chain.ts'
import { isDataFolder } from '../../store/file/open.ts'
import type { AuditCheck } from '../../store/store.ts'
import { counted } from '../../wording.ts'
import type { ServerConfig } from '../config.ts'

const REASONS = {
  changed: 'the entry does not follow the one before it: something between them was changed, removed or added',
  unlinked: 'the entry has no link to the one before it, as if it was added by hand',
} as const

const entriesOf = (count: number): string => (count === 1 ? '1 entry' : `${count} entries`)

/** Describes the problems of an audit log; empty when all links are intact. */
export function auditFindings({ broken, breaks, isHeadKnown }: AuditCheck): string[] {
  const more = broken - breaks.length
  return [
    ...breaks.map(({ file, line, createdAt, reason }) => `${file}, line ${line} (${createdAt}): ${REASONS[reason]}`),
    ...(more > 0 ? [`and ${counted(more, 'place')} more`] : []),
    ...(isHeadKnown === false
      ? ['the entry with the given hash is not in the log: its end was removed or rewritten']
      : []),
  ]
}

/** Readable result of a check: the number of entries, and the hash to keep. */
export function auditSummary({ entries, unlinked, cutOff, begins, first, last, head }: AuditCheck): string[] {
  if (entries === 0) return ['The log has no entries']
  return [
    `${entriesOf(entries)} from ${first} to ${last}`,
    ...(begins ? [] : ['The entries before these are gone: AUDIT_RETENTION_DAYS removes old ones']),
    ...(unlinked > 0 ? [`${entriesOf(unlinked)} without a link: an earlier version wrote them`] : []),
    ...(cutOff > 0 ? [`${counted(cutOff, 'line')} cut off, as by a crash or a full disk`] : []),
    `Hash of the last entry: ${head}`,
  ]
}

/**
 * Checks the audit log of a database or a data folder, even while its server is running.
 * @param knownHead a hash printed by an earlier check
 * @throws MediaprocError FILE_NOT_FOUND, USAGE; as `openDatabase`
 */
export async function checkAuditOf(
  { dataFolder, database }: Pick<ServerConfig, 'dataFolder' | 'database'>,
  knownHead?: string,
): Promise<AuditCheck> {
  if (knownHead !== undefined && !/^[0-9a-f]{64}$/.test(knownHead))
    throw new MediaprocError('USAGE', 'A hash has 64 digits from 0 to 9 and a to f')
  if (database) {
    const { checkDatabaseAudit } = await import('../../store/postgres/audit.ts')
    return checkDatabaseAudit(database, knownHead)
  }
  const folder = join(dataFolder, 'audit')
  if (!isDataFolder(dataFolder) || !existsSync(folder))
    throw new MediaprocError('FILE_NOT_FOUND', `The folder ${printableName(dataFolder)} has no audit log of a server`, {
      hint: { shell: "Name the server's data folder with --data DIR or DATA_DIR." },
    })
  return checkChain(folder, knownHead)
}
