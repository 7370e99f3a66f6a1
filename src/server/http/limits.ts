/** Longest part of an address, percent-encoded, in characters: names of files in it may be this long. */
export const MAX_PARAMETER = 1024

/** Longest id of a record, of a tool or that a client gives, in characters. */
export const MAX_ID = 100

/** Longest text that is searched for, in characters. */
export const MAX_SEARCH = 255

/** Longest web address of a request, in characters: what browsers and servers take. */
export const MAX_URL = 8192

/** Records that one request may name. */
export const MAX_IDS = 1000

/** Files of one request, also where the operator set no limit. */
export const MAX_FILES = 10_000

/** Longest `settings` field of a form, in characters. */
export const MAX_SETTINGS = 65_536

/** Longest text field of a form that is not JSON, in characters. */
export const MAX_FIELD = 1024

/** Longest text field of a form that is JSON, in bytes. */
export const MAX_JSON_FIELD = 1024 * 1024
