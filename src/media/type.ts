/** A file type. One row per content type; several extensions may belong to the same row. */
import { firstOf } from '../lists.ts'
export interface FileType {
  /** Canonical short id: the usual extension (`jpg`, `mp4`, `docx`), or `empty` and `unknown`. */
  id: string
  /** All extensions of this type, lower case, without the dot, the usual one first. */
  extensions: string[]
  mime: string
  group: FileGroup
  /** An extension of another type that files of this type may also have. */
  alsoNamed?: string
}

export type FileGroup = 'image' | 'video' | 'audio' | 'pdf' | 'office' | 'data' | 'archive' | 'text' | 'unknown'

type Row = [extensions: string, mime: string, alsoNamed?: string]

/** Extensions separated by spaces: the first one is the id. */
const ROWS: Record<Exclude<FileGroup, 'unknown'>, Row[]> = {
  image: [
    ['jpg jpeg jpe jfif', 'image/jpeg'],
    ['png', 'image/png'],
    ['apng', 'image/apng', 'png'],
    ['webp', 'image/webp'],
    ['avif', 'image/avif'],
    ['gif', 'image/gif'],
    ['bmp dib', 'image/bmp'],
    ['tiff tif', 'image/tiff'],
    ['heic hif', 'image/heic'],
    ['heif', 'image/heif'],
    ['svg', 'image/svg+xml'],
    ['svgz', 'image/svg+xml'],
    ['ico', 'image/x-icon'],
    ['cur', 'image/x-icon'],
    ['jxl', 'image/jxl'],
    ['jp2 j2k jpx', 'image/jp2'],
    ['psd', 'image/vnd.adobe.photoshop'],
    ['psb', 'image/vnd.adobe.photoshop'],
    ['xcf', 'image/x-xcf'],
    ['tga', 'image/x-tga'],
    ['exr', 'image/x-exr'],
    ['hdr', 'image/vnd.radiance'],
    ['dng', 'image/x-adobe-dng'],
    ['cr2', 'image/x-canon-cr2'],
    ['cr3', 'image/x-canon-cr3'],
    ['nef', 'image/x-nikon-nef'],
    ['arw', 'image/x-sony-arw'],
    ['orf', 'image/x-olympus-orf'],
    ['rw2', 'image/x-panasonic-rw2'],
    ['raf', 'image/x-fuji-raf'],
    ['pef', 'image/x-pentax-pef'],
    ['ppm pnm', 'image/x-portable-pixmap'],
    ['pgm', 'image/x-portable-graymap'],
    ['pbm', 'image/x-portable-bitmap'],
    ['pam', 'image/x-portable-arbitrarymap'],
    ['qoi', 'image/qoi'],
    ['dds', 'image/vnd-ms.dds'],
    ['fits fit fts', 'image/fits'],
    ['dpx', 'image/x-dpx'],
    ['eps', 'application/postscript'],
    ['pcx', 'image/x-pcx'],
    ['icns', 'image/icns'],
    ['sgi rgba bw', 'image/x-sgi'],
    ['pfm', 'image/x-portable-floatmap'],
    ['xbm', 'image/x-xbitmap'],
    ['xpm', 'image/x-xpixmap'],
  ],
  video: [
    ['mp4', 'video/mp4'],
    ['m4v', 'video/mp4'],
    ['mov', 'video/quicktime'],
    ['webm', 'video/webm'],
    ['mkv', 'video/x-matroska'],
    ['avi', 'video/x-msvideo'],
    ['ts', 'video/mp2t'],
    ['mts', 'video/mp2t'],
    ['m2ts', 'video/mp2t'],
    ['3gp', 'video/3gpp'],
    ['flv', 'video/x-flv'],
    ['wmv', 'video/x-ms-wmv'],
    ['mpg mpeg', 'video/mpeg'],
    ['ogv', 'video/ogg'],
    ['mxf', 'application/mxf'],
  ],
  audio: [
    ['mp3', 'audio/mpeg'],
    ['wav', 'audio/wav'],
    ['flac', 'audio/flac'],
    ['aac', 'audio/aac'],
    ['m4a m4r m4b', 'audio/mp4'],
    ['ogg oga', 'audio/ogg'],
    ['opus', 'audio/opus'],
    ['wma', 'audio/x-ms-wma'],
    ['aiff aif', 'audio/aiff'],
    ['amr', 'audio/amr'],
    ['ac3', 'audio/ac3'],
  ],
  pdf: [['pdf', 'application/pdf']],
  office: [
    ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
    ['odt', 'application/vnd.oasis.opendocument.text'],
    ['ods', 'application/vnd.oasis.opendocument.spreadsheet'],
    ['odp', 'application/vnd.oasis.opendocument.presentation'],
    ['epub', 'application/epub+zip'],
    ['doc', 'application/msword'],
    ['xls', 'application/vnd.ms-excel'],
    ['ppt', 'application/vnd.ms-powerpoint'],
    ['rtf', 'application/rtf'],
  ],
  data: [
    ['csv', 'text/csv'],
    ['tsv', 'text/tab-separated-values'],
    ['json', 'application/json'],
    ['jsonl ndjson', 'application/jsonl'],
    ['m4s', 'video/iso.segment'],
    ['xml', 'application/xml'],
    ['yaml yml', 'application/yaml'],
    ['fdf', 'application/fdf'],
  ],
  archive: [
    ['zip', 'application/zip'],
    ['gz', 'application/gzip'],
    ['7z', 'application/x-7z-compressed'],
    ['rar', 'application/vnd.rar'],
    ['bz2', 'application/x-bzip2'],
    ['xz', 'application/x-xz'],
    ['tar', 'application/x-tar'],
  ],
  text: [
    ['txt', 'text/plain'],
    ['html htm xhtml', 'text/html'],
    ['md markdown', 'text/markdown'],
    ['srt', 'application/x-subrip'],
    ['vtt', 'text/vtt'],
    ['ass ssa', 'text/x-ssa'],
    ['ps', 'application/postscript'],
    ['cube', 'application/x-cube-lut'],
    ['m3u8', 'application/vnd.apple.mpegurl'],
    ['mpd', 'application/dash+xml'],
  ],
}

