import { ERRORS, toMediaprocError } from '../errors.ts'
import type { Failed, FailureFields } from './messages.ts'

/** Shown to a client instead of a text that names a folder of the server. */
const WITHHELD = 'A warning of this job is withheld, because it names a folder of the server'

/** Whether a text names one of these folders of the server. Clients may name any other path, and read it again. */
const namesFolder = (text: string, folders: readonly string[]): boolean =>
  folders.some((folder) => folder.length > 1 && text.includes(folder))

/** A warning for the client. Tools call files by their names; one that names a folder of the server is withheld. */
export function publicWarning(message: string, folders: readonly string[]): string {
  return namesFolder(message, folders) ? WITHHELD : message
}

/**
 * An error as sent by a child. `detail`, which is for logs, may name folders of the server; messages and hints are made from
 * names, and the message of the code replaces one that names a folder.
 */
export function failedMessage(error: unknown, folders: readonly string[], more?: FailureFields): Failed {
  const { code, httpMessage, httpHint, detail, fields, status } = toMediaprocError(error)
  const isPublic = ![httpMessage, httpHint].some((text) => namesFolder(text, folders))
  const details = isPublic ? [detail] : [detail, httpMessage, httpHint]
  const kept = details.filter((text) => text !== undefined && text !== '').join('\n')
  return {
    ...{ code, status, message: isPublic ? httpMessage : ERRORS[code].message, hint: isPublic ? httpHint : '' },
    ...(kept !== '' && { detail: kept }),
    ...((fields || more) && { fields: { ...fields, ...more } }),
  }
}
