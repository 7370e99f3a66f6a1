/**
 * The error catalogue: every failure that a user can encounter has an entry. An entry defines the HTTP status, the exit
 * code, the public message and the hint; the code that throws the error may replace them with more precise ones.
 * Codes are never reused. `docs/errors.md` is generated from this table.
 */

import { shortName } from './wording.ts'

/** Process exit codes, also printed by `mediaproc help exit-codes`. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  missing: 3,
  unauthorised: 4,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export const EXIT_MEANINGS: Record<keyof typeof EXIT, string> = {
  ok: 'everything requested is done',
  failed: 'some input failed; the others are done',
  usage: 'the command line or a setting is not valid; nothing was done',
  missing: 'an engine (program, library) or a model that the tool needs is not installed',
  unauthorised: 'not signed in, or not allowed',
  interrupted: 'stopped by Ctrl-C or a termination signal; no partial outputs are left behind',
}

interface ErrorRow {
  status: number
  exit: ExitCode
  message: string
  hint: Hint | string
}

export const ERRORS = {
  USAGE: { status: 400, exit: 2, message: 'The command line is not valid', hint: { shell: 'See mediaproc help.' } },
  INVALID_SETTINGS: {
    status: 400,
    exit: 2,
    message: 'A setting is not valid',
    hint: { shell: "The tool's --help lists its settings with their ranges." },
  },
  UNKNOWN_TOOL: {
    status: 400,
    exit: 2,
    message: 'There is no such tool',
    hint: { shell: 'mediaproc tools lists all tools.' },
  },
  INVALID_CONFIG: {
    status: 400,
    exit: 2,
    message: 'The configuration is not valid',
    hint: { shell: 'mediaproc config shows the effective configuration and its sources.' },
  },
  INVALID_PLUGIN: {
    status: 500,
    exit: 2,
    message: 'A plugin cannot be used',
    hint: { shell: 'mediaproc plugins lists the plugins; -v shows more.' },
  },
  NO_FILE: { status: 400, exit: 2, message: 'No input file was given', hint: 'Name at least one file.' },
  TOO_MANY_FILES: { status: 400, exit: 2, message: 'More files than the tool takes', hint: 'Name fewer files.' },
  TOO_FEW_FILES: { status: 400, exit: 2, message: 'Fewer files than the tool needs', hint: 'Name more files.' },
  OUTPUT_COLLISION: {
    status: 409,
    exit: 2,
    message: 'Two inputs would write the same output file',
    hint: { shell: "Give a --name template that makes them unique, such as '{index}_{stem}.{ext}'." },
  },
  OUTPUT_EXISTS: {
    status: 409,
    exit: 1,
    message: 'The output file already exists',
    hint: { shell: 'Name another output with -o or -d, or allow overwriting with --force.' },
  },
  OUTPUT_IS_INPUT: {
    status: 400,
    exit: 2,
    message: 'The output would replace the input',
    hint: 'Inputs are never changed: choose another name or folder.',
  },
  OUTSIDE_ROOTS: {
    status: 403,
    exit: 4,
    message: 'The path is outside of the folders that may be used',
    hint: { shell: 'Use a path within one of these folders, or start mediaproc mcp with another --root.' },
  },
  ROOT_REQUIRED: {
    status: 403,
    exit: 4,
    message: 'No folder may be used',
    hint: { shell: 'Start the server with --root DIR, or use a client that names its folders as roots.' },
  },
  FILE_NOT_FOUND: { status: 404, exit: 1, message: 'The file does not exist', hint: 'Check the name and the folder.' },
  NAME_TOO_LONG: {
    status: 400,
    exit: 1,
    message: 'A name is longer than the file system allows',
    hint: 'A name has at most 255 bytes, and a path with its folders 4096.',
  },
  NO_NAME_VALUE: {
    status: 400,
    exit: 1,
    message: 'A file lacks a value that the pattern of output names needs',
    hint: "Write a default in the pattern, such as '{exif.date:YYYY|undated}'.",
  },
  IS_A_FOLDER: {
    status: 400,
    exit: 1,
    message: 'This is a folder, not a file',
    hint: { shell: 'Add -r to process the files in it.' },
  },
  PERMISSION_DENIED: {
    status: 403,
    exit: 1,
    message: 'Permission denied',
    hint: 'Check the permissions of the file and its folder.',
  },
  DISK_FULL: {
    status: 507,
    exit: 1,
    message: 'The disk is full',
    hint: { shell: 'Free some space, or write elsewhere with -d or TMPDIR.' },
  },
  EMPTY_FILE: {
    status: 400,
    exit: 1,
    message: 'The file is empty',
    hint: 'It has 0 bytes; perhaps a copy or download was cut off.',
  },
  INVALID_FILE: {
    status: 400,
    exit: 1,
    message: 'The file is damaged or not what the tool takes',
    hint: 'Try to open it in another program, or fetch it again.',
  },
  UNSUPPORTED_FILE_TYPE: {
    status: 415,
    exit: 1,
    message: 'The tool does not take this type of file',
    hint: { shell: 'The --help of the tool lists the types it takes.' },
  },
  FILE_TOO_LARGE: {
    status: 413,
    exit: 1,
    message: 'The file is larger than the limit',
    hint: 'If the limit can be raised, the message names the variable; otherwise make the file smaller.',
  },
  LIMIT_EXCEEDED: {
    status: 400,
    exit: 1,
    message: 'The file is beyond a limit',
    hint: 'If the limit can be raised, the message names the variable; otherwise make the file smaller.',
  },
  NOT_ANIMATED: {
    status: 400,
    exit: 1,
    message: 'The picture is not animated, and the tool needs an animation',
    hint: 'Give it an animated GIF, WebP or PNG.',
  },
  TOO_MANY_FRAMES: {
    status: 400,
    exit: 1,
    message: 'The animation has more frames than the tool takes',
    hint: 'Cut it into shorter parts.',
  },
  PASSWORD_PROTECTED: {
    status: 400,
    exit: 1,
    message: 'The file is protected by a password',
    hint: { shell: 'Open it first with mediaproc pdf unlock-pdf FILE --password …' },
  },
  WRONG_PASSWORD: { status: 400, exit: 1, message: 'The password is wrong', hint: 'Try the other password.' },
  TARGET_UNREACHABLE: {
    status: 422,
    exit: 1,
    message: 'The requested result cannot be achieved',
    hint: 'Relax the setting.',
  },
  REFUSED_BY_STRICT: {
    status: 422,
    exit: 1,
    message: 'Something was lost or not achieved, which --strict does not allow',
    hint: { shell: 'Without --strict this is a warning, and the result is written.' },
  },
  PROCESSING_FAILED: {
    status: 422,
    exit: 1,
    message: 'Processing failed',
    hint: { shell: 'Run again with -v to see what the engine said.' },
  },
  ENGINE_UNAVAILABLE: {
    status: 501,
    exit: 3,
    message: 'An engine that this needs is not installed',
    hint: { shell: 'mediaproc doctor shows what is missing and how to install it.' },
  },
  ENCODER_MISSING: {
    status: 501,
    exit: 3,
    message: 'The installed engine has no encoder for this format',
    hint: { shell: 'mediaproc doctor shows what the installed engines can do.' },
  },
  FEATURE_NOT_INSTALLED: {
    status: 501,
    exit: 3,
    message: 'The models that this tool needs are not installed',
    hint: { shell: 'mediaproc models install BUNDLE' },
  },
  LICENCE_NOT_ACCEPTED: {
    status: 409,
    exit: 2,
    message: 'The licence of a model was not accepted, so nothing was installed',
    hint: { shell: 'Read the licence that is shown; --accept-licence accepts it.' },
  },
  MODEL_DAMAGED: {
    status: 422,
    exit: 1,
    message: 'A model file does not match the manifest; it is not used',
    hint: 'Install it again; if that does not help, a proxy or mirror on the way modifies files.',
  },
  INSUFFICIENT_STORAGE: {
    status: 507,
    exit: 1,
    message: 'There is not enough space on the disk',
    hint: 'Free some space, or name a folder on another disk with MEDIAPROC_MODELS.',
  },
  TIMEOUT: {
    status: 422,
    exit: 1,
    message: 'The time limit was reached',
    hint: { shell: 'Raise it with --timeout SECONDS.' },
  },
  CANCELED: { status: 422, exit: 130, message: 'Canceled', hint: '' },
  URL_REFUSED: {
    status: 400,
    exit: 1,
    message: 'This address is not fetched',
    hint: 'Only http and https addresses of public hosts are fetched.',
  },
  DOWNLOAD_FAILED: {
    status: 422,
    exit: 1,
    message: 'The download failed',
    hint: 'Check the address and the connection.',
  },
  OFFLINE: {
    status: 422,
    exit: 1,
    message: 'Fetching is switched off',
    hint: 'MEDIAPROC_OFFLINE is set; unset it to fetch addresses.',
  },
  SERVER_UNREACHABLE: {
    status: 502,
    exit: 1,
    message: 'The server does not answer',
    hint: 'Check the address of the server, and that it is running.',
  },
  VALIDATION_ERROR: { status: 400, exit: 2, message: 'The request is not valid', hint: 'The answer names the field.' },
  MALFORMED_JSON: { status: 400, exit: 2, message: 'The body is not JSON', hint: 'Send a JSON document in UTF-8.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    exit: 2,
    message: 'This content type is not supported here',
    hint: 'JSON routes accept application/json, file routes multipart/form-data.',
  },
  INVALID_MULTIPART: {
    status: 400,
    exit: 2,
    message: 'The form cannot be read',
    hint: 'Send multipart/form-data with a boundary, at most 100 text fields of at most 1 MiB each.',
  },
  INVALID_CLIENT_JOB_ID: {
    status: 400,
    exit: 2,
    message: 'clientJobId is not valid',
    hint: 'Use 1 to 128 letters, digits, _, - and ., beginning with a letter or digit, not all digits.',
  },
  INVALID_SAVE_MODE: { status: 400, exit: 2, message: 'saveMode is not valid', hint: "Use 'new' or 'overwrite'." },
  INVALID_PIPELINE: {
    status: 400,
    exit: 2,
    message: 'The pipeline is not valid',
    hint: 'A pipeline is {"steps": [{"toolId": "resize", "settings": {}}]}.',
  },
  DECODE_FAILED: {
    status: 422,
    exit: 1,
    message: 'The file was recognised but could not be decoded',
    hint: 'It may be damaged: try another copy.',
  },
  SELF_DEMOTE: {
    status: 400,
    exit: 1,
    message: 'You cannot take the administrator role from yourself',
    hint: 'Another administrator can.',
  },
  SELF_DELETE: {
    status: 400,
    exit: 1,
    message: 'You cannot delete your own account',
    hint: 'Another administrator can.',
  },
  LAST_ADMIN: {
    status: 400,
    exit: 1,
    message: 'This is the last administrator',
    hint: 'Make another administrator first.',
  },
  OIDC_NO_PASSWORD: {
    status: 400,
    exit: 1,
    message: 'This account has no local password',
    hint: 'The password is changed where the user signs in.',
  },
  NO_PENDING_ENROLLMENT: {
    status: 400,
    exit: 1,
    message: 'No second factor is being set up',
    hint: 'Begin with POST /api/auth/mfa/enroll.',
  },
  MFA_NOT_ENABLED: { status: 400, exit: 1, message: 'The account has no second factor', hint: '' },
  READONLY_SETTING: { status: 400, exit: 2, message: 'This setting cannot be changed', hint: '' },
  AUTH_REQUIRED: {
    status: 401,
    exit: 4,
    message: 'Authentication is required',
    hint: 'Sign in at POST /api/auth/login, or send an API key as a bearer token.',
  },
  SESSION_INVALID: {
    status: 401,
    exit: 4,
    message: 'The session or key is not valid, or has expired',
    hint: 'Sign in again.',
  },
  IDLE_TIMEOUT: { status: 401, exit: 4, message: 'The session was idle for too long', hint: 'Sign in again.' },
  INVALID_CREDENTIALS: { status: 401, exit: 4, message: 'The user name or the password is wrong', hint: '' },
  INVALID_PASSWORD: { status: 401, exit: 4, message: 'The current password is wrong', hint: '' },
  SESSION_REQUIRED: {
    status: 403,
    exit: 4,
    message: 'An API key cannot do this',
    hint: 'Sign in with user name and password.',
  },
  CONFIRMATION_REQUIRED: {
    status: 403,
    exit: 4,
    message: 'This requires the password, a code or a passkey again',
    hint: 'Send it to POST /api/auth/confirm, or sign in again.',
  },
  FORBIDDEN: {
    status: 403,
    exit: 4,
    message: 'You are not allowed to do this',
    hint: 'An administrator can give the permission.',
  },
  MUST_CHANGE_PASSWORD: {
    status: 403,
    exit: 4,
    message: 'The password must be changed first',
    hint: 'POST /api/auth/change-password',
  },
  ESCALATION_DENIED: { status: 403, exit: 4, message: 'This needs more authority than you have', hint: '' },
  FEATURE_NOT_LICENSED: {
    status: 403,
    exit: 4,
    message: 'This feature is switched off on this instance',
    hint: '',
  },
  USER_DISABLED: { status: 403, exit: 4, message: 'This account is disabled', hint: 'An administrator can enable it.' },
  USER_LIMIT_REACHED: {
    status: 403,
    exit: 4,
    message: 'The server cannot have more users',
    hint: 'MAX_USERS sets the limit.',
  },
  INVALID_CODE: {
    status: 401,
    exit: 4,
    message: 'The code is wrong, or was used already',
    hint: 'Wait for the next code of the app, and check the clock of the device.',
  },
  INVALID_USER_CODE: {
    status: 400,
    exit: 1,
    message: 'This code is not known, was used already, or has expired',
    hint: 'Start the sign-in of the program again, and enter its new code.',
  },
  AUTHORIZATION_PENDING: {
    status: 400,
    exit: 4,
    message: 'The sign-in was not approved yet',
    hint: 'Ask again after the interval.',
  },
  SLOW_DOWN: {
    status: 400,
    exit: 4,
    message: 'This was asked too soon after the last time',
    hint: 'Make the interval five seconds longer.',
  },
  ACCESS_DENIED: { status: 400, exit: 4, message: 'The sign-in was refused', hint: '' },
  EXPIRED_TOKEN: {
    status: 400,
    exit: 4,
    message: 'The sign-in was not approved in time, or its key was given already',
    hint: { shell: 'Run mediaproc login again.' },
  },
  PASSKEY_REFUSED: {
    status: 401,
    exit: 4,
    message: 'The passkey was not accepted',
    hint: 'Start again, with a passkey that is registered for this account.',
  },
  PASSKEYS_UNAVAILABLE: {
    status: 501,
    exit: 3,
    message: 'Passkeys are not available at this address',
    hint: 'Set EXTERNAL_URL to the https:// address of the server; without it passkeys work only at http://localhost.',
  },
  MFA_EXPIRED: { status: 401, exit: 4, message: 'This sign-in has expired', hint: 'Sign in again.' },
  MFA_NOT_CONFIGURED: {
    status: 401,
    exit: 4,
    message: 'The account no longer has a second factor',
    hint: 'Sign in again.',
  },
  MFA_ENROLLMENT_REQUIRED: {
    status: 403,
    exit: 4,
    message: 'This server requires a second factor',
    hint: 'Set it up with POST /api/auth/mfa/enroll and /mfa/verify, or register a passkey, with the enrollmentToken of the sign-in as bearer token.',
  },
  SSO_ENFORCED: {
    status: 403,
    exit: 4,
    message: 'This server requires single sign-on',
    hint: 'GET /api/v1/config/auth returns its URL.',
  },
  AUTH_DISABLED: {
    status: 403,
    exit: 4,
    message: 'Authentication is switched off on this instance',
    hint: 'No sign-in is needed.',
  },
  LINK_EXPIRED: { status: 410, exit: 1, message: 'The link has expired', hint: 'Ask for a new one.' },
  NOT_FOUND: { status: 404, exit: 1, message: 'Not found', hint: '' },
  METHOD_NOT_ALLOWED: { status: 405, exit: 2, message: 'This method is not allowed', hint: '' },
  MFA_ALREADY_ENABLED: {
    status: 409,
    exit: 1,
    message: 'The account has a second factor already',
    hint: 'Switch it off first.',
  },
  CONFLICT: { status: 409, exit: 1, message: 'The name or id is taken', hint: '' },
  REQUEST_IN_PROGRESS: {
    status: 409,
    exit: 1,
    message: 'A request with this Idempotency-Key is still running',
    hint: 'Send it again after the seconds of Retry-After.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    exit: 1,
    message: 'Another request was sent with this Idempotency-Key',
    hint: 'Send a new key with every new request, and the same key only with an unchanged repeat.',
  },
  ANSWER_NOT_STORED: {
    status: 409,
    exit: 1,
    message: 'The request with this Idempotency-Key was done, and its answer is not stored',
    hint: 'Files, and secrets that are shown once, are not sent again: look for what the request created, or send it with a new key.',
  },
  UPLOAD_LOCKED: {
    status: 423,
    exit: 1,
    message: 'Another request is sending bytes of this upload',
    hint: 'Try again in a few seconds.',
  },
  UPLOAD_INCOMPLETE: {
    status: 409,
    exit: 1,
    message: 'The upload is not complete',
    hint: 'Send the rest with PATCH, from the offset that HEAD returns.',
  },
  TOO_MANY_UPLOADS: {
    status: 429,
    exit: 1,
    message: 'Too many uploads wait to be used',
    hint: 'Delete some with DELETE /api/v1/uploads/{uploadId}, or wait until they expire.',
  },
  TUS_VERSION: {
    status: 412,
    exit: 2,
    message: 'Expected the header Tus-Resumable: 1.0.0',
    hint: 'Uploads follow version 1.0.0 of the tus protocol.',
  },
  QUOTA_EXCEEDED: {
    status: 413,
    exit: 1,
    message: 'The storage quota is used up',
    hint: 'Delete files from the library.',
  },
  BACKGROUND_REMOVAL_EXPIRED: {
    status: 410,
    exit: 1,
    message: 'The cut-out is not kept any more',
    hint: 'Send the picture to remove-background again.',
  },
  RANGE_NOT_SATISFIABLE: { status: 416, exit: 1, message: 'The range is outside of the file', hint: '' },
  INTERRUPTED: { status: 422, exit: 1, message: 'The server was stopped while this ran', hint: 'Run it again.' },
  RATE_LIMITED: {
    status: 429,
    exit: 1,
    message: 'Rate limit exceeded',
    hint: 'Wait for the number of seconds in Retry-After.',
  },
  CONCURRENCY_LIMIT: {
    status: 429,
    exit: 1,
    message: 'Too many of your jobs are running',
    hint: 'Wait until one of them has finished.',
  },
  FEATURE_INCOMPATIBLE: {
    status: 501,
    exit: 3,
    message: 'The models that this tool needs cannot run on this machine',
    hint: '',
  },
  'workspace-cap': {
    status: 503,
    exit: 1,
    message: 'The workspace is full',
    hint: 'Try again later; MAX_WORKSPACE_SIZE_GB sets the limit.',
  },
  DISK_LOW: { status: 503, exit: 1, message: 'The disk is nearly full', hint: 'Try again later.' },
  SHUTTING_DOWN: { status: 503, exit: 1, message: 'The server is shutting down', hint: 'Try again in a moment.' },
  DIRECTORY_UNREACHABLE: {
    status: 503,
    exit: 1,
    message: 'The directory of users does not answer',
    hint: 'Try again in a moment.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    exit: 1,
    message: 'The database does not answer',
    hint: { shell: 'Check that it runs, and the address in DATABASE_URL.', http: 'Try again in a moment.' },
  },
  QUEUE_UNAVAILABLE: { status: 503, exit: 1, message: 'The queue is full', hint: 'Try again in a moment.' },
  INTERNAL: {
    status: 500,
    exit: 1,
    message: 'An error in mediaproc itself',
    hint: { shell: 'Please report it, with the output of mediaproc doctor and of the command run with -v.' },
  },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof ERRORS

/** The hint, if the command line and HTTP clients need different ones; without `http`, HTTP clients get none. */
export interface Hint {
  shell: string
  http?: string
}

