export const MEBIBYTE = 1024 * 1024

/** Longest segment of a path, percent-encoded, in characters: it may hold a long file name. */
export const MAX_PARAMETER = 1024

/** Longest id of a record or tool, or set by a client, in characters. */
export const MAX_ID = 100

/** Longest search text, in characters. */
export const MAX_SEARCH = 255

/** Longest URL in a request, in characters: the limit of common browsers and servers. */
export const MAX_URL = 8192

/** Most records in one request. */
export const MAX_IDS = 1000

/** Most files in one request, even if the operator sets no limit. */
export const MAX_FILES = 10_000

/** Longest `settings` field of a form, in characters. */
export const MAX_SETTINGS = 65_536

/** Longest form field that is plain text, in characters. */
export const MAX_FIELD = 1024

/** Longest form field that is JSON, in bytes. */
export const MAX_JSON_FIELD = MEBIBYTE
