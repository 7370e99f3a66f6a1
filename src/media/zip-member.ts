import { parse } from 'node:path'
import { Transform } from 'node:stream'
import type { Entry } from 'yauzl'
import { MediaprocError } from '../errors.ts'
import { cutToBytes } from '../utf8.ts'
import { crc32 } from './crc32.ts'
import { type MediaFile, printableName } from './file.ts'

/** A file in an archive. */
export interface ZipMember {
  /** Its name without folders. */
  baseName: string
  /** Bytes when unpacked, as the archive says; enforced while unpacking. */
  size: number
  /** CRC-32 of the unpacked bytes, as the archive says; enforced too. */
  checksum: number
  /** Position in the archive's directory. */
  index: number
  /** The archive marks it as a program, by its Unix mode. */
  isExecutable: boolean
}

/** Refuses the whole archive for a name that leads out of the folder it is unpacked into. */
export function checkEntryName(file: MediaFile, name: string): void {
  const parts = name.split(/[/\\]/)
  const leadsOut = /^[/\\]/.test(name) || /^[a-z]:/i.test(name) || name.includes('\0')
  if (leadsOut || parts.includes('..') || parts.at(-1) === '.') throw unsafeName(file, name)
}

export function unsafeName(file: MediaFile, name: string): MediaprocError {
  return new MediaprocError(
    'INVALID_FILE',
    `${printableName(file.name)} holds a name that points outside its folder: ${printableName(name)}`,
    { hint: 'Such an archive is refused whole; it may be an attack.' },
  )
}

/** File systems take 255 bytes; a number that makes the name unique must fit too. */
const MAX_NAME_BYTES = 245

/** A name that was packed on another system may be too long for this one: it is cut in its stem. */
export function shortName(name: string): string {
  const { name: stem, ext } = parse(name)
  const [kept, tail] = Buffer.byteLength(ext) < MAX_NAME_BYTES ? [stem, ext] : [name, '']
  return cutToBytes(kept, MAX_NAME_BYTES - Buffer.byteLength(tail)) + tail
}

/** The mode that an archive of Unix keeps for an entry; 0 where it keeps none. */
const unixMode = (entry: Entry): number => entry.externalFileAttributes >>> 16

/** Whether an entry is a symbolic link, by its Unix mode. */
export const isLink = (entry: Entry): boolean => (unixMode(entry) & 0o170000) === 0o120000

/** Whether an entry is a program, by its Unix mode. Of that mode nothing else is restored: no setuid, no write permissions. */
export const isExecutable = (entry: Entry): boolean => (unixMode(entry) & 0o111) !== 0

/** Stops an entry that unpacks to more than its header said, or to something else than was packed. */
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
