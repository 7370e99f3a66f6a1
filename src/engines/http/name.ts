import { lastOf } from '../../lists.ts'
import { cutToBytes } from '../../utf8.ts'

/** Maximum name of a fetched file, in bytes, so that suffixes still fit into the usual 255 of file systems. */
const MAX_BYTES = 200

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Servers send names as raw UTF-8, which HTTP libraries decode as ISO 8859-1. */
function fromBytes(header: string): string {
  if (/[^\u0000-\u00ff]/.test(header)) return header
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'latin1'))
  } catch {
    return header
  }
}

/** The file name in a Content-Disposition header (RFC 6266): `filename*` takes precedence over `filename`. */
function headerName(header: string): string | undefined {
  const extended = /filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(header)?.[1]
  if (extended) return decoded(extended)
  const quoted = /filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(header)?.[1]
  return quoted?.replace(/\\(.)/g, '$1') ?? /filename\s*=\s*([^;\s"]+)/i.exec(header)?.[1]
}

/** A safe file name: no folder, no control characters, no leading dot, limited length. */
function safeName(name: string): string {
  const base = lastOf(name.split(/[/\\]/))
  const clean = base.replace(/[\u0000-\u001f\u007f\ufffd<>:"|?*]/g, '_').replace(/^[.\s-]+|(?<![.\s])[.\s]+$/g, '')
  const dot = clean.lastIndexOf('.')
  const extension = dot > 0 && clean.length - dot <= 10 ? clean.slice(dot) : ''
  const stem = extension ? clean.slice(0, dot) : clean
  return cutToBytes(stem, MAX_BYTES - Buffer.byteLength(extension)) + extension
}

/** The name of a fetched file: from the response header, the last segment of its URL, or `download`. */
export function downloadName(url: URL, contentDisposition: string | string[] | undefined): string {
  const header = Array.isArray(contentDisposition) ? contentDisposition[0] : contentDisposition
  const fromHeader = header ? safeName(headerName(fromBytes(header)) ?? '') : ''
  return fromHeader || safeName(decoded(lastOf(url.pathname.split('/')))) || 'download'
}