export interface ErrorParts {
  /** The hint; defaults to the catalogue's. */
  hint?: Hint | string
  /** The engine's message; shown only with -v, never in `error` of an HTTP response. */
  detail?: string
  /** The message over HTTP, if the other one contains a local path. */
  httpMessage?: string
  /** Additional fields of an HTTP response, such as `rule` or `retryAfter`. */
  fields?: object
  /** The HTTP status, if the contract of a route requires another than that of the code. */
  status?: number
  cause?: unknown
}

/** Every error that users see. `message` is a public sentence without server paths or secrets. */
export class MediaprocError extends Error {
  readonly code: ErrorCode
  /** `message` without local paths. */
  readonly httpMessage: string
  /** The hint on the command line. */
  readonly hint: string
  /** The hint over HTTP; '' for none. */
  readonly httpHint: string
  readonly detail: string | undefined
  readonly fields: object | undefined
  readonly status: number

  constructor(code: ErrorCode, message: string = ERRORS[code].message, parts: ErrorParts = {}) {
    super(message, parts.cause === undefined ? undefined : { cause: parts.cause })
    this.name = 'MediaprocError'
    this.httpMessage = parts.httpMessage ?? message
    this.code = code
    const hint: Hint | string = parts.hint ?? ERRORS[code].hint
    this.hint = typeof hint === 'string' ? hint : hint.shell
    this.httpHint = typeof hint === 'string' ? hint : (hint.http ?? '')
    this.detail = parts.detail
    this.fields = parts.fields
    this.status = parts.status ?? ERRORS[code].status
  }