/** Types that can be read but not written, and the type that a format-preserving tool writes instead. */
export const WRITTEN_AS: Readonly<Record<string, string>> = { mxf: 'mp4' }

/** Types that are recognised for error messages, but not supported by any tool. */
const RECOGNISED_ONLY = new Set(['psb', 'xcf', 'cr3', 'raf', 'pef'])

export const UNKNOWN_TYPE: FileType = {
  id: 'unknown',
  extensions: [],
  mime: 'application/octet-stream',
  group: 'unknown',
}

/** A file of 0 bytes. */
export const EMPTY_TYPE: FileType = { ...UNKNOWN_TYPE, id: 'empty' }

const types: FileType[] = Object.entries(ROWS).flatMap(([group, rows]) =>
  rows.map(([names, mime, alsoNamed]) => {
    const extensions = names.split(' ')
    return { id: firstOf(extensions), extensions, mime, group: group as FileGroup, ...(alsoNamed && { alsoNamed }) }
  }),
)

/** All known types, in table order, then those of plugins. */
export const FILE_TYPES: readonly FileType[] = types

const BY_ID = new Map([...FILE_TYPES, UNKNOWN_TYPE, EMPTY_TYPE].map((type) => [type.id, type]))
const BY_EXTENSION = new Map(FILE_TYPES.flatMap((type) => type.extensions.map((extension) => [extension, type])))

function extensionsOf(group: FileGroup): string[] {
  const types = FILE_TYPES.filter((type) => type.group === group && !RECOGNISED_ONLY.has(type.id))
  return types.flatMap((type) => type.extensions)
}

const imageExtensions = extensionsOf('image')

/** Extensions (without the dot) that image tools accept. */
export const IMAGE_EXTENSIONS: readonly string[] = imageExtensions
/** Extensions (without the dot) that video tools accept. */
export const VIDEO_EXTENSIONS = extensionsOf('video')
/** Extensions (without the dot) that audio tools accept. */
export const AUDIO_EXTENSIONS = extensionsOf('audio')

/**
 * Adds a picture type of a plugin, or further extensions and image tools for a known one. Extensions that another type has
 * stay with it.
 */
export function addImageType({ id, extensions, mime }: Pick<FileType, 'id' | 'extensions' | 'mime'>): FileType {
  const known = BY_ID.get(id)
  const type: FileType = known ?? { id, extensions: [], mime, group: 'image' }
  if (!known) {
    types.push(type)
    BY_ID.set(id, type)
  }
  for (const extension of extensions) {
    if (!BY_EXTENSION.has(extension)) BY_EXTENSION.set(extension, type)
    if (BY_EXTENSION.get(extension) !== type) continue
    if (!type.extensions.includes(extension)) type.extensions.push(extension)
    if (!imageExtensions.includes(extension)) imageExtensions.push(extension)
  }
  return type
}

/** The row of an id, `undefined` if there is none. */
export function typeById(id: string): FileType | undefined {
  return BY_ID.get(id)
}

/** The row for the last extension of a file name (or path), case-insensitive; `undefined` if there is none. */
export function typeOfName(fileName: string): FileType | undefined {
  const dot = fileName.lastIndexOf('.')
  return dot < 0 ? undefined : BY_EXTENSION.get(fileName.slice(dot + 1).toLowerCase())
}

/** The media type of an id or extension, with or without the dot; `application/octet-stream` if unknown. */
export function mimeOf(idOrExtension: string): string {
  const name = idOrExtension.replace(/^\./, '').toLowerCase()
  return (BY_ID.get(name) ?? BY_EXTENSION.get(name) ?? UNKNOWN_TYPE).mime
}

/**
 * Whether a type is text that can be shown in a terminal or in documentation. For Office files, XML is only part of the
 * media type's name.
 */
export function isTextMime(mime: string): boolean {
  return /^text\/|(?:json|xml|yaml|subrip|mpegurl)$/.test(mime)
}
