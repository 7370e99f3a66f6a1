import { convertOffice, missingMath, type OfficeOutput } from '../../engines/libreoffice/libreoffice.ts'
import { MediaprocError } from '../../errors.ts'
import { type MediaFile, printableName } from '../file.ts'
import { openPdf } from '../pdf/document.ts'
import { confirmPdf } from '../pdf/verify/second-reader.ts'
import { sniffBytes } from '../sniff.ts'
import { holdsEquations } from './equations.ts'
import type { OfficeSource } from './open.ts'

interface Listener {
  signal: AbortSignal
  /** Receives a warning about files that the document references and that were not loaded. */
  warn(message: string): void
}

/**
 * Converts a document to another format with LibreOffice and verifies the result.
 * @param source the document, or a replacement to convert; `file` provides the name
 * @throws INVALID_FILE, LIMIT_EXCEEDED, PASSWORD_PROTECTED, ENGINE_UNAVAILABLE, TIMEOUT, CANCELED, PROCESSING_FAILED
 */
export async function convertedOffice(
  file: MediaFile,
  to: OfficeOutput,
  { signal, warn }: Listener,
  source: OfficeSource,
): Promise<Uint8Array> {
  const name = printableName(file.name)
  const { type, bytes, leftOut } = source
  if (leftOut > 0)
    warn(
      `${name} asks for ${leftOut === 1 ? 'a file' : `${leftOut} files`} outside itself (pictures, parts, templates), which ${leftOut === 1 ? 'is' : 'are'} left out: nothing is loaded`,
    )
  // Plain text contains no equations, even with Math installed.
  const mathInstall = to === 'txt' ? undefined : await missingMath()
  const made = await convertOffice({ bytes, from: type, to, name, signal })
  if (to === 'txt') return plainText(made)
  await readBack(made, to, name)
  if (mathInstall !== undefined && (await holdsEquations(source, to !== 'pdf')))
    warn(
      `${name} holds equations, which are missing${to === 'pdf' ? '' : ' or only pictures'} in the ${to.toUpperCase()}: the component Math of LibreOffice is not installed. Install it with: ${mathInstall}`,
    )
  return made
}

/**
 * LibreOffice starts UTF-8 with a byte order mark, which would be the first character when the text is joined or
 * compared.
 */
function plainText(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

/** The output must have the requested type; a PDF must have pages. */
async function readBack(bytes: Uint8Array, type: OfficeOutput, name: string): Promise<void> {
  const failed = (cause?: unknown): MediaprocError =>
    new MediaprocError('PROCESSING_FAILED', `LibreOffice made no whole ${type.toUpperCase()} of ${name}`, { cause })
  if (sniffBytes(bytes).id !== type) throw failed()
  if (type !== 'pdf') return
  try {
    const pdf = await openPdf(bytes, { maxPages: 0 })
    pdf.close()
    await confirmPdf(bytes)
  } catch (error) {
    throw failed(error)
  }
}