  get exit(): ExitCode {
    return ERRORS[this.code].exit
  }

  /** Everything but the code, the message and the cause: for an error that repeats this one with more context. */
  get parts(): ErrorParts & { hint: Hint } {
    const { httpMessage, hint, httpHint, status, detail, fields } = this
    return {
      httpMessage,
      hint: { shell: hint, http: httpHint },
      status,
      ...(detail !== undefined && { detail }),
      ...(fields && { fields }),
    }
  }

  /** The shape of `error` in `--json` records. */
  toJSON(): { code: ErrorCode; message: string; hint: string } {
    return { code: this.code, message: this.message, hint: this.hint }
  }
}

/** Longer paths are shortened in the middle. */
const MAX_SHOWN_PATH = 200

const SYSTEM_CODES: Record<string, ErrorCode> = {
  ENOENT: 'FILE_NOT_FOUND',
  EISDIR: 'IS_A_FOLDER',
  ENOTDIR: 'FILE_NOT_FOUND',
  EACCES: 'PERMISSION_DENIED',
  EPERM: 'PERMISSION_DENIED',
  EROFS: 'PERMISSION_DENIED',
  ENOSPC: 'DISK_FULL',
  EDQUOT: 'DISK_FULL',
  EEXIST: 'OUTPUT_EXISTS',
  ELOOP: 'INVALID_FILE',
  ENAMETOOLONG: 'NAME_TOO_LONG',
}

