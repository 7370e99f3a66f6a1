import { basename } from 'node:path'
import { toMediaprocError } from '../errors.ts'
import type { Failed, FailureFields } from './messages.ts'

/** Paths that must not appear in messages. */
export interface PrivatePaths {
  /** Files by path, with their names for users. */
  names: ReadonlyMap<string, string>
  folders: readonly string[]
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Reduces private paths in a message to their last part. */
export function withoutPaths(text: string, { names, folders }: PrivatePaths): string {
  let plain = text
  for (const [path, name] of names) plain = plain.replaceAll(path, name)
  // Inner folders first: their paths start with those of the outer ones.
  const known = [...new Set(folders.map((folder) => folder.replace(/[/\\]+$/, '')))]
    .filter((folder) => folder.length > 1)
    .sort((a, b) => b.length - a.length)
  for (const folder of known)
    plain = plain.replace(new RegExp(`(?:file://)?${escaped(folder)}(?:[/\\\\][^\\s'",;]*)?`, 'g'), (path) =>
      basename(path),
    )
  return plain
}

/** An error as sent by a child. Only `detail`, which is for logs, may contain paths. */
export function failedMessage(error: unknown, paths: PrivatePaths, more?: FailureFields): Failed {
  const { code, message, hint, httpHint, detail, fields, status } = toMediaprocError(error)
  return {
    code,
    message: withoutPaths(message, paths),
    hint: withoutPaths(hint, paths),
    httpHint: withoutPaths(httpHint, paths),
    status,
    ...(detail !== undefined && { detail }),
    ...((fields || more) && { fields: { ...fields, ...more } }),
  }
}
