import { parse } from 'node:path'
import { Transform } from 'node:stream'
import type { Entry } from 'yauzl'
import { MediaprocError } from '../errors.ts'
import { cutToBytes } from '../utf8.ts'
import { crc32 } from './crc32.ts'
import { type MediaFile, printableName } from './file.ts'

/** A file in an archive. */
export interface ZipMember {
  /** File name without folders. */
  baseName: string
  /** Uncompressed size in bytes according to the archive; enforced during extraction. */
  size: number
  /** CRC-32 of the uncompressed bytes according to the archive; also enforced. */
  checksum: number
  /** Index in the archive's directory. */
  index: number
  /** The archive marks it as executable, by its Unix mode. */
  isExecutable: boolean
}

/** Rejects the whole archive because of a name that points outside the destination folder. */
export function checkEntryName(file: MediaFile, name: string): void {
  const parts = name.split(/[/\\]/)
  const leadsOut = /^[/\\]/.test(name) || /^[a-z]:/i.test(name) || name.includes('\0')
  if (leadsOut || parts.includes('..') || parts.at(-1) === '.') throw unsafeName(file, name)
}

export function unsafeName(file: MediaFile, name: string): MediaprocError {
  return new MediaprocError(
    'INVALID_FILE',
    `${printableName(file.name)} holds a name that points outside its folder: ${printableName(name)}`,
    { hint: 'The whole archive is rejected; it may be an attack.' },
  )
}

/** File systems allow 255 bytes; a number that makes the name unique must fit too. */
const MAX_NAME_BYTES = 245

/** A name from another system may be too long for this one: its stem is truncated. */
export function shortName(name: string): string {
  const { name: stem, ext } = parse(name)
  const [kept, tail] = Buffer.byteLength(ext) < MAX_NAME_BYTES ? [stem, ext] : [name, '']
  return cutToBytes(kept, MAX_NAME_BYTES - Buffer.byteLength(tail)) + tail
}

/** The Unix mode of an entry; 0 if the archive has none. */
const unixMode = (entry: Entry): number => entry.externalFileAttributes >>> 16

/** Whether an entry is a symbolic link, by its Unix mode. */
export const isLink = (entry: Entry): boolean => (unixMode(entry) & 0o170000) === 0o120000

/**
 * Whether an entry is executable, by its Unix mode. No other mode bits are restored: no setuid, no write permissions.
 */
export const isExecutable = (entry: Entry): boolean => (unixMode(entry) & 0o111) !== 0

/** Aborts an entry that extracts to more bytes than its header states, or whose checksum differs. */
export function memberGuard(file: MediaFile, member: ZipMember): Transform {
  let seen = 0
  let checksum = 0
  const refuse = (what: string): MediaprocError =>
    new MediaprocError('INVALID_FILE', `${printableName(member.baseName)} in ${printableName(file.name)} ${what}`)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length
      checksum = crc32(chunk, checksum)
      if (seen > member.size) done(refuse('is larger than its header says'))
      else done(null, chunk)
    },
    flush(done) {
      done(seen === member.size && checksum === member.checksum ? null : refuse('is damaged: its checksum is wrong'))
    },
  })
}