/**
 * Converts any thrown value to a MediaprocError: catalogue errors pass through, file-system errors are mapped, an abort
 * becomes CANCELED (or TIMEOUT), and everything else becomes `fallback` with the original message as detail.
 */
export function toMediaprocError(error: unknown, fallback: ErrorCode = 'INTERNAL', message?: string): MediaprocError {
  if (error instanceof MediaprocError) return error
  const { code, name, path, syscall } = (error ?? {}) as {
    code?: string
    name?: string
    path?: string
    syscall?: string
  }
  const detail = error instanceof Error ? error.message : String(error)
  if (name === 'AbortError') return new MediaprocError('CANCELED', undefined, { cause: error })
  if (name === 'TimeoutError') return new MediaprocError('TIMEOUT', undefined, { cause: error })
  if (syscall === 'uv_cwd')
    return new MediaprocError('FILE_NOT_FOUND', 'The current folder no longer exists', {
      hint: 'Change to a folder that exists.',
      cause: error,
    })
  const systemCode = code ? SYSTEM_CODES[code] : undefined
  if (systemCode) {
    const { message: httpMessage } = ERRORS[systemCode]
    const text = path ? `${httpMessage}: ${shortName(path, MAX_SHOWN_PATH)}` : httpMessage
    return new MediaprocError(systemCode, text, { httpMessage, cause: error, detail })
  }
  return new MediaprocError(fallback, message, { cause: error, detail })
}
